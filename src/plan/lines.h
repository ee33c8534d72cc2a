/// Text for people: lines of at most 100 columns.
#pragma once

#include <string>
#include <string_view>

namespace normbench {

/// Collects lines; a long one is broken at a space and goes on deeper.
class Lines {
 public:
  void add(std::size_t indent, std::string_view text);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace normbench
