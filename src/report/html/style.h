/// The style of a report, and its script.
#pragma once

#include <string_view>

namespace normbench::html {

std::string_view style_sheet();
std::string_view script();

}  // namespace normbench::html
