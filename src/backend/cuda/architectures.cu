#include "backend/cuda/architectures.h"

namespace normbench::cuda {

std::string built_architectures() {
  std::string text;
  for (const int architecture : {__CUDA_ARCH_LIST__})  // of nvcc: 900 for sm_90
    text += (text.empty() ? "sm_" : ", sm_") + std::to_string(architecture / 10);
  return text;
}

}  // namespace normbench::cuda
