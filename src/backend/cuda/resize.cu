#include "backend/cuda/launch.cuh"
#include "backend/cuda/resize.cuh"

namespace normbench::cuda {

cudaError_t launch_resize(cudaStream_t stream, const ResizeArguments& arguments) {
  return with_resize_body(arguments, [&](const auto& body) { return launch(stream, body); });
}

}  // namespace normbench::cuda
