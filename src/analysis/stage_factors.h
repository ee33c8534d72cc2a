/// What differs between the stages of two cases.
#pragma once

#include <optional>
#include <vector>

#include "analysis/factors.h"

namespace normbench {

/// The same stage of two cases, and what goes into it there.
struct Both {
  const StageResult* a;
  const StageResult* b;
  TensorDesc in_a, in_b;
};

/// The stages that both have when one case does all that the other does, in the same order, and
/// perhaps more between; nothing when their ops differ otherwise.
std::optional<std::vector<Both>> side_by_side(const CaseResult& a, const CaseResult& b);

/// Adds what differs between stages of the same op.
void add_stage_factors(const std::vector<Both>& stages, std::vector<Factor>& list);

/// Adds what differs between two chains of different ops as wholes: how outputs are allocated, when
/// constants are prepared, in which form the result is.
void add_chain_factors(const CaseResult& a, const CaseResult& b, std::vector<Factor>& list);

}  // namespace normbench
