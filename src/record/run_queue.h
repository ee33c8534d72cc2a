/// How long threads were ready to run while others had the processors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace normbench {

/// What a thread has waited for a processor since it started.
struct QueueDelay {
  int thread = 0;
  std::int64_t ns = 0;
};

/// Of every thread that a folder of tasks lists ("/proc/self/task", "/proc/PID/task"), by thread:
/// the second number of its schedstat. Empty where the kernel does not say.
std::vector<QueueDelay> queue_delays(const std::filesystem::path& tasks);

/// The longest that one thread waited between two readings; one that was not there before waited
/// since it started, and of one that has ended nothing is known.
std::int64_t longest_delay(const std::vector<QueueDelay>& before,
                           const std::vector<QueueDelay>& after);

}  // namespace normbench
