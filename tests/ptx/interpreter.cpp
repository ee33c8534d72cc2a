#include "ptx/interpreter.h"

#include <fmt/format.h>

namespace normbench::ptx {
namespace {

/// Runs the warps of a block from barrier to barrier.
void run_block(Block& block, std::vector<Warp>& warps) {
  for (std::size_t i = 0; i < warps.size(); ++i)
    warps[i].start(static_cast<unsigned>(i) * warp_lanes);
  for (bool waits = true; waits; ++block.phase) {
    waits = false;
    for (Warp& warp : warps) {
      warp.run();
      waits = waits || warp.waits();
    }
  }
}

}  // namespace

void Interpreter::run(const Kernel& kernel, const Launch& launch) {
  if (launch.params.size() != kernel.param_bytes)
    throw Fault(fmt::format("{} gets {} bytes of parameters and has {}", kernel.name,
                            launch.params.size(), kernel.param_bytes));
  memory_.start_launch();
  const std::size_t threads = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
  Block block{.kernel = kernel,
              .launch = launch,
              .global = memory_,
              .shared = SharedMemory(kernel.shared_bytes + launch.shared_bytes),
              .first_of_launch = phases_ + 1};
  std::vector<Warp> warps(kernel.has_barrier ? (threads + warp_lanes - 1) / warp_lanes : 1,
                          Warp(block));
  auto& [x, y, z] = block.index;
  for (z = 0; z < launch.grid.z; ++z)
    for (y = 0; y < launch.grid.y; ++y)
      for (x = 0; x < launch.grid.x; ++x) {
        block.first_of_block = block.phase = ++phases_;
        if (kernel.has_barrier)
          run_block(block, warps);
        else
          for (unsigned first = 0; first < threads; first += warp_lanes) {
            warps[0].start(first);
            warps[0].run();
          }
        phases_ = block.phase;
      }
}

}  // namespace normbench::ptx
