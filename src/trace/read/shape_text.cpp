#include "trace/read/shape_text.h"

#include <utility>

namespace normbench {

void ShapeText::open() {
  ++depth_;
  if (depth_ == 1) text_ = "[";
  if (depth_ == 2) {
    if (text_.size() > 1) text_ += ", ";
    input_ = text_.size();
    nested_ = false;
    text_ += "[";
  }
  if (depth_ > 2) nested_ = true;
}

void ShapeText::close() {
  if (depth_ == 2) {
    if (nested_) text_.resize(input_ + 1);
    text_ += "]";
  }
  if (depth_ == 1) text_ += "]";
  --depth_;
}

void ShapeText::number(std::int64_t value) {
  if (depth_ != 2) return;
  if (text_.size() > input_ + 1) text_ += ", ";
  text_ += std::to_string(value);
}

std::string ShapeText::take() {
  std::string text = std::exchange(text_, {});
  return text == "[]" ? "" : text;
}

}  // namespace normbench
