/// The memory that CUPTI writes records into.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <mutex>
#include <span>
#include <vector>

namespace normbench::cupti {

/// Memory that CUPTI has filled and given back.
struct Filled {
  std::vector<std::uint64_t> memory;  // aligned to 8 bytes
  std::size_t valid_bytes = 0;        // bytes of records, from the start

  std::span<std::uint8_t> bytes() {
    return {reinterpret_cast<std::uint8_t*>(memory.data()), valid_bytes};
  }
};

using FilledQueue = std::pmr::vector<Filled>;

/// Lends zeroed buffers to CUPTI and queues the buffers that CUPTI gives back. Any thread may call
/// any function.
class Buffers {
 public:
  /// `queue` provides the memory for the list of the queued buffers. The memory of the buffers
  /// themselves does not come from it.
  explicit Buffers(std::pmr::memory_resource* queue = std::pmr::get_default_resource())
      : filled_(queue) {}

  /// The size of a buffer in bytes. CUPTI's guide recommends 1 to 10 MB.
  static constexpr std::size_t bytes = std::size_t{4} << 20;

  /// Allocates buffers until at least `count` are ready to be lent, and touches their pages.
  void prepare(std::size_t count);
  /// If `kept` is true, buffers that come back from now on are queued. Otherwise empties the queue,
  /// and buffers that come back from now on are cleared, to be lent again.
  void keep(bool kept);

  /// Returns a zeroed buffer, or null if memory runs out.
  std::uint8_t* lend() noexcept;
  /// Takes back a buffer with `valid_bytes` bytes of records. If memory for the queue runs out, the
  /// buffer is freed and counts as lost.
  void give_back(std::uint8_t* data, std::size_t valid_bytes) noexcept;

  /// Returns the queue, in the order in which buffers came back, and empties it.
  FilledQueue take();
  /// Returns the number of buffers lost since the last call.
  std::int64_t take_lost() { return lost_.exchange(0); }
  /// Clears at most 8 of `buffers`, to lend them again, and frees the others.
  void reuse(FilledQueue buffers);
  /// Frees all buffers that are not lent.
  void release();

 private:
  using Memory = std::vector<std::uint64_t>;

  std::uint8_t* lend_or_throw();
  void queue_or_throw(std::uint8_t* data, std::size_t valid_bytes);

  std::mutex mutex_;
  bool kept_ = false;
  std::vector<Memory> ready_;
  std::map<std::uint8_t*, Memory> lent_;
  FilledQueue filled_;
  std::atomic<std::int64_t> lost_ = 0;
};

/// Returns the buffers of this process. They are global, because CUPTI's callbacks have no argument
/// for them, and are never destroyed, because CUPTI's threads may use them until the process ends.
Buffers& process_buffers();

}  // namespace normbench::cupti
