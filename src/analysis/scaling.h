/// Results that do not follow their work.
#pragma once

#include <string>
#include <vector>

#include "analysis/axis.h"

namespace normbench {

/// A variant whose time stays the same while the bytes it moves grow.
struct Unscaled {
  std::string variant;
  Json small, large;    // the ends of what was measured
  double work = 1;      // bytes moved at `large` over those at `small`
  double fixed_ns = 0;  // the median of the times
};

/// Variants that move at least twice the bytes at the end of the line, and whose time certainly
/// grows by less than a tenth of what the bytes grow by and less than a quarter.
std::vector<Unscaled> unscaled(const Experiment& experiment, const AxisLine& line);

/// "Does not scale: fused takes no longer at batch 64 than at 1, for 64.0x the bytes; …".
std::string unscaled_text(const AxisLine& line, const Unscaled& result);

/// One sentence for every variant that was measured on nothing: no images, or no bytes to read.
std::vector<std::string> empty_inputs(const Experiment& experiment);

}  // namespace normbench
