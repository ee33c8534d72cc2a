/// Sets and maps of strings that are looked up by any text, without a copy of it.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace normbench {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

}  // namespace normbench
