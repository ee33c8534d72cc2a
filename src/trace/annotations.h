/// Steps and stages of the host, projected on the streams that did their work.
#pragma once

#include <vector>

#include "trace/host_index.h"
#include "trace/model.h"

namespace normbench {

/// Adds to a stream one annotation (GpuUserAnnotation) for each range of the host that submitted
/// work to it: from the start of the first to the end of the last, and a few nanoseconds around
/// that, as far as neighbouring work leaves room, so that it strictly encloses them. Its depth is
/// the range's.
void annotate(TraceLane& stream, const HostIndex& index);

}  // namespace normbench
