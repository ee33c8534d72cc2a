/// How a report looks, and what it does where scripts run.
#pragma once

#include <string_view>

namespace normbench::html {

std::string_view style_sheet();
std::string_view script();

}  // namespace normbench::html
