/// Stands in place of witness.cpp where the processor is not an x86-64 one.
#include "bench/witness.h"

namespace normbench {

std::vector<Witness> witnesses(const WitnessCase&) { return {}; }

}  // namespace normbench
