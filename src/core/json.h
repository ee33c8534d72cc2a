/// Strict JSON with comments, in file order. It finds mistakes that a JSON library lets pass. Code
/// that builds, reads or holds a Json includes <nlohmann/json.hpp> itself.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/issue.h"

namespace normbench {

using Json = nlohmann::ordered_json;

/// Parses `text`; comments are allowed. Duplicate keys are appended to `issues`, the first value
/// kept. Throws Invalid ("line 3, column 7: …") for text that is not JSON or is deeper than 64.
Json parse_json(std::string_view text, std::vector<Issue>& issues);

/// True for text that is UTF-8, which JSON has to be.
bool is_utf8(const std::string& text);

/// JSON for people: indented by `indent` blanks a level, but an array of numbers on one line.
std::string pretty(const Json& json, int indent);

/// The size limit of files that people write (configs). A larger one was given by mistake.
inline constexpr std::int64_t most_bytes_by_hand = 16'000'000;

/// Reads a whole file of at most `most_bytes`. Throws Invalid saying why it cannot be read.
std::string read_text(const std::string& path, std::int64_t most_bytes = most_bytes_by_hand);

/// The value at a JSON pointer, null where there is none.
const Json& value_at(const Json& json, std::string_view pointer);

/// True if every member that both have is the same; null has none.
bool agree(const Json& a, const Json& b);

/// `text` as one token of a JSON pointer: "~" and "/" escaped.
std::string pointer_token(std::string_view text);

}  // namespace normbench
