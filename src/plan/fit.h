/// Which cases are left out where there is not enough memory: overcommit kills without an error.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/case.h"
#include "plan/options.h"

namespace normbench {

/// True if all that can run of the group fits in memory, or free memory is unknown.
bool fits(const Group& group, Cache cache, const PlanOptions& options);

/// A smaller batch for a group that does not fit: the fewest images that exceed the caches of both
/// memories threefold. 0 where that would be no fewer, and for a group that loads files, lies in
/// the cache or has several batches.
std::int64_t batch_to_fit(const Group& group, Cache cache, const PlanOptions& options);

/// Skips the cases of `list` (the group's cases or its limits) that alone need more than
/// `options.free_bytes`. Then, while the whole group does, skips the one that needs most.
void skip_too_large(const Group& group, std::vector<Case>& list, Cache cache,
                    const PlanOptions& options);

}  // namespace normbench
