/// Text as strict JSON.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/json.h"

namespace normbench {

/// A string in quotes: quotes, backslashes and control characters escaped, UTF-8 as it is, what is
/// no UTF-8 replaced by U+FFFD.
std::string json_string(std::string_view text);
/// Any value on one line, its strings as above.
std::string json_line(const Json& value);

/// Names are few and come back often, so each is made into JSON once; memory has a limit where they
/// are many.
class JsonNames {
 public:
  /// What `name` looks at lives as long as this and stays as it is. What is returned does until
  /// the next call.
  std::string_view json_string(std::string_view name);

 private:
  struct SameText {  // by where it lies, not by what it says
    std::size_t operator()(std::string_view text) const {
      return std::hash<const char*>()(text.data()) ^ text.size();
    }
    bool operator()(std::string_view a, std::string_view b) const {
      return a.data() == b.data() && a.size() == b.size();
    }
  };
  static constexpr std::size_t most_bytes = 16 << 20;

  std::unordered_map<std::string_view, std::string, SameText, SameText> names_;
  std::size_t bytes_ = 0;
  std::string last_;
};

}  // namespace normbench
