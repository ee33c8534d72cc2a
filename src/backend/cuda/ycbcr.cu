#include <algorithm>

#include "backend/cuda/launch.cuh"
#include "backend/cuda/ycbcr.cuh"

namespace normbench::cuda {

cudaError_t launch_normalize_ycbcr(cudaStream_t stream, const YcbcrArguments& arguments) {
  const YcbcrTask& task = arguments.task;
  NormalizedRgb function{.scale = 1.0f / static_cast<float>(1 << parts_shift(task)),
                         .sent_a = arguments.sent_a,
                         .sent_b = arguments.sent_b,
                         .a = {},
                         .b = {}};
  std::ranges::copy(arguments.a, function.a);
  std::ranges::copy(arguments.b, function.b);
  return with_float_type(task.out.desc.dtype, [&]<class Out>(std::type_identity<Out>) {
    return with_ycbcr_body<Out>(task, function, launching(stream));
  });
}

cudaError_t launch_to_rgb(cudaStream_t stream, const YcbcrTask& task) {
  const JpegRgb function{.shift = parts_shift(task), .by_rows = !task.triangle_across};
  return with_ycbcr_body<std::uint8_t>(task, function, launching(stream));
}

}  // namespace normbench::cuda
