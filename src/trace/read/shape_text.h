/// Shapes of an op's inputs as torch prints them: "[[8, 3, 224, 224], [], [3]]".
#pragma once

#include <cstdint>
#include <string>

namespace normbench {

/// Built from the parts of a JSON array, in order. What is no list of numbers, a list of tensors
/// say, stands as [].
class ShapeText {
 public:
  void open();
  void close();
  void number(std::int64_t value);

  /// The text once every open list is closed; "" for no inputs. It starts anew after that.
  std::string take();

 private:
  std::string text_;
  std::size_t input_ = 0;  // where the list of the present input starts in `text_`
  int depth_ = 0;
  bool nested_ = false;  // the present input is a list of lists
};

}  // namespace normbench
