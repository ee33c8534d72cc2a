/// Work split over the threads of an OpenMP team, where it is enough for one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace normbench {

class Queue;

/// The threads that work gets which moves so many bytes and starts now: the queue's, or one where a
/// team does not pay.
int team_size(const Queue& queue, std::int64_t bytes);

/// Calls part(begin, end) once per thread of a team; the parts cover [0, total) in order
/// and start at multiples of `unit`. There are `team_size` threads. Non-temporal stores of a part
/// are visible when this returns. What a part throws is thrown when all are done.
///
/// The other threads of the team are named "omp worker 1", …. Where the stage has a range, each of
/// their shares is one, of kind Worker and with the stage's name.
void split(const Queue& queue, std::int64_t total, std::int64_t unit, std::int64_t bytes,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part);

/// The same, but with a team however little there is to do.
void split_over_team(const Queue& queue, std::int64_t total, std::int64_t unit,
                     const std::function<void(std::int64_t begin, std::int64_t end)>& part);

/// Starts the team's threads and measures what they cost, once per process and number, so that the
/// first `split` need not.
void prepare_team(int threads);

/// From how much work on a team of so many pays here, and why.
std::string explain_grain(int threads);

}  // namespace normbench
