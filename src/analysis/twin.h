/// Cases of the group that differ from another in one thing.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "analysis/factors.h"
#include "analysis/subject.h"

namespace normbench {

/// A measured case that differs in what was asked for.
struct Twin {
  const CaseResult* result = nullptr;
  double time_ns = 0;
  bool faster = false;  // than the subject, beyond doubt and margin
  double share = 0;     // of the subject's time that it saves
};

/// The fastest measured case for which `wanted` holds of the factors from the subject to it (left:
/// the subject's); nothing when there is none.
std::optional<Twin> twin(const Subject& subject,
                         const std::function<bool(std::span<const Factor>)>& wanted);

}  // namespace normbench
