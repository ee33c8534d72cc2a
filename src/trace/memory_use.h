/// Memory allocated while calls ran.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/saturated.h"
#include "trace/model.h"

namespace normbench {

/// Bytes of the host and bytes of devices.
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

/// The memory use of calls: bytes allocated minus bytes freed, on all threads, from a call's start
/// to its end. Both ends are included. PyTorch counts in the same way.
class MemoryUse {
 public:
  explicit MemoryUse(std::vector<TraceMemory> records);

  /// Returns the memory use of a call. From then on, uncovered() leaves out the records that lie
  /// within the call.
  Bytes during(const TraceSlice& slice);
  /// Returns the records that lie in no call given to during().
  std::vector<TraceMemory> uncovered() const;

 private:
  std::vector<TraceMemory> records_;  // sorted by time
  std::vector<Bytes> sums_;           // [i]: the sum of the first i records
  // [i]: the number of calls whose first record is i, minus those whose last record is i - 1.
  std::vector<std::int64_t> opened_;
};

}  // namespace normbench
