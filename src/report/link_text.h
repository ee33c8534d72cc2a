/// Texts about a GPU's link: what was negotiated, and how much of it copies reach.
#pragma once

#include "analysis/link_speed.h"
#include "analysis/sweep/sweep.h"

namespace normbench {

/// Returns a text like "PCIe 5.0 x16" for {"generation", "width"}; "" if these could not be read.
std::string link_text(const Json& pcie);
/// Returns a text like "PCIe 4.0 x8 (could be PCIe 5.0 x16)". The part in parentheses is added if
/// {"max_generation", "max_width"} are higher.
std::string negotiated_text(const Json& pcie);

/// Returns a text like "copies of pinned memory reach 55.0 GB/s to the GPU and 54.1 GB/s from it,
/// 87 % and 86 % of what PCIe 5.0 x16 carries (63.0 GB/s)".
std::string link_speed_text(const LinkSpeed& speed);
/// Both return link_speed_text() as a warning if copies reach too little of the link; else "".
std::string link_warning(const LinkSpeed& speed);
std::string link_warning(const Experiment& experiment, const Results& results);

/// Returns the speed for the document of `info`.
Json to_json(const LinkSpeed& speed);

}  // namespace normbench
