/// What the axes of an experiment say, for the document.
#pragma once

#include "analysis/sweep.h"

namespace normbench {

/// {"experiment", "crossovers", "fits", "unscaled"}: one entry per variant and line of a numeric
/// axis; "at" holds the other axes. A fit that does not explain its points has no figures but how
/// far it is off. Empty lists for an experiment of one point.
Json experiment_json(const Experiment& experiment);

}  // namespace normbench
