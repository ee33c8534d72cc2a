/// Names the kind of a file that no decoder reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace normbench {

/// Returns why a file is not decoded, judged by its content. Examples: "a GIF picture, which is not
/// read here (JPEG, PNG and WebP are)", "an HTML page, not a picture". For unknown content, the
/// text names the first bytes. All files of a known kind get the same text.
std::string why_not_read(std::span<const std::uint8_t> bytes);

/// Returns the text for a kind of picture ("a GIF picture") that is not decoded.
std::string not_read_here(std::string_view picture);

}  // namespace normbench
