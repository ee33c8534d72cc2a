/// Skips cases that do not fit in memory. Linux grants more memory than there is, and would kill
/// the process later.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/case.h"
#include "plan/options.h"

namespace normbench {

/// Returns true if the runnable cases of the group fit in memory together, or if free memory is
/// unknown.
bool fits(const Group& group, Cache cache, const PlanOptions& options);

/// Returns the batch for a group that does not fit: the fewest images that exceed the caches of
/// host and device threefold. Returns 0 (no smaller batch) if:
/// - the group fits;
/// - that batch is not smaller;
/// - the group loads files or has hot buffers;
/// - a case has several inputs, or the cases have different batches.
std::int64_t batch_to_fit(const Group& group, Cache cache, const PlanOptions& options);

/// Skips each case of `list` (the cases or the limits of `group`) that needs more than
/// `options.free_bytes` even alone. Then, as long as the group does not fit, skips the case of
/// `list` that needs the most memory.
void skip_too_large(const Group& group, std::vector<Case>& list, Cache cache,
                    const PlanOptions& options);

}  // namespace normbench
