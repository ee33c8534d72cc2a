/// How long threads were ready to run while others had the processors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace normbench {

/// For how long a thread has run and has waited for a processor since it started.
struct QueueDelay {
  int thread = 0;
  std::int64_t run_ns = 0, waited_ns = 0;
};

/// The delays of every thread in a folder of tasks ("/proc/self/task", "/proc/PID/task"), by
/// thread: the first two numbers of its schedstat. Empty where the kernel does not say.
std::vector<QueueDelay> queue_delays(const std::filesystem::path& tasks);

/// The longest that one thread waited between two readings, which are `between_ns` apart. Only
/// threads count that ran for a hundredth of that time: a waiting watchdog holds nobody up. A new
/// thread counts from its start; one that has ended is left out.
std::int64_t longest_delay(const std::vector<QueueDelay>& before,
                           const std::vector<QueueDelay>& after, std::int64_t between_ns);

}  // namespace normbench
