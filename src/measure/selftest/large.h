/// Tensors of more than 2^31 elements, where 32-bit indices wrap.
#pragma once

#include <span>
#include <string>

#include "measure/selftest/row.h"

namespace normbench::selftest {

/// Runs normalize, cast and copy on one large uint8 tensor; of the outputs, images here and there
/// are held to the reference. Takes at most 40 % of `free_bytes` (0: unknown), and on a CPU with
/// less than 64 GiB free only what is `wanted`. Gives why it does not run, or "".
std::string test_large(Lab& lab, std::span<Candidate> rows, std::int64_t free_bytes, bool wanted);

}  // namespace normbench::selftest
