/// The style sheet and the script of a report.
#pragma once

#include <string_view>

namespace normbench::html {

std::string_view style_sheet();
std::string_view script();

}  // namespace normbench::html
