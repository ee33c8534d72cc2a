/// What the profiler tables' columns and lines mean, for --help.
#pragma once

#include <string>

namespace normbench {

/// "cpu_time, cpu_time_total, …" of --sort-by.
std::string sort_help();

/// A paragraph per column of either table, and per line below them; at most 100 columns wide.
std::string columns_help();

}  // namespace normbench
