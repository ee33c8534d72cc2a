/// The complete text of a variant: axes replaced, defaults merged, its sources in front.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "plan/composed.h"
#include "plan/sweep.h"

namespace normbench {

/// One stage: the op's name, and every member that the config has for it anywhere.
struct StageText {
  std::string op;  // "" after a mistake
  Composed members;
  std::vector<std::string> ranges = {};  // the ranges around it, outermost first
};

/// A range as written: {"range": "preprocess", "stages": […]}
struct RangeText {
  std::string name, pointer;
};

struct VariantText {
  std::vector<StageText> stages;          // with those in ranges; first the sources, or a load
  std::vector<StageText> setup = {};      // run once, untimed, on the sources
  std::vector<std::string> outputs = {};  // names of values; none: the last stage's output
  std::vector<RangeText> ranges;          // outer ones before those inside
  Composed options;                       // threads, wait, graph, in_flight, peer
  bool whole = false;                     // there was no mistake so far
};

/// Reads {"range": NAME, "stages": …} and returns the name. The stages are read elsewhere.
std::string read_range(Reader& reader);

/// The places from which a variant's text is composed.
struct VariantPlace {
  const Json& defaults;  // `defaults` of the config
  const Json& experiment;
  std::string pointer;     // the experiment's
  std::int64_t batch = 0;  // images of a source instead of the written number; 0: as written
};

/// The variant `name` with these axes. A bare "source" or "load" at its start stands for the
/// experiment's, if that has one; {"op": "source"} is its own. Ranges become names of their stages,
/// and change nothing else. Mistakes go to `issues`.
VariantText complete_variant(const VariantPlace& place, const std::string& name, Substitution& axes,
                             std::vector<Issue>& issues);

}  // namespace normbench
