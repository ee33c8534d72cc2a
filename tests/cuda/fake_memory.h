/// The memory of the fake CUDA runtime. Device memory is host memory that the fake protects, so
/// that host code that touches it crashes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

enum class FakeKind { Pageable, Pinned, WriteCombined, Mapped, Registered, Managed, Device, Pool };

std::string_view name_of(FakeKind kind);

/// Returns true for memory that only the device can touch.
constexpr bool is_device(FakeKind kind) {
  return kind == FakeKind::Device || kind == FakeKind::Pool;
}

/// A live block of memory that the runtime knows.
struct FakeBlock {
  FakeKind kind;
  std::byte* data;
  std::size_t bytes;
  bool usable = true;            // false: pool memory before its allocation or after its free
  bool freeing = false;          // a submitted task will release it
  bool closed = false;           // protected, because of closes_write_combined
  std::byte* mapping = nullptr;  // null: host memory that the runtime has only registered
  std::size_t mapping_bytes = 0;
  std::byte* written = nullptr;  // 1 for each byte written by a copy, a fill or a kernel
};

/// All memory of the runtime. Each allocation is its own mapping and starts out filled with poison.
/// It has a guard at its end, so that overruns are noticed. Addresses are not reused after a
/// release, so that a use after a free is noticed. Only pools reuse memory.
class FakeMemory {
 public:
  static constexpr std::byte poison{0xCD};

  bool guards = true;  // false: no protection, guard or poison, to save time

  /// If true, host code crashes when it touches write-combined memory that is allocated from now
  /// on. Real hardware allows this, but reads of such memory are slow, so tests must notice them.
  /// Copies by the runtime still work.
  bool closes_write_combined = false;

  explicit FakeMemory(std::vector<std::string>& violations) : violations_(violations) {}
  ~FakeMemory();
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;

  std::byte* allocate(FakeKind kind, std::size_t bytes, bool usable = true);
  /// Records host memory as page-locked. Returns false if one of its pages is page-locked already.
  bool add_registered(std::byte* data, std::size_t bytes);
  /// Forgets the block that starts at `data`. Returns false if there is none.
  bool release(const void* data);
  /// open() is called when a stream reaches the allocation of a block. It makes the block usable
  /// and poisons it. close() is called when a stream reaches the free, and makes the block
  /// unusable.
  void open(const void* data);
  void close(const void* data);
  void set_freeing(const void* data, bool freeing) {
    blocks_.at(static_cast<const std::byte*>(data)).freeing = freeing;
  }

  /// Marks bytes of a block as written. Bytes without the mark are undefined.
  void set_written(const void* data, std::size_t bytes);
  /// Copies bytes. Marks a destination byte as written if its source byte is marked as written or
  /// is not device memory.
  void copy(std::byte* to, const std::byte* from, std::size_t bytes);

  const std::map<const std::byte*, FakeBlock>& blocks() const { return blocks_; }
  /// Returns the block that holds these bytes, or null for pageable memory of the host.
  const FakeBlock* find(const void* data, std::size_t bytes = 1) const;
  FakeKind kind_of(const void* data) const;
  /// Returns the kind and size of each live block, like "pinned 4096". Leaves out blocks that a
  /// submitted task will release.
  std::vector<std::string> live() const;

  /// A scope in which device memory can be touched.
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
