/// Texts about a GPU's link: its generation and width, and the rates of copies over it.
#pragma once

#include "analysis/link_speed.h"
#include "analysis/sweep/sweep.h"

namespace normbench {

/// Returns a text like "PCIe 5.0 x16" from the members "generation" and "width" of `pcie`. Returns
/// "" if they could not be read.
std::string link_text(const Json& pcie);
/// Returns a text like "PCIe 4.0 x8 (could be PCIe 5.0 x16)" from the members of `pcie`. If
/// "max_generation" and "max_width" are unknown or equal to "generation" and "width", the part in
/// parentheses is left out.
std::string negotiated_text(const Json& pcie);

/// Returns a text like "copies of pinned memory reach 55.0 GB/s to the GPU and 54.1 GB/s from it,
/// 87 % and 86 % of what PCIe 5.0 x16 carries (63.0 GB/s)".
std::string link_speed_text(const LinkSpeed& speed);
/// The two functions below return a warning with link_speed_text() if copies reach too small a
/// share of what the link carries (LinkSpeed::is_low()). Otherwise they return "".
std::string link_warning(const LinkSpeed& speed);
std::string link_warning(const Experiment& experiment, const Results& results);

/// Returns the rates of the link and of copies over it, in bytes per second, for the document that
/// `normbench info` writes.
Json to_json(const LinkSpeed& speed);

}  // namespace normbench
