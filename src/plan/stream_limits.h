/// The limits of memory: streams of the mixes that a group's cases and stages ask for.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace normbench {

/// Adds the streams of one place, each mix of bytes read and written once: those of whole cases
/// that stay there from a source on, which read and write as many bytes as the case must at least;
/// then those of their stages and of all others there that read and write memory. Cold buffers get
/// one stream per row; a stage whose input is still in a cache gets one on buffers that stay there,
/// with the row of normal stores.
void add_streams(std::vector<Case>& limits, const Group& group, Place place,
                 const Backends& backends);

}  // namespace normbench
