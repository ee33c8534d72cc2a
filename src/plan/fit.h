/// Skips cases if there is not enough memory. Without that the system may kill the process, since
/// Linux grants more memory than it has.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/case.h"
#include "plan/options.h"

namespace normbench {

/// Returns true if the runnable cases of the group fit in memory together, or if free memory is
/// unknown.
bool fits(const Group& group, Cache cache, const PlanOptions& options);

/// Returns a smaller batch for a group that does not fit: the fewest images that exceed the caches
/// of both memories threefold. Returns 0 if the group fits or that batch is no smaller. Also
/// returns 0 for a group that loads files, has hot buffers, or has cases with several inputs or
/// different batches.
std::int64_t batch_to_fit(const Group& group, Cache cache, const PlanOptions& options);

/// Skips each case of `list` (the group's cases or its limits) that alone needs more than
/// `options.free_bytes`. Then, while the whole group does not fit, skips the case of `list` that
/// needs the most memory.
void skip_too_large(const Group& group, std::vector<Case>& list, Cache cache,
                    const PlanOptions& options);

}  // namespace normbench
