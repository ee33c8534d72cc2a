/// Completes the JSON of a variant in a config: replaces axes like "$batch" by their values, adds
/// members from `defaults`, and puts the experiment's sources or `load` stage first if the variant
/// has none of its own.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "plan/composed.h"
#include "plan/sweep.h"

namespace normbench {

/// A stage of a completed variant: the name of its op, and all members of its JSON object,
/// including members from the experiment and from `defaults`.
struct StageText {
  std::string op;  // "" if the stage names no known op
  Composed members;
  std::vector<std::string> ranges = {};  // names of the ranges around the stage, outermost first
};

/// A named range around stages of a variant, like {"range": "preprocess", "stages": [...]}.
/// `pointer` is the JSON pointer to its member "range".
struct RangeText {
  std::string name, pointer;
};

struct VariantText {
  std::vector<StageText> stages;          // the sources or the `load` stage, then all other stages,
                                          // also those in ranges
  std::vector<StageText> setup = {};      // stages that run once, untimed, with the sources as
                                          // inputs
  std::vector<std::string> outputs = {};  // the output values by name; empty: the last stage's
                                          // output
  std::vector<RangeText> ranges;          // an outer range comes before its inner ranges
  Composed options;                       // the variant's other members, like threads, wait and
                                          // peer
  bool whole = false;                     // true if the variant has no mistake
};

/// Reads the head of a range, {"range": NAME, "stages": ...}, and returns its name. Does not read
/// the stages.
std::string read_range(Reader& reader);

/// Returns true if a stage with the op `op` takes `member` from the defaults of the op `from`. For
/// example, `sub` takes `mean` from the defaults of `normalize`.
bool takes_default_of(std::string_view op, std::string_view from, std::string_view member);

/// The parts of a config that complete_variant() takes members from.
struct VariantPlace {
  const Json& defaults;  // `defaults` of the config
  const Json& experiment;
  std::string pointer;     // JSON pointer to the experiment
  std::int64_t batch = 0;  // replaces the batch size of the first source; 0: no change
};

/// Returns the completed variant `name`. `said` is the variant as written in the config. `axes`
/// replaces the axes in it by their values.
/// - If the first stage is no source and no load, or is only the string "source" or "load", the
///   variant starts with the experiment's sources or `load` stage.
/// - A stage that is an object with "op": "source" or "load" belongs to the variant itself. It
///   takes the members that it lacks from the experiment's source or load.
/// - A stage inside ranges gets the names of these ranges.
/// Mistakes are added to `issues`.
VariantText complete_variant(const VariantPlace& place, const std::string& name, const Json& said,
                             Substitution& axes, std::vector<Issue>& issues);

}  // namespace normbench
