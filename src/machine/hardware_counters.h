/// Hardware counters for the user-space code of this process, by perf_event_open.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/descriptor.h"

namespace normbench {

enum class HardwareEvent { Cycles, Instructions, CacheMisses };

/// One reading of a counter of one thread. Counters that share hardware take turns, so each runs
/// only part of the time.
struct CounterReading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0, running_ns = 0;  // times for which it was enabled, and ran
};

/// Returns the value times enabled_ns / running_ns. If the counter was never enabled, because its
/// thread slept, returns 0. If it was enabled but never ran, returns std::nullopt.
std::optional<std::int64_t> scaled(const CounterReading& reading);

/// The interface to the kernel's counters. Tests replace it.
class PerfEvents {
 public:
  virtual ~PerfEvents() = default;
  /// Returns the ids of all threads of this process.
  virtual std::vector<int> threads() = 0;
  /// Opens a counter for a thread and the threads that it will start. It counts in user space only.
  /// If `group` is -1, the counter leads a new group and is off; otherwise it joins the group of
  /// leader `group`. Returns the number of the counter, or -errno.
  virtual int open(HardwareEvent event, int thread, int group) = 0;
  /// Switches the group of a leader on or off.
  virtual void enable(int leader, bool on) = 0;
  virtual std::optional<CounterReading> read(int counter) = 0;
  virtual void close(int counter) = 0;
  /// Returns why open() failed with this errno, in words.
  virtual std::string why(int error) = 0;
};

/// The counters of the running kernel.
class KernelPerfEvents final : public PerfEvents {
 public:
  std::vector<int> threads() override;
  int open(HardwareEvent event, int thread, int group) override;
  void enable(int leader, bool on) override;
  std::optional<CounterReading> read(int counter) override;
  void close(int counter) override;
  std::string why(int error) override;

 private:
  std::map<int, Descriptor> open_;  // open counters by their numbers
};

/// Returns why perf_event_open failed with `error`, like "perf_event_paranoid is 3 (…)". `paranoid`
/// is kernel.perf_event_paranoid, if it can be read.
std::string perf_event_failure(int error, std::optional<int> paranoid, bool virtualised);

struct HardwareCounts {
  std::optional<std::int64_t> cycles = {}, instructions = {}, cache_misses = {};
  std::string missing = {};  // why a count is missing; "" if none is
};

/// Counts hardware events while it is enabled. It counts the events of all threads that the process
/// has when this object is made, and of all threads that they start later. Never throws. A count
/// that cannot be read is missing.
class HardwareCounters {
 public:
  explicit HardwareCounters(PerfEvents& events);
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  void enable(bool on);
  HardwareCounts counts() const;

 private:
  struct Counter {
    HardwareEvent event;
    int number;
  };

  void watch(int thread);
  void close_all();
  std::optional<std::int64_t> sum(HardwareEvent event) const;
  bool lacks(HardwareEvent event) const;

  PerfEvents& events_;
  std::vector<int> leaders_;
  std::vector<Counter> open_;
  std::vector<std::pair<HardwareEvent, std::string>> lacking_;  // events without counters, and why
};

}  // namespace normbench
