/// A variant as text that is complete: axes replaced, defaults merged, its source in front.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "plan/composed.h"
#include "plan/sweep.h"

namespace normbench {

/// One stage: the op's name and every member that was written for it anywhere.
struct StageText {
  std::string op;  // "" after a mistake
  Composed members;
};

struct VariantText {
  std::vector<StageText> stages;  // the first is the source or a load
  Composed options;               // threads, wait, graph, in_flight, peer
  bool whole = false;             // no mistake was found so far
};

/// Where a variant stands: what its text is put together from.
struct VariantPlace {
  const Json& defaults;  // `defaults` of the config
  const Json& experiment;
  std::string pointer;  // of the experiment
};

/// Adds the members of `defaults` that the stage lacks: its op's own, and for sub and div those of
/// normalize that they share.
void add_defaults(const Json& defaults, StageText& stage, Substitution& axes);

/// The variant `name` at the point that `axes` stands for.
VariantText complete_variant(const VariantPlace& place, const std::string& name, Substitution& axes,
                             std::vector<Issue>& issues);

}  // namespace normbench
