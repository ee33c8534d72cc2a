/// Work split over the threads of an OpenMP team.
#pragma once

#include <cstdint>
#include <functional>

namespace normbench {

class Queue;

/// Calls part(begin, end) once per thread of the queue's team; the parts cover [0, total) in order
/// and start at multiples of `unit`. Without a team when the queue has one thread. Non-temporal
/// stores of a part are visible when this returns. What a part throws is thrown when all are done.
///
/// The other threads of the team are named "omp worker 1", …. Where the stage has a range, each of
/// their shares is one, of kind Worker and with the stage's name.
void split(const Queue& queue, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part);

}  // namespace normbench
