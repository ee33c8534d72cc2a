/// Checks the group norm of the CUDA backend on groups of all sizes and layouts.
#pragma once

#include "backend/group_norm_testing.h"
#include "cuda/cuda_fixture.h"

namespace normbench {

struct ShapeInGroups {
  Shape shape;
  std::int64_t groups;
};

/// Shapes that are tested in both layouts. The kernels cut each group into lines. In nchw, a line
/// is the plane of one channel. In nhwc, a line has the vectors of the same channels in all pixels.
/// These shapes lead to whole vectors and to single elements, to lines in one piece and in several
/// pieces, to warps with much, little and no work, and to groups of more channels than a warp has
/// lanes.
inline constexpr ShapeInGroups group_norm_shapes[] = {
    {{2, 96, 7, 7}, 3},   {{2, 96, 8, 8}, 32}, {{1, 6, 50, 52}, 2},
    {{1, 16, 56, 56}, 1}, {{2, 6, 40, 40}, 6}, {{1, 264, 6, 6}, 1},
    {{3, 64, 1, 1}, 4},   {{1, 130, 3, 9}, 1}, {{1, 8, 132, 130}, 1}};

/// Runs the kernel row `fused` of `group_norm` on the fake CUDA runtime. Uses tensors at multiples
/// of 16 bytes and tensors at other addresses. Returns one text for each pass (forward, backward,
/// and backward that adds to older gradients): the mistake that was found, or "".
inline std::vector<std::string> group_norm_failures(const GroupNormCase& one) {
  const Backends backends = make_backends();
  Backend& backend = *backends.at(Place::Cuda);
  selftest::Lab lab(backends, backend);
  return failures_of(lab, row_of(backend, GroupNorm::name, "fused"),
                     GroupNormPasses(one, Memory::Device),
                     selftest::settings(true, true, lab.equipment));
}

}  // namespace normbench
