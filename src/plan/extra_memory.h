/// What a case takes of memory beside its source and its place in the arenas.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace normbench {

/// Bytes of host and device memory; in double, for products may be larger than any machine.
struct Amounts {
  double host = 0, device = 0;

  double& of(Memory memory) { return host_reaches(memory) ? host : device; }
};

/// Images of a case that its check works on at a time: their values of the whole chain are at most
/// 8 million, or it is one image.
std::int64_t slab_images(const Case& work);

/// What a case has beside sources and arenas.
struct ExtraMemory {
  Amounts held;     // by every case until the group ends
  Amounts passing;  // while the case runs or is checked
};

/// `most_sets`: buffer sets on the side that has more of them.
ExtraMemory extra_memory(const Case& work, std::int64_t most_sets);

}  // namespace normbench
