/// What the processor counts in this process's own code, through perf_event_open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace normbench {

enum class HardwareEvent { Cycles, Instructions, CacheMisses };

/// One counter of one thread. It may count for a part of the time only, when others share it.
struct CounterReading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0, running_ns = 0;  // of the thread's running time
};

/// What it would have counted all the time; nothing when it never did.
std::optional<std::int64_t> scaled(const CounterReading& reading);

/// The kernel's side of it, so that tests need no counters.
class PerfEvents {
 public:
  virtual ~PerfEvents() = default;
  /// All threads of this process.
  virtual std::vector<int> threads() = 0;
  /// Starts to watch what a thread, and those that it starts later, do in user space. With `group`
  /// -1 the counter leads a group and is off; else it joins a leader's. A descriptor, or -errno.
  virtual int open(HardwareEvent event, int thread, int group) = 0;
  /// Switches a leader's whole group.
  virtual void enable(int leader, bool on) = 0;
  virtual std::optional<CounterReading> read(int descriptor) = 0;
  virtual void close(int descriptor) = 0;
  /// Why open failed with this errno, in words.
  virtual std::string why(int error) = 0;
};

/// This kernel's own.
class KernelPerfEvents final : public PerfEvents {
 public:
  std::vector<int> threads() override;
  int open(HardwareEvent event, int thread, int group) override;
  void enable(int leader, bool on) override;
  std::optional<CounterReading> read(int descriptor) override;
  void close(int descriptor) override;
  std::string why(int error) override;
};

/// "perf_event_paranoid is 3 (…)", "no hardware counters in this virtual machine (ENOENT)", ….
/// `paranoid`: kernel.perf_event_paranoid, where it can be read.
std::string perf_event_failure(int error, std::optional<int> paranoid, bool virtualised);

struct HardwareCounts {
  std::optional<std::int64_t> cycles = {}, instructions = {}, cache_misses = {};
  std::string missing = {};  // why not all are there, or ""
};

/// Counts while it is on, over all threads that the process has when this is made and those that
/// they start later. Never throws: what cannot be counted is missing.
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
  struct Descriptor {
    HardwareEvent event;
    int number;
  };

  void watch(int thread);
  void close_all();
  std::optional<std::int64_t> sum(HardwareEvent event) const;
  bool lacks(HardwareEvent event) const;

  PerfEvents& events_;
  std::vector<int> leaders_;
  std::vector<Descriptor> open_;
  std::vector<std::pair<HardwareEvent, std::string>> lacking_;  // and why
};

}  // namespace normbench
