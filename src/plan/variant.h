/// Makes the complete text of a variant: with axes replaced, defaults added, and sources first.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "plan/composed.h"
#include "plan/sweep.h"

namespace normbench {

/// A stage: the name of its op, and its members, including those from `defaults`.
struct StageText {
  std::string op;  // "" after a mistake
  Composed members;
  std::vector<std::string> ranges = {};  // names of the ranges around the stage, outermost first
};

/// A range as it is written: {"range": "preprocess", "stages": […]}.
struct RangeText {
  std::string name, pointer;
};

struct VariantText {
  std::vector<StageText> stages;          // the sources or a load, then all stages, also in ranges
  std::vector<StageText> setup = {};      // run once, untimed, with the sources as inputs
  std::vector<std::string> outputs = {};  // names of values; empty: the last stage's output
  std::vector<RangeText> ranges;          // an outer range comes before its inner ranges
  Composed options;                       // threads, wait, graph, in_flight, peer
  bool whole = false;                     // true if there was no mistake
};

/// Returns the name of {"range": NAME, "stages": …}. Does not read the stages.
std::string read_range(Reader& reader);

/// Returns true if stages of `op` take this member from the defaults of the op `from`: `sub` takes
/// `mean` from those of `normalize`, for example.
bool takes_default_of(std::string_view op, std::string_view from, std::string_view member);

/// Where a variant's text comes from.
struct VariantPlace {
  const Json& defaults;  // `defaults` of the config
  const Json& experiment;
  std::string pointer;     // of the experiment
  std::int64_t batch = 0;  // images of each source; 0: as in the config
};

/// Returns the complete text of the variant `name`, which is written as `said`, with these axes. A
/// variant that starts with the string "source" or "load" takes the experiment's source or load, if
/// there is one. An object with "op": "source" is a source of the variant itself, and takes from
/// the experiment's source what it does not say. Ranges only add their names to their stages.
/// Mistakes go to `issues`.
VariantText complete_variant(const VariantPlace& place, const std::string& name, const Json& said,
                             Substitution& axes, std::vector<Issue>& issues);

}  // namespace normbench
