/// The launch functions of group norm, and the plan that distributes its work over blocks.
#include "backend/cuda/group_norm.cuh"
#include "backend/cuda/launch.cuh"

namespace normbench::cuda {
namespace {

/// Calls `launch_step` with each GroupStep to launch: Whole if one block works on a group; Sum and
/// then Finish if several blocks share a group. Returns the first error.
template <class Launch>
cudaError_t launch_steps(const GroupArguments& a, Launch launch_step) {
  if (a.plan.parts == 1) return launch_step(GroupStep::Whole);
  const cudaError_t error = launch_step(GroupStep::Sum);
  return error == cudaSuccess ? launch_step(GroupStep::Finish) : error;
}

}  // namespace

cudaError_t launch_group_forward(cudaStream_t stream, const GroupArguments& arguments) {
  const auto launch_step = [&](GroupStep step) {
    return with_forward_body(arguments, step, launching(stream));
  };
  if (arguments.mean != nullptr) return launch_step(GroupStep::Finish);
  return launch_steps(arguments, launch_step);
}

cudaError_t launch_group_backward(cudaStream_t stream, const GroupArguments& arguments) {
  const auto launch_step = [&](GroupStep step) {
    return with_backward_body(arguments, step, launching(stream));
  };
  if (arguments.out == nullptr) return launch_step(GroupStep::Sum);
  return launch_steps(arguments, launch_step);
}

cudaError_t launch_channel_sums(cudaStream_t stream, const GroupArguments& arguments) {
  return launch(stream, channel_sums_body(arguments));
}

GroupPlan plan_groups(const GroupArguments& a) {
  constexpr std::int64_t enough_blocks = 256;  // blocks that keep a large GPU busy
  constexpr std::int64_t part = 8192;          // fewest vectors of one of several parts of a group
  constexpr std::int64_t share = 8;            // vectors that a lane should work on
  constexpr std::int64_t most_parts = warp_lanes;
  constexpr std::uint64_t most_warps = 32;
  GroupPlan plan;
  const std::int64_t groups = a.images * a.groups;
  const GroupLines lines = lines_of(a, static_cast<unsigned>(16 / size_of(a.dtype)));
  const std::int64_t vectors = std::int64_t{lines.lines} * lines.length;
  plan.parts = static_cast<unsigned>(std::clamp<std::int64_t>(
      std::min((enough_blocks + groups - 1) / groups, vectors / part), 1, most_parts));
  const std::int64_t all_warps = (vectors + share * warp_lanes - 1) / (share * warp_lanes);
  const auto wanted = static_cast<std::uint64_t>((all_warps + plan.parts - 1) / plan.parts);
  plan.warps =
      static_cast<unsigned>(std::clamp<std::uint64_t>(std::bit_ceil(wanted), 2, most_warps));
  // Each warp works on one piece of `lines.abreast` lines at a time. busy(pieces) is the mean share
  // of the warps that have a piece to work on if each line is cut into `pieces` pieces. Lines are
  // cut into more pieces if that raises this share by more than 5 %. The loop ends before a lane
  // would have fewer than two vectors of a piece.
  const unsigned across = (lines.lines + lines.abreast - 1) / lines.abreast;
  const unsigned warps = plan.parts * plan.warps, step = warp_lanes / lines.abreast;
  const auto busy = [&](unsigned pieces) {
    const unsigned all = across * pieces;
    return static_cast<double>(all) / ((all + warps - 1) / warps * warps);
  };
  for (unsigned pieces = 2; pieces <= warps && pieces * 2 * step <= lines.length; ++pieces)
    if (busy(pieces) > 1.05 * busy(plan.pieces)) plan.pieces = pieces;
  return plan;
}

std::size_t bytes_of_parts(const GroupArguments& a) {
  return a.plan.parts > 1 ? blocks_of(a) * sizeof(CentredSums) : 0;
}

std::size_t bytes_of_sums(const GroupArguments& a) {
  return static_cast<std::size_t>(a.images * a.channels) * a.plan.pieces * sizeof(GroupSums);
}

}  // namespace normbench::cuda
