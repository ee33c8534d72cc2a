/// Work split over the threads of an OpenMP team, and how large the team is where the config leaves
/// that open.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace normbench {

class Queue;

/// Calls part(begin, end) on the threads of a team of `queue.threads`, however little there is to
/// do; the parts cover [0, total) in order and start at multiples of `unit`. A thread without a
/// share calls nothing. Inside another team the caller does it all. Non-temporal stores of a part
/// are visible when this returns. What a part throws is thrown when all are done.
///
/// The other threads of the team are named "omp worker 1", …. Where the stage has a range, each of
/// their shares is one, of kind Worker and with the stage's name.
void split(const Queue& queue, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part);

/// What `"threads": "all"` means for a case: `threads` where its largest stage moves `bytes` enough
/// to save what waking a team costs, else 1. From constants and the machine's data caches (bytes,
/// nearest first) alone: the same in every process of a machine.
int team_for(std::int64_t bytes, int threads, std::span<const std::int64_t> caches);

/// The rule in words, for so many threads.
std::string explain_team(int threads, std::span<const std::int64_t> caches);

}  // namespace normbench
