#include "ptx/interpreter.h"

#include <fmt/format.h>

namespace normbench::ptx {
namespace {

/// Runs all warps of a block until each has ended or waits at a barrier. Repeats this until all
/// warps have ended. Throws Fault if a thread does not reach a barrier at which other threads wait.
void run_block(Block& block, std::vector<Warp>& warps) {
  for (std::size_t i = 0; i < warps.size(); ++i)
    warps[i].start(static_cast<unsigned>(i) * warp_lanes);
  for (bool waits = true; waits; ++block.phase) {
    const Warp* waiting = nullptr;
    for (Warp& warp : warps) {
      warp.run();
      if (!waiting && warp.barrier()) waiting = &warp;
    }
    waits = waiting != nullptr;
    for (const Warp& warp : warps)
      if (waits && warp.barrier() != waiting->barrier())
        warp.fail(*waiting->barrier(), 0, "the thread does not come to it, others wait");
  }
}

}  // namespace

void Interpreter::run(const Kernel& kernel, const Launch& launch) {
  if (launch.params.size() != kernel.param_bytes)
    throw Fault(fmt::format("{} gets {} bytes of parameters and has {}", kernel.name,
                            launch.params.size(), kernel.param_bytes));
  memory_.start_launch();
  Block block{.kernel = kernel,
              .launch = launch,
              .global = memory_,
              .shared = SharedMemory(kernel.shared, launch.shared_bytes),
              .phases = {.grid = launch.grid, .block = launch.block}};
  const unsigned threads = block.threads();
  std::vector<Warp> warps(kernel.has_barrier ? (threads + warp_lanes - 1) / warp_lanes : 1,
                          Warp(block));
  for (u64 left = u64{launch.grid.x} * launch.grid.y * launch.grid.z; left > 0; --left) {
    block.phases.first_of_blocks.push_back(block.phase = ++phases_);
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
