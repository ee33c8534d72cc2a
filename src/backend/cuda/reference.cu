#include "backend/cuda/launch.cuh"
#include "backend/cuda/reference.cuh"

namespace normbench::cuda {

cudaError_t launch_reference_pointwise(cudaStream_t stream, const PointwiseArguments& arguments) {
  return launch(stream, PointwiseReference{arguments.out.desc.elements(), arguments});
}

cudaError_t launch_reference_resize(cudaStream_t stream, const View& in, const View& out) {
  return launch(stream, ResizeReference{out.desc.elements(), in, out});
}

cudaError_t launch_reference_stream(cudaStream_t stream, const View& in, std::int64_t read_bytes,
                                    const View& out) {
  return launch(stream, StreamReference{out.desc.bytes(), in.data, read_bytes, out.data});
}

}  // namespace normbench::cuda
