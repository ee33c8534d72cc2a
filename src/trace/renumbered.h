/// Numbers of several recordings in one model.
#pragma once

#include <unordered_map>

namespace normbench {

/// The model's own numbers for those of one recording: the next ones after `last`, which grows.
/// `none` stays what it is.
template <class Number>
class Renumbered {
 public:
  Renumbered(Number& last, Number none) : last_(last), none_(none) {}

  Number operator()(Number number) {
    if (number == none_) return none_;
    const auto [found, is_new] = numbers_.try_emplace(number, last_ + 1);
    if (is_new) ++last_;
    return found->second;
  }

 private:
  Number& last_;
  Number none_;
  std::unordered_map<Number, Number> numbers_;
};

}  // namespace normbench
