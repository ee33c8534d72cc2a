/// What the processor counts while it runs this process's own code, through perf_event_open.
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

/// One reading of one thread's counter, which counts part of the time where others share it.
struct CounterReading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0, running_ns = 0;  // nanoseconds of the thread's running time
};

/// The count as if the counter had run all the time; nothing when it never ran.
std::optional<std::int64_t> scaled(const CounterReading& reading);

/// The kernel's interface to counters, which tests replace.
class PerfEvents {
 public:
  virtual ~PerfEvents() = default;
  /// The ids of all threads of this process.
  virtual std::vector<int> threads() = 0;
  /// Opens a counter of what a thread, and later threads of it, do in user space. With `group` -1
  /// it leads a group and is off; else it joins that leader's group. Its number, or -errno.
  virtual int open(HardwareEvent event, int thread, int group) = 0;
  /// Switches a leader's whole group on or off.
  virtual void enable(int leader, bool on) = 0;
  virtual std::optional<CounterReading> read(int counter) = 0;
  virtual void close(int counter) = 0;
  /// Says in words why open() failed with this errno.
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
  std::map<int, Descriptor> open_;  // by their numbers
};

/// Why perf_event_open failed: "perf_event_paranoid is 3 (…)", "no hardware counters in this
/// virtual machine (ENOENT)". `paranoid`: kernel.perf_event_paranoid, where it can be read.
std::string perf_event_failure(int error, std::optional<int> paranoid, bool virtualised);

struct HardwareCounts {
  std::optional<std::int64_t> cycles = {}, instructions = {}, cache_misses = {};
  std::string missing = {};  // why some are not there, or ""
};

/// Counts while it is on. It counts all threads that the process has when this is made, and the
/// threads that they start later. Never throws: a count that cannot be had is missing.
class HardwareCounters {
 public:
  explicit HardwareCounters(PerfEvents& events);
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  void enable(bool on);
  /// All counts so far.
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
  std::vector<std::pair<HardwareEvent, std::string>> lacking_;  // and the reason of each
};

}  // namespace normbench
