/// Which GPUs this build has kernels for.
#pragma once

#include <string>

namespace normbench::cuda {

/// "sm_80, sm_90".
std::string built_architectures();

}  // namespace normbench::cuda
