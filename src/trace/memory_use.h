/// What was allocated while calls ran.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/saturated.h"
#include "trace/model.h"

namespace normbench {

/// Bytes of the host and of devices.
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

/// A call has what was allocated, less what was freed, on whatever thread, from its start to its
/// end, both included: PyTorch counts it so.
class MemoryUse {
 public:
  explicit MemoryUse(std::vector<TraceMemory> records);

  /// Notes that what was allocated meanwhile has a call.
  Bytes during(const TraceSlice& slice);
  /// What no call was for.
  std::vector<TraceMemory> uncovered() const;

 private:
  std::vector<TraceMemory> records_;  // by time
  std::vector<Bytes> sums_;           // of the records before each, and of all
  std::vector<std::int64_t> opened_;  // how many more calls a record has than the one before it
};

}  // namespace normbench
