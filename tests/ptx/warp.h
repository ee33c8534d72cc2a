/// The state of a warp: up to 32 threads that execute together until a branch separates them.
#pragma once

#include <cuda_runtime_api.h>

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "ptx/kernel.h"
#include "ptx/memory.h"
#include "ptx/values.h"

namespace normbench::ptx {

/// The sizes and the parameters of a launch.
struct Launch {
  dim3 grid = {}, block = {};
  std::size_t shared_bytes = 0;  // bytes of dynamic shared memory
  std::span<const std::byte> params = {};
};

/// The state that the warps of a running block share.
struct Block {
  const Kernel& kernel;
  const Launch& launch;
  GlobalMemory& global;
  SharedMemory shared;
  Phases phases;
  u64 phase = 0;

  unsigned threads() const { return launch.block.x * launch.block.y * launch.block.z; }
};

class Warp {
 public:
  explicit Warp(Block& block);

  /// Lets all threads of the warp continue at the first instruction. Lane 0 is thread
  /// `first_thread` of the block.
  void start(unsigned first_thread);
  /// Runs until each thread has ended or waits at a barrier.
  void run();
  /// Returns the barrier at which all threads of the warp wait, or null if all threads have ended.
  /// Throws Fault if only some threads wait, or if they wait at different barriers.
  const Op* barrier() const;

  // The functions of instructions call the members from here to fail().
  const u64* column(int at) const;
  u64* column_to(int at) { return registers_.data() + std::ptrdiff_t{at} * warp_lanes; }
  u64 in(const Op& op, int i, int lane) const {
    return column(op.from[static_cast<std::size_t>(i)])[lane];
  }
  u64& out(const Op& op, int i, int lane) {
    return column_to(op.to[static_cast<std::size_t>(i)])[lane];
  }
  Lanes predicate(int at) const;
  /// Sets the predicate `at` of the lanes `lanes` to their bits of `value`. Does nothing if `at` is
  /// -1.
  void set_predicate(int at, Lanes value, Lanes lanes);
  /// Returns the bytes that a lane reads or writes. Throws Fault if this access is not allowed.
  std::byte* access(const Op& op, int lane, u64 address, std::size_t bytes);
  /// Counts a synchronisation of `lanes`. `members` is the lane mask of the instruction. Throws
  /// Fault if `members` lacks a lane that has not ended, or if `lanes` are not all lanes that have
  /// not ended.
  void synchronise(const Op& op, Lanes lanes, Lanes members);
  [[noreturn]] void fail(const Op& op, int lane, std::string_view what) const;

 private:
  /// Lanes that continue at the same instruction.
  struct Part {
    std::size_t at;
    Lanes lanes;
  };
  static void add(std::vector<Part>& parts, Part part);
  void run_part(Part part);
  bool run_meeting();
  void set_special(const SpecialRegister& special, unsigned lane);

  Block& block_;
  unsigned first_thread_ = 0, syncs_ = 0;
  Lanes all_ = 0, live_ = 0;
  std::vector<Part> parts_;    // sorted: the part with the smallest `at` is last
  std::vector<Part> waiting_;  // parts that wait at an instruction that meets, sorted like parts_
  std::vector<u64> registers_;
  std::vector<Lanes> predicates_;
};

/// Calls `use(lane)` for each lane in `lanes`, in ascending order.
template <class Use>
void for_each_lane(Lanes lanes, Use use) {
  for (; lanes != 0; lanes &= lanes - 1) use(std::countr_zero(lanes));
}

}  // namespace normbench::ptx
