/// Strict JSON with comments. Members keep the order of the file. Duplicate keys and deep nesting,
/// which JSON libraries accept, are mistakes. Code that uses the content of a Json includes
/// <nlohmann/json.hpp> itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/issue.h"

namespace normbench {

using Json = nlohmann::ordered_json;

/// Parses `text`, which may have comments. A duplicate key adds an issue, and its first value is
/// kept. Throws Invalid ("line 3, column 7: …") for text that is not JSON or is nested deeper than
/// 64 levels.
Json parse_json(std::string_view text, std::vector<Issue>& issues);

/// Returns true for valid UTF-8, which JSON requires.
bool is_utf8(const std::string& text);

/// Returns readable JSON: indented by `indent` blanks per level, with an array of numbers on one
/// line.
std::string pretty(const Json& json, int indent);

/// A long list that is a member of an object. `element(i)` makes element i, for i below `count`.
/// pretty() makes one element at a time, so that the whole list is never in memory. No element may
/// be a number: pretty() writes each element on lines of its own, but a list of numbers belongs on
/// one line.
struct LateList {
  std::string key;  // name of the member whose value is the list
  std::size_t count = 0;
  std::function<Json(std::size_t)> element;
};

/// Returns pretty() of the object, with `list` instead of the value of its member `list.key`.
std::string pretty(const Json& object, int indent, const LateList& list);

/// The size limit, in bytes, of files that people write, such as configs.
inline constexpr std::int64_t most_bytes_by_hand = 16'000'000;

/// Returns the content of a file of at most `most_bytes`. If `path` is "-", reads stdin. Throws
/// Invalid with the reason if the file cannot be read, is larger or is empty.
std::string read_text(const std::string& path, std::int64_t most_bytes = most_bytes_by_hand);

/// Returns the value at a JSON pointer; null if there is none.
const Json& value_at(const Json& json, std::string_view pointer);

/// Returns true if the two objects have equal values for every key that is in both. Null counts as
/// an object without keys.
bool agree(const Json& a, const Json& b);

/// Returns `text` as one token of a JSON pointer, with "~" and "/" escaped.
std::string pointer_token(std::string_view text);

}  // namespace normbench
