/// The memory that CUPTI writes records into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

/// Lends zeroed memory to CUPTI and queues what comes back. Any thread may call anything.
class Buffers {
 public:
  /// Of one buffer: CUPTI's guide asks for 1 to 10 MB.
  static constexpr std::size_t bytes = std::size_t{4} << 20;

  /// Has so many ready to be lent, their pages touched.
  void prepare(std::size_t count);
  /// What comes back from now on is queued; false: is thrown away.
  void keep(bool kept);

  /// A zeroed buffer.
  std::uint8_t* lend();
  /// Takes back a buffer with so many bytes of records.
  void give_back(std::uint8_t* data, std::size_t valid_bytes);

  /// The queue, in the order of coming back.
  std::vector<Filled> take();
  /// Makes a few of them ready to be lent again, and frees the others.
  void reuse(std::vector<Filled> buffers);
  /// Frees everything that is not lent.
  void release();

 private:
  using Memory = std::vector<std::uint64_t>;

  std::mutex mutex_;
  bool kept_ = false;
  std::vector<Memory> ready_;
  std::map<std::uint8_t*, Memory> lent_;
  std::vector<Filled> filled_;
};

/// Those of this process, which live to its end: CUPTI's callbacks take no context, and may come
/// from threads of its own.
Buffers& process_buffers();

/// What CUPTI calls for them.
void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
void complete_buffer(std::uint8_t* buffer, std::size_t valid_bytes);

}  // namespace normbench::cupti
