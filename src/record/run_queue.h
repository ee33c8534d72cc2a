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
/// "/proc/PID/task"), sorted by thread id. Returns an empty list if the kernel does not count these
/// times.
std::vector<QueueDelay> queue_delays(const std::filesystem::path& tasks);

/// Returns the longest time, in ns, that any thread waited for a processor between two readings.
/// The readings are `between_ns` apart, and the result is at most `between_ns`. Threads that ran
/// for less than 1 % of `between_ns` do not count.
std::int64_t longest_delay(const std::vector<QueueDelay>& before,
                           const std::vector<QueueDelay>& after, std::int64_t between_ns);

/// Returns how long processors have run any program since boot, in ns, summed over all processors.
/// `stat` is a file like "/proc/stat", which counts in ticks of usually 10 ms. Returns 0 if the
/// file cannot be read.
std::int64_t busy_processors_ns(const std::filesystem::path& stat);

/// Returns how long other programs had processors, in ns. Processors were busy for `busy_ns`, and
/// the case's own processes used `own_ns` of this time. Two ticks are subtracted, too, because
/// `busy_ns` is a number of ticks and may be too large. The result is never below 0.
std::int64_t time_of_others(std::int64_t busy_ns, std::int64_t own_ns);

}  // namespace normbench
