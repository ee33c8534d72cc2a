/// The complete text of a variant: axes replaced, defaults merged, its source in front.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "plan/composed.h"
#include "plan/sweep.h"

namespace normbench {

/// One stage: the op's name and every member that the config has for it anywhere.
struct StageText {
  std::string op;  // "" after a mistake
  Composed members;
  std::vector<std::string> ranges = {};  // names of those around it, outermost first
};

/// {"range": "preprocess", "stages": […]}
struct RangeText {
  std::string name, pointer;
};

struct VariantText {
  std::vector<StageText> stages;          // of ranges, too; first the sources, or a load
  std::vector<StageText> setup = {};      // run once, untimed, on the sources
  std::vector<std::string> outputs = {};  // names of values; none: what the last stage gives
  std::vector<RangeText> ranges;          // outer ones before those inside
  Composed options;                       // threads, wait, graph, in_flight, peer
  bool whole = false;                     // no mistake so far
};

/// Reads {"range": NAME, "stages": …}; the name. The stages are read elsewhere.
std::string read_range(Reader& reader);

/// What a variant's text is put together from.
struct VariantPlace {
  const Json& defaults;  // `defaults` of the config
  const Json& experiment;
  std::string pointer;     // of the experiment
  std::int64_t batch = 0;  // images of a source in place of what is written; 0: what is written
};

/// The variant `name` with these axes. A bare "source" or "load" that it starts with is the
/// experiment's, where that has one; {"op": "source"} is its own. Ranges become names of their
/// stages: nothing else depends on them. Mistakes go to `issues`.
VariantText complete_variant(const VariantPlace& place, const std::string& name, Substitution& axes,
                             std::vector<Issue>& issues);

}  // namespace normbench
