#include "backend/cuda/launch.cuh"
#include "backend/cuda/stream.cuh"

namespace normbench::cuda {

cudaError_t launch_stream(cudaStream_t stream, const StreamArguments& arguments) {
  return launch(stream, StreamBody::of(arguments));
}

}  // namespace normbench::cuda
