#include "machine/hardware_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/system_error.h"
#include "machine/environment.h"

namespace normbench {
namespace {

constexpr std::array kEvents{HardwareEvent::Cycles, HardwareEvent::Instructions,
                             HardwareEvent::CacheMisses};

std::string_view name_of(HardwareEvent event) {
  constexpr std::array<std::string_view, 3> names{"cycles", "instructions", "LLC misses"};
  return names[static_cast<std::size_t>(event)];
}

std::uint64_t config_of(HardwareEvent event) {
  constexpr std::array<std::uint64_t, 3> configs{
      PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES};
  return configs[static_cast<std::size_t>(event)];
}

/// Returns the attributes of a counter. The counter does not count in kernel mode: with the default
/// perf_event_paranoid, 2, ordinary users may not count there. If `leads` is true, the counter
/// leads a group of counters, and is off until the group is enabled.
perf_event_attr attributes(HardwareEvent event, bool leads) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = config_of(event);
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = leads;
  attributes.inherit = true;
  attributes.exclude_kernel = true;
  attributes.exclude_hv = true;
  return attributes;
}

std::string errno_name(int error) {
  const char* const name = strerrorname_np(error);
  return name != nullptr ? name : fmt::format("errno {}", error);
}

}  // namespace

std::string perf_event_failure(int error, std::optional<int> paranoid, bool virtualised) {
  const std::string name = errno_name(error);
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return fmt::format("no hardware counters {} ({})",
                         virtualised ? "in this virtual machine" : "of this processor here", name);
    case EACCES:
    case EPERM:
      if (paranoid.value_or(0) > 2)
        return fmt::format(
            "perf_event_paranoid is {} (2 or less lets a user count: sysctl "
            "kernel.perf_event_paranoid=2)",
            *paranoid);
      [[fallthrough]];
    case ENOSYS:
      return fmt::format("not permitted in this container ({}: seccomp or a security module)",
                         name);
    case EMFILE:
      return "no counter for each thread: " + system_error_text(error);
    default:
      return fmt::format("perf_event_open fails ({}: {})", name, system_error_text(error));
  }
}

std::vector<int> KernelPerfEvents::threads() {
  std::vector<int> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc{})
      threads.push_back(thread);
  }
  return threads.empty() ? std::vector{static_cast<int>(gettid())} : threads;
}

int KernelPerfEvents::open(HardwareEvent event, int thread, int group) {
  perf_event_attr wanted = attributes(event, group < 0);
  Descriptor counter(static_cast<int>(
      syscall(SYS_perf_event_open, &wanted, thread, -1, group, PERF_FLAG_FD_CLOEXEC)));
  if (!counter.is_open()) return -errno;
  const int number = counter.number();
  open_.emplace(number, std::move(counter));
  return number;
}

void KernelPerfEvents::enable(int leader, bool on) {
  ioctl(leader, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

std::optional<CounterReading> KernelPerfEvents::read(int counter) {
  std::array<std::uint64_t, 3> values{};
  if (::read(counter, values.data(), sizeof(values)) != sizeof(values)) return std::nullopt;
  return CounterReading{.value = values[0], .enabled_ns = values[1], .running_ns = values[2]};
}

void KernelPerfEvents::close(int counter) { open_.erase(counter); }

std::string KernelPerfEvents::why(int error) {
  std::ifstream in("/proc/sys/kernel/perf_event_paranoid");
  int paranoid = 0;
  const bool known = static_cast<bool>(in >> paranoid);
  return perf_event_failure(error, known ? std::optional(paranoid) : std::nullopt,
                            cpu_facts("/")["virtualised"] == true);
}

std::optional<std::int64_t> scaled(const CounterReading& reading) {
  if (reading.enabled_ns == 0) return 0;
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
  if (lacks(HardwareEvent::Cycles)) close_all();  // sums that lack some threads would mislead
}

HardwareCounters::~HardwareCounters() { close_all(); }

/// Opens the counters of a thread. Does nothing if the thread has ended.
void HardwareCounters::watch(int thread) {
  int leader = -1;
  for (const HardwareEvent event : kEvents) {
    if (lacks(event)) continue;
    const int counter = events_.open(event, thread, leader);
    if (counter == -ESRCH) return;
    if (counter < 0) {
      lacking_.emplace_back(event, events_.why(-counter));
      if (leader < 0) return;
      continue;
    }
    if (leader < 0) leaders_.push_back(leader = counter);
    open_.push_back({event, counter});
  }
}

void HardwareCounters::close_all() {
  for (const Counter& counter : open_) events_.close(counter.number);
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
  for (const Counter& counter : open_) {
    if (counter.event != event) continue;
    const auto reading = events_.read(counter.number);
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
