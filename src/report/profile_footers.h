/// The lines below a profile's tables: what it adds up to, in words.
#pragma once

#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// "GPU busy 97 %" of the steps' time, however many streams were; "" without device work.
std::string busy_text(const CaseProfile& profile);

/// "kernel times: CUPTI", "device times: CUDA events, to within 1.2 us"; "" without any.
std::string device_times_text(const CaseProfile& profile);

/// "2 of 40 launches have no work in the profile; …"; "" when nothing was lost.
std::string losses_text(const ProfileLosses& losses);

/// The lines below a table of either kind: wall, GPU busy, overlap, exposed transfers, gaps,
/// discarded steps, overhead, where device times come from, what was lost. None for what there is
/// not.
std::vector<std::string> profile_footers(const CaseProfile& profile);

}  // namespace normbench
