/// The memory that an interpreted kernel accesses. All accesses are checked.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cuda/fake_memory.h"
#include "ptx/kernel.h"

namespace normbench::ptx {

dim3 position_of(u64 i, const dim3& extent);

/// The phases of a launch. A phase is the time between two barriers of a block. Every phase of
/// every block has a different number.
struct Phases {
  dim3 grid, block;
  std::vector<u64> first_of_blocks = {};  // first phase of each block that started

  /// Returns the name of a thread and of the block to which the phase belongs, like "block (0, 0,
  /// 0), thread (1, 0, 0)".
  std::string name(u64 phase, unsigned thread) const;
};

/// A thread at a moment of its execution.
struct Moment {
  const Phases& phases;
  u64 since;  // earlier phases cannot race with this access
  u64 phase;
  unsigned thread;      // number in the block
  unsigned warp_syncs;  // synchronisations of the thread's warp in this phase

  u64 block() const { return phases.first_of_blocks.back(); }
};

/// The last readers and the last writer of each byte of an allocation.
class Marks {
 public:
  explicit Marks(std::size_t bytes) : writers_(bytes), readers_(bytes) {}
  std::size_t bytes() const { return writers_.size(); }

  /// Records an access to the bytes [at, at + bytes). Throws Fault if the access races with an
  /// earlier access of another thread.
  void note(std::size_t at, std::size_t bytes, bool writes, const Moment& now);
  bool written_in_block(std::size_t at, std::size_t bytes, const Moment& now) const;

 private:
  void check(u64 mark, const char* what, const Moment& now) const;

  std::vector<u64> writers_, readers_;
};

/// The shared memory of one block.
class SharedMemory {
 public:
  SharedMemory(std::vector<SharedArray> arrays, std::size_t grows_by);
  /// Returns the `bytes` bytes at `address`. Throws Fault if this access is not allowed.
  std::byte* access(u64 address, std::size_t bytes, bool writes, const Moment& now);

 private:
  std::vector<SharedArray> arrays_;  // sorted by `begin`
  std::vector<std::byte> bytes_;
  Marks marks_;
};

/// The global memory: the allocations of the fake CUDA runtime.
class GlobalMemory {
 public:
  explicit GlobalMemory(FakeMemory& memory) : memory_(memory) {}
  void start_launch();
  /// Returns the `bytes` bytes at `address`. Throws Fault if this access is not allowed.
  std::byte* access(u64 address, std::size_t bytes, bool writes, const Moment& now);

 private:
  struct Region {
    const FakeBlock* block;
    Marks marks;
  };
  Region& region_of(const std::byte* data, std::size_t bytes);

  FakeMemory& memory_;
  std::map<const std::byte*, Region> regions_;
  Region* last_ = nullptr;
};

}  // namespace normbench::ptx
