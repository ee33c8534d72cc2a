/// Replaces witness.cpp on processors that are not x86-64.
#include "bench/witness.h"

namespace normbench {

std::vector<Witness> witnesses(const WitnessCase&) { return {}; }

}  // namespace normbench
