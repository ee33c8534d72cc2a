/// What the planner's own contenders are put together from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/stage_spec.h"

namespace normbench {

/// A stage of this op with its defaults.
StageSpec spec_of(Op op);

/// Bytes of no meaning, as many as `bytes`; of many, images of a million at most, since a copy is
/// checked a few images at a time.
Source plain_source(std::int64_t bytes, Memory memory);

/// A source of `bytes` in this memory that a case of the group reads too, else a plain one: other
/// pages of the machine may be a few percent faster or slower, and take more memory.
Source source_like(const Group& group, std::int64_t bytes, Memory memory);

/// A case of these stages on a source; nothing where no kernel does one of them.
std::optional<Case> plain_case(const std::vector<StageSpec>& stages, const Source& source,
                               int threads, const Backends& backends);

/// Adds a limit under `name`, or under `exact` where another limit has that name; not twice.
void add_limit(std::vector<Case>& limits, std::optional<Case> limit, std::string name,
               const std::string& exact);

}  // namespace normbench
