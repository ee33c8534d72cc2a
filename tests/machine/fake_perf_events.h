/// Fake perf events. A test sets the threads, the readings of counters, and the failures of open().
/// FakePerfEvents records which counters were opened, switched on or off, and closed.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machine/hardware_counters.h"

namespace normbench {

class FakePerfEvents final : public PerfEvents {
 public:
  struct Opened {
    HardwareEvent event;
    int thread, group;
  };

  std::vector<int> threads() override { return all_threads; }

  int open(HardwareEvent event, int thread, int group) override {
    if (const int error = fails ? fails(event, thread) : 0; error != 0) return -error;
    const int descriptor = next_++;
    opened[descriptor] = {event, thread, group};
    return descriptor;
  }

  void enable(int leader, bool on) override { switches.emplace_back(leader, on); }

  std::optional<CounterReading> read(int descriptor) override {
    const Opened& one = opened.at(descriptor);
    return reading(one.event, one.thread);
  }

  void close(int descriptor) override { closed.push_back(descriptor); }
  std::string why(int error) override { return fmt::format("error {}", error); }

  std::vector<int> all_threads{7, 8};
  std::function<int(HardwareEvent, int thread)> fails;
  std::function<std::optional<CounterReading>(HardwareEvent, int thread)> reading =
      [](HardwareEvent event, int thread) {
        return CounterReading{.value = 100u * (static_cast<unsigned>(event) + 1) + thread,
                              .enabled_ns = 10,
                              .running_ns = 10};
      };
  std::map<int, Opened> opened;  // key: file descriptor
  std::vector<int> closed;
  std::vector<std::pair<int, bool>> switches;

 private:
  int next_ = 3;
};

}  // namespace normbench
