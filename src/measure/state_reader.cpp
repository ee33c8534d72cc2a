#include "measure/state_reader.h"

#include <algorithm>

namespace normbench {
namespace {

constexpr std::int64_t pause_per_reading = 100;

}  // namespace

DeviceState StateReader::read() {
  if (device_ == nullptr) return {};
  const std::int64_t start_ns = clock_.now_ns();
  if (start_ns < next_ns_) return {};
  const auto state = device_->state();
  if (!state) {
    device_ = nullptr;
    return {};
  }
  const std::int64_t took_ns = clock_.now_ns() - start_ns;
  slowest_ns_ = std::max(slowest_ns_, took_ns);
  if (took_ns > quick_reading_ns) next_ns_ = start_ns + took_ns + pause_per_reading * took_ns;
  return *state;
}

}  // namespace normbench
