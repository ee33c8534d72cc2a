/// Checks the group norm of the CUDA backend on groups of all sizes and layouts.
#pragma once

#include "backend/group_norm_testing.h"
#include "cuda/cuda_fixture.h"

namespace normbench {

struct ShapeInGroups {
  Shape shape;
  std::int64_t groups;
};

/// Shapes for both layouts. A line is the plane of a channel, or the same channels of all pixels.
/// In the kernels, these shapes lead to whole vectors and to single elements, to lines in one piece
/// and in several pieces, to warps with much, little and no work, and to more channels than a warp
/// has lanes.
inline constexpr ShapeInGroups group_norm_shapes[] = {
    {{2, 96, 7, 7}, 3},   {{2, 96, 8, 8}, 32}, {{1, 6, 50, 52}, 2},
    {{1, 16, 56, 56}, 1}, {{2, 6, 40, 40}, 6}, {{1, 264, 6, 6}, 1},
    {{3, 64, 1, 1}, 4},   {{1, 130, 3, 9}, 1}, {{1, 8, 132, 130}, 1}};

/// Runs the kernel row `fused` of group norm on the fake CUDA runtime, with tensors at multiples of
/// 16 bytes and at other addresses. Returns one text for each pass: what is wrong, or "" if nothing
/// is.
inline std::vector<std::string> group_norm_failures(const GroupNormCase& one) {
  const Backends backends = make_backends();
  Backend& backend = *backends.at(Place::Cuda);
  selftest::Lab lab(backends, backend);
  return failures_of(lab, row_of(backend, GroupNorm::name, "fused"),
                     GroupNormPasses(one, Memory::Device),
                     selftest::settings(true, true, lab.equipment));
}

}  // namespace normbench
