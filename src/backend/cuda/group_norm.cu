/// The kernels of group norm.
#include "backend/cuda/group_norm.cuh"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {

cudaError_t launch_group_forward(cudaStream_t stream, const GroupArguments& arguments) {
  return with_forward_body(arguments, launching(stream));
}

cudaError_t launch_group_backward(cudaStream_t stream, const GroupArguments& arguments) {
  return with_backward_body(arguments, launching(stream));
}

cudaError_t launch_channel_sums(cudaStream_t stream, const GroupArguments& arguments) {
  return launch(stream, channel_sums_body(arguments));
}

std::size_t group_sums_bytes(const GroupArguments& a) {
  return static_cast<std::size_t>(a.images * a.channels) * plan_of(a).pieces * sizeof(GroupSums);
}

}  // namespace normbench::cuda
