/// The memory of a CUDA runtime for tests. Host code that touches memory of the device crashes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

enum class FakeKind { Pageable, Pinned, WriteCombined, Mapped, Registered, Managed, Device, Pool };

std::string_view name_of(FakeKind kind);

/// True for memory that only the device can touch.
constexpr bool is_device(FakeKind kind) {
  return kind == FakeKind::Device || kind == FakeKind::Pool;
}

/// Live memory that the runtime knows.
struct FakeBlock {
  FakeKind kind;
  std::byte* data;
  std::size_t bytes;
  bool usable = true;            // false: the stream has not come to its allocation yet
  bool freeing = false;          // a stream will release it
  bool closed = false;           // memory of the host that only the device can touch
  std::byte* mapping = nullptr;  // null: memory of the host, registered
  std::size_t mapping_bytes = 0;
  std::byte* written = nullptr;  // a 1 for each byte that a copy, a fill or a kernel has written
};

/// The memory. Every allocation is a mapping of its own that ends in a guard, starts out poisoned,
/// and is never used again once released, so that an overrun or a use after free is seen. Only what
/// pools keep is used again.
class FakeMemory {
 public:
  static constexpr std::byte poison{0xCD};

  bool guards = true;  // false: nothing is looked after, which takes time

  /// Write-combined memory that is allocated from now on can be touched by the device only. No read
  /// of the host's can be missed then, and the host's own writes are not needed: copies write too.
  bool closes_write_combined = false;

  explicit FakeMemory(std::vector<std::string>& violations) : violations_(violations) {}
  ~FakeMemory();
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;

  std::byte* allocate(FakeKind kind, std::size_t bytes, bool usable = true);
  /// Notes memory of the host as page-locked; false if a page that it lies on is already.
  bool add_registered(std::byte* data, std::size_t bytes);
  /// Forgets the block that starts at `data`; false if there is none.
  bool release(const void* data);
  /// A stream comes to the allocation of a block or to its free: it can be touched, poisoned again,
  /// or no longer.
  void open(const void* data);
  void close(const void* data);
  void set_freeing(const void* data, bool freeing) {
    blocks_.at(static_cast<const std::byte*>(data)).freeing = freeing;
  }

  /// Notes that bytes of a block have been written, other than by host code where that can.
  void set_written(const void* data, std::size_t bytes);
  /// Copies bytes; what was not written at their source is not at their destination.
  void copy(std::byte* to, const std::byte* from, std::size_t bytes);

  const std::map<const std::byte*, FakeBlock>& blocks() const { return blocks_; }
  /// The block that holds these bytes, or null: pageable memory of the host.
  const FakeBlock* find(const void* data, std::size_t bytes = 1) const;
  FakeKind kind_of(const void* data) const;
  /// Kind and size of each block that nothing will release: "pinned 4096".
  std::vector<std::string> live() const;

  /// While one exists, device memory can be touched.
  class Access {
   public:
    explicit Access(FakeMemory& memory);
    ~Access();
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

   private:
    FakeMemory& memory_;
  };

 private:
  void protect(const FakeBlock& block) const;
  void check_guard(const FakeBlock& block);

  std::vector<std::string>& violations_;
  std::map<const std::byte*, FakeBlock> blocks_;
  std::vector<FakeBlock> released_;
  int accesses_ = 0;
};

}  // namespace normbench
