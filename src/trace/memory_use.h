/// Computes how much memory was allocated during each call (such as an op).
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/saturated.h"
#include "trace/model.h"

namespace normbench {

/// Bytes of host memory and bytes of device memory.
struct Bytes {
  std::int64_t host = 0, device = 0;

  bool operator==(const Bytes&) const = default;
  Bytes& operator+=(const Bytes& other) {
    host = saturated_sum(host, other.host);
    device = saturated_sum(device, other.device);
    return *this;
  }
  Bytes operator-(const Bytes& other) const {
    return {.host = saturated_sum(host, -other.host),
            .device = saturated_sum(device, -other.device)};
  }
};

/// The memory use of calls. The use of a call is the bytes allocated minus the bytes freed, by all
/// threads, from the start to the end of the call, including both times. PyTorch counts in the same
/// way.
class MemoryUse {
 public:
  explicit MemoryUse(std::vector<TraceMemory> records);

  /// Returns the memory use of a call. From then on, uncovered() does not return the records within
  /// this call.
  Bytes during(const TraceSlice& slice);
  /// Returns the records that lie outside of all calls that were given to during().
  std::vector<TraceMemory> uncovered() const;

 private:
  std::vector<TraceMemory> records_;  // sorted by time
  std::vector<Bytes> sums_;           // [i]: the sum of the first i records
  // [i]: the number of calls whose first record is i, minus the number of calls whose last record
  // is i - 1. So the sum of the elements up to i is the number of calls that contain record i.
  std::vector<std::int64_t> opened_;
};

}  // namespace normbench
