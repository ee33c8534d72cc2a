/// The memory that an interpreted kernel sees. Every access is checked.
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

/// The blocks of a launch, each with its first phase. A phase lasts from a barrier of a block to
/// its next; no two blocks share one.
struct Phases {
  dim3 grid, block;
  std::vector<u64> first_of_blocks = {};  // of those that have started

  /// "block (0, 0, 0), thread (1, 0, 0)".
  std::string name(u64 phase, unsigned thread) const;
};

/// A thread at one moment.
struct Moment {
  const Phases& phases;
  u64 since;  // the first phase of all that may race with it: of the launch or of the block
  u64 phase;
  unsigned thread;      // of the block
  unsigned warp_syncs;  // of its warp in this phase so far

  u64 block() const { return phases.first_of_blocks.back(); }
};

/// Who read and who wrote each byte of a piece of memory last.
class Marks {
 public:
  explicit Marks(std::size_t bytes) : writers_(bytes), readers_(bytes) {}
  std::size_t bytes() const { return writers_.size(); }

  /// Notes an access; throws Fault if another thread's comes neither before nor after it.
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
  /// Throws Fault unless the bytes may be read or written now.
  std::byte* access(u64 address, std::size_t bytes, bool writes, const Moment& now);

 private:
  std::vector<SharedArray> arrays_;  // in order
  std::vector<std::byte> bytes_;
  Marks marks_;
};

/// The allocations of the tests' CUDA runtime.
class GlobalMemory {
 public:
  explicit GlobalMemory(FakeMemory& memory) : memory_(memory) {}
  void start_launch();
  /// Throws Fault unless the bytes may be read or written now.
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
