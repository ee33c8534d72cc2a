#include "backend/cuda/eager.cuh"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

cudaError_t launch_cast(cudaStream_t stream, const CastArguments& arguments) {
  return with_cast_body(arguments, [&](const auto& body) { return launch(stream, body); });
}

cudaError_t launch_sub(cudaStream_t stream, const BroadcastArguments& arguments) {
  return with_broadcast_body<Subtract>(arguments,
                                       [&](const auto& body) { return launch(stream, body); });
}

cudaError_t launch_div(cudaStream_t stream, const BroadcastArguments& arguments) {
  return with_broadcast_body<Divide>(arguments,
                                     [&](const auto& body) { return launch(stream, body); });
}

}  // namespace normbench::cuda
