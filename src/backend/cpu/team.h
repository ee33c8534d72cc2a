/// Work split over the threads of an OpenMP team.
#pragma once

#include <cstdint>
#include <functional>

namespace normbench {

/// Calls part(begin, end) once per thread; the parts cover [0, total) in order and start at
/// multiples of `unit`. Without a team when one thread is asked for. Non-temporal stores of a part
/// are visible when this returns. What a part throws is thrown when all are done.
void split(int threads, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part);

}  // namespace normbench
