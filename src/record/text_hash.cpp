#include "record/text_hash.h"

#include <random>

namespace normbench {

std::uint64_t hash_seed() {
  static const std::uint64_t seed = std::random_device()();
  return seed;
}

}  // namespace normbench
