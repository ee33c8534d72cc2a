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

/// Memory that CUPTI gave back.
struct Filled {
  std::vector<std::uint64_t> memory;  // so that it is aligned to 8 bytes
  std::size_t valid_bytes = 0;        // from its start

  std::span<std::uint8_t> bytes() {
    return {reinterpret_cast<std::uint8_t*>(memory.data()), valid_bytes};
  }
};

using FilledQueue = std::pmr::vector<Filled>;

/// Lends zeroed memory to CUPTI and queues what comes back. Any thread may call anything.
class Buffers {
 public:
  /// `queue` gives the memory of the queue itself.
  explicit Buffers(std::pmr::memory_resource* queue = std::pmr::get_default_resource())
      : filled_(queue) {}

  /// The size of a buffer: CUPTI's guide asks for 1 to 10 MB.
  static constexpr std::size_t bytes = std::size_t{4} << 20;

  /// Makes so many buffers ready to be lent, their pages touched.
  void prepare(std::size_t count);
  /// Queues what comes back from now on, or (false) throws it away.
  void keep(bool kept);

  /// A zeroed buffer, or null without memory. CUPTI's C code calls this and give_back().
  std::uint8_t* lend() noexcept;
  /// Takes back a buffer with so many bytes of records. One that cannot be queued is lost.
  void give_back(std::uint8_t* data, std::size_t valid_bytes) noexcept;

  /// The queue, in the order of coming back.
  FilledQueue take();
  /// Buffers lost since the last call.
  std::int64_t take_lost() { return lost_.exchange(0); }
  /// Makes a few of them ready to be lent again, and frees the others.
  void reuse(FilledQueue buffers);
  /// Frees everything that is not lent.
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

/// The buffers of this process live to its end: CUPTI's callbacks take no context, and may come
/// from threads of its own.
Buffers& process_buffers();

}  // namespace normbench::cupti
