/// Text in an XML document.
#pragma once

#include <string>
#include <string_view>

namespace normbench {

/// `text` as the value of an attribute in double quotes, or between tags: markup escaped, tabs and
/// line ends as references, what XML 1.0 cannot hold (control characters, broken UTF-8) as U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace normbench
