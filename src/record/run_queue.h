/// Measures how long threads waited for a processor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace normbench {

/// How long a thread has run and how long it has waited for a processor, both since its start.
struct QueueDelay {
  int thread = 0;
  std::int64_t run_ns = 0, waited_ns = 0;
};

/// Returns the run and wait times of all threads in a folder of tasks ("/proc/self/task",
/// "/proc/PID/task"), sorted by thread id. Returns none if the kernel does not count them.
std::vector<QueueDelay> queue_delays(const std::filesystem::path& tasks);

/// Returns the longest time, in ns, that any thread waited for a processor between two readings.
/// The readings are `between_ns` apart, and the result is at most `between_ns`.
std::int64_t longest_delay(const std::vector<QueueDelay>& before,
                           const std::vector<QueueDelay>& after, std::int64_t between_ns);

}  // namespace normbench
