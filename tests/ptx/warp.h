/// 32 threads that run in step where their paths are the same.
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

/// One launch: what all of its threads share.
struct Launch {
  dim3 grid = {}, block = {};
  std::size_t shared_bytes = 0;  // dynamic ones
  std::span<const std::byte> params = {};
};

/// One block: what its threads share.
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

  /// Puts its threads at the first instruction.
  void start(unsigned first_thread);
  /// Runs them until each has ended or waits at a barrier.
  void run();
  /// The barrier that all of them wait at, or null where all have ended. Throws Fault where they do
  /// neither.
  const Op* barrier() const;

  // What instructions use.
  const u64* column(int at) const;
  u64* column_to(int at) { return registers_.data() + std::ptrdiff_t{at} * warp_lanes; }
  u64 in(const Op& op, int i, int lane) const {
    return column(op.from[static_cast<std::size_t>(i)])[lane];
  }
  u64& out(const Op& op, int i, int lane) {
    return column_to(op.to[static_cast<std::size_t>(i)])[lane];
  }
  Lanes predicate(int at) const;
  /// Changes a predicate for these lanes; none for -1.
  void set_predicate(int at, Lanes value, Lanes lanes);
  /// Bytes that a lane reads or writes. Throws Fault where it must not.
  std::byte* access(const Op& op, int lane, u64 address, std::size_t bytes);
  /// Notes that lanes synchronise: `members` has to hold none but them.
  void synchronise(const Op& op, Lanes lanes, Lanes members);
  [[noreturn]] void fail(const Op& op, int lane, std::string_view what) const;

 private:
  /// Lanes that go on at one instruction.
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
  std::vector<Part> parts_;    // the one that is furthest back in the program is last
  std::vector<Part> waiting_;  // at an instruction that lanes meet at, in the same order
  std::vector<u64> registers_;
  std::vector<Lanes> predicates_;
};

/// Calls `use(lane)` for each.
template <class Use>
void for_each_lane(Lanes lanes, Use use) {
  for (; lanes != 0; lanes &= lanes - 1) use(std::countr_zero(lanes));
}

}  // namespace normbench::ptx
