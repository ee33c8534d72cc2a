#include "machine/hardware_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace normbench {

namespace {

constexpr std::array kEvents{HardwareEvent::Cycles, HardwareEvent::Instructions,
                             HardwareEvent::CacheMisses};

std::string_view name_of(HardwareEvent event) {
  constexpr std::array<std::string_view, 3> names{"cycles", "instructions", "LLC misses"};
  return names[static_cast<std::size_t>(event)];
}

}  // namespace

std::optional<std::int64_t> scaled(const CounterReading& reading) {
  if (reading.enabled_ns == 0) return 0;  // the thread slept all the time
  if (reading.running_ns == 0) return std::nullopt;
  const double share =
      static_cast<double>(reading.enabled_ns) / static_cast<double>(reading.running_ns);
  if (share <= 1) return static_cast<std::int64_t>(reading.value);
  return static_cast<std::int64_t>(static_cast<double>(reading.value) * share + 0.5);
}

HardwareCounters::HardwareCounters(PerfEvents& events) : events_(events) {
  for (const int thread : events.threads()) {
    watch(thread);
    if (lacks(HardwareEvent::Cycles)) break;
  }
  if (lacks(HardwareEvent::Cycles)) close_all();  // sums over some threads would say too little
}

HardwareCounters::~HardwareCounters() { close_all(); }

/// A thread that ended since it was listed has nothing to count.
void HardwareCounters::watch(int thread) {
  int leader = -1;
  for (const HardwareEvent event : kEvents) {
    if (lacks(event)) continue;
    const int descriptor = events_.open(event, thread, leader);
    if (descriptor == -ESRCH) return;
    if (descriptor < 0) {
      lacking_.emplace_back(event, events_.why(-descriptor));
      if (leader < 0) return;
      continue;
    }
    if (leader < 0) leaders_.push_back(leader = descriptor);
    open_.push_back({event, descriptor});
  }
}

void HardwareCounters::close_all() {
  for (const Descriptor& descriptor : open_) events_.close(descriptor.number);
  open_.clear();
  leaders_.clear();
}

void HardwareCounters::enable(bool on) {
  for (const int leader : leaders_) events_.enable(leader, on);
}

bool HardwareCounters::lacks(HardwareEvent event) const {
  return std::ranges::any_of(lacking_, [&](const auto& one) { return one.first == event; });
}

std::optional<std::int64_t> HardwareCounters::sum(HardwareEvent event) const {
  if (lacks(event) || open_.empty()) return std::nullopt;
  std::int64_t total = 0;
  for (const Descriptor& descriptor : open_) {
    if (descriptor.event != event) continue;
    const auto reading = events_.read(descriptor.number);
    const auto count = reading ? scaled(*reading) : std::nullopt;
    if (!count) return std::nullopt;
    total += *count;
  }
  return total;
}

HardwareCounts HardwareCounters::counts() const {
  HardwareCounts counts{.cycles = sum(HardwareEvent::Cycles),
                        .instructions = sum(HardwareEvent::Instructions),
                        .cache_misses = sum(HardwareEvent::CacheMisses),
                        .missing = {}};
  if (lacks(HardwareEvent::Cycles)) {
    counts.missing = lacking_.front().second;
  } else if (!lacking_.empty()) {
    for (const auto& [event, why] : lacking_)
      counts.missing +=
          fmt::format("{}no {}: {}", counts.missing.empty() ? "" : "; ", name_of(event), why);
  } else if (!counts.cycles || !counts.instructions || !counts.cache_misses) {
    counts.missing = "the counters were never free: perf or another profiler uses them";
  }
  return counts;
}

}  // namespace normbench
