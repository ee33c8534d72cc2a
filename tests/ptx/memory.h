/// The memory that an interpreted kernel sees. Every access is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "cuda/fake_memory.h"
#include "ptx/kernel.h"

namespace normbench::ptx {

/// A thread at one moment. A phase lasts from a barrier of a block to its next; no two blocks share
/// one.
struct Moment {
  u64 launch, block, phase;  // the first phase of the launch and of the block; this one
  unsigned thread;           // of the block
  unsigned warp_syncs;       // of its warp so far
};

/// Who read and who wrote each byte of a piece of memory last.
class Marks {
 public:
  explicit Marks(std::size_t bytes) : writers_(bytes), readers_(bytes) {}

  /// Notes an access; throws Fault if another thread's comes neither before nor after it.
  void note(std::size_t at, std::size_t bytes, bool writes, const Moment& now);
  bool written_in_block(std::size_t at, std::size_t bytes, const Moment& now) const;

 private:
  std::vector<u64> writers_, readers_;
};

/// The shared memory of one block.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes) : bytes_(bytes), marks_(bytes) {}
  /// Throws Fault unless the bytes may be read or written now.
  std::byte* access(u64 at, std::size_t bytes, bool writes, const Moment& now);

 private:
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
