/// Skips cases that do not fit in memory. Without this, Linux would grant more memory than exists,
/// and kill the process when it uses this memory.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/case.h"
#include "plan/options.h"

namespace normbench {

/// Returns true if the cases of the group that are not skipped fit in memory together. Also returns
/// true if the free memory is unknown.
bool fits(const Group& group, Cache cache, const PlanOptions& options);

/// Returns the number of images of a smaller batch for a group that does not fit in memory: the
/// fewest images for which the input of each case is larger than three times the cache of the host,
/// and of the device. Returns 0 (no smaller batch) if:
/// - the group fits;
/// - that batch would not be smaller;
/// - the group loads files or has hot buffers;
/// - a case has several inputs, or the cases have different batches.
std::int64_t batch_to_fit(const Group& group, Cache cache, const PlanOptions& options);

/// First skips each case of `list` (the cases or the limits of `group`) that needs more than
/// `options.free_bytes` even if it runs alone. Then, as long as the group does not fit, skips the
/// case of `list` that needs the most memory.
void skip_too_large(const Group& group, std::vector<Case>& list, Cache cache,
                    const PlanOptions& options);

}  // namespace normbench
