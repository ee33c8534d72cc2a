/// How long threads waited for a processor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace normbench {

/// The time that a thread has run, and has waited for a processor, since its start.
struct QueueDelay {
  int thread = 0;
  std::int64_t run_ns = 0, waited_ns = 0;
};

/// Returns the delays of all threads in a folder of tasks ("/proc/self/task", "/proc/PID/task"),
/// sorted by thread id. Empty if the kernel does not count delays.
std::vector<QueueDelay> queue_delays(const std::filesystem::path& tasks);

/// Returns the longest time that one thread waited between two readings, `between_ns` apart.
/// Threads that ran for less than 1 % of `between_ns` do not count, because they hardly delay the
/// work (watchdogs, for example). A new thread counts from its start; a thread that has ended does
/// not count.
std::int64_t longest_delay(const std::vector<QueueDelay>& before,
                           const std::vector<QueueDelay>& after, std::int64_t between_ns);

}  // namespace normbench
