/// Hardware counters of this process's code in user space, read through perf_event_open.
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

/// One reading of one thread's counter. If counters share the hardware, each counts only part of
/// the time.
struct CounterReading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0, running_ns = 0;  // how long it was enabled, and how long it counted
};

/// Returns the count, scaled up from the time in which the counter counted to the time for which it
/// was enabled. Returns 0 if it was never enabled, because its thread slept, and nothing if it was
/// enabled but never counted.
std::optional<std::int64_t> scaled(const CounterReading& reading);

/// The kernel's interface to counters, which tests replace.
class PerfEvents {
 public:
  virtual ~PerfEvents() = default;
  /// Returns the ids of all threads of this process.
  virtual std::vector<int> threads() = 0;
  /// Opens a counter for the user-space code of a thread, and of threads that this thread starts
  /// later. With `group` -1 the counter leads a new group and is off. Otherwise the counter joins
  /// the group whose leader has the number `group`. Returns the counter's number, or -errno.
  virtual int open(HardwareEvent event, int thread, int group) = 0;
  /// Switches a leader's whole group on or off.
  virtual void enable(int leader, bool on) = 0;
  virtual std::optional<CounterReading> read(int counter) = 0;
  virtual void close(int counter) = 0;
  /// Returns in words why open() failed with this errno.
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
  std::map<int, Descriptor> open_;  // the open counters by their numbers
};

/// Returns why perf_event_open failed, like "perf_event_paranoid is 3 (…)" or "no hardware counters
/// in this virtual machine (ENOENT)". `paranoid`: kernel.perf_event_paranoid, if it can be read.
std::string perf_event_failure(int error, std::optional<int> paranoid, bool virtualised);

struct HardwareCounts {
  std::optional<std::int64_t> cycles = {}, instructions = {}, cache_misses = {};
  std::string missing = {};  // why some counts are missing, or ""
};

/// While enabled, counts the events of all threads that the process has when this object is made,
/// and of the threads that these start later. Never throws: a count that cannot be read is missing.
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
