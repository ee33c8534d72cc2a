/// What is said of a GPU's link: what it was negotiated for, and what copies reach of that.
#pragma once

#include "analysis/link_speed.h"
#include "analysis/sweep/sweep.h"

namespace normbench {

/// "PCIe 5.0 x16" of {"generation", "width"}; "" for what could not be read.
std::string link_text(const Json& pcie);
/// "PCIe 4.0 x8 (could be PCIe 5.0 x16)", with {"max_generation", "max_width"} where these are
/// more.
std::string negotiated_text(const Json& pcie);

/// "copies of pinned memory reach 55.0 GB/s to the GPU and 54.1 GB/s from it, 87 % and 86 % of what
/// PCIe 5.0 x16 carries (63.0 GB/s)".
std::string link_speed_text(const LinkSpeed& speed);
/// As a warning where they reach too little of it; "" elsewhere.
std::string link_warning(const LinkSpeed& speed);
std::string link_warning(const Experiment& experiment, const Results& results);

/// As `info` keeps it.
Json to_json(const LinkSpeed& speed);

}  // namespace normbench
