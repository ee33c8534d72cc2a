/// How long threads were ready to run while other threads had the processors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace normbench {

/// How long a thread has run and has waited for a processor since it started.
struct QueueDelay {
  int thread = 0;
  std::int64_t run_ns = 0, waited_ns = 0;
};

/// Returns the delays of all threads in a folder of tasks ("/proc/self/task", "/proc/PID/task"),
/// sorted by thread. They are the first two numbers in each thread's schedstat. Empty if the kernel
/// does not count them.
std::vector<QueueDelay> queue_delays(const std::filesystem::path& tasks);

/// Returns the longest time that one thread waited between two readings, which are `between_ns`
/// apart. Only threads that ran for at least a hundredth of `between_ns` count, because a thread
/// that hardly runs (a watchdog) delays nobody. A new thread counts from its start. A thread that
/// has ended does not count.
std::int64_t longest_delay(const std::vector<QueueDelay>& before,
                           const std::vector<QueueDelay>& after, std::int64_t between_ns);

}  // namespace normbench
