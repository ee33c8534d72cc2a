#pragma once

#include <string_view>

namespace normbench {

/// A copy, dtype and layout kept.
struct Copy {
  static constexpr std::string_view name = "copy";
  static constexpr std::string_view about = "copy the bytes: the limit of a 1:1 mix";
};

}  // namespace normbench
