/// A team of OpenMP threads, each named and bound to a CPU of its own.
#pragma once

#include <functional>

namespace normbench {

/// Calls body(rank, size) on every thread of a team of `threads`, of which the caller is the first;
/// returns when all are done and throws what one of them threw. Alone, with size 1, inside another
/// team.
///
/// The other threads are named "omp worker 1", … and stay bound to their CPUs of `team_cpus()`. The
/// caller is not bound, so that neither what it starts nor its own work is; it only moves to the
/// first of the CPUs if it is elsewhere. Where it ran on a sleeping thread's CPU, that thread would
/// wait there for its turn while the caller waits for it in a loop: milliseconds.
void on_team(int threads, const std::function<void(int rank, int size)>& body);

}  // namespace normbench
