/// Teams of OpenMP threads: how work is split over a team, and how large a team is if the config
/// does not say. Each thread of a team has a name and a CPU of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace normbench {

class Queue;

/// Calls body(rank, size) on every thread of a team of `threads` threads; the caller has rank 0.
/// Returns when all are done. If bodies throw, one of their exceptions is thrown here. Inside
/// another team it calls body(0, 1) only. Throws std::runtime_error if OpenMP gives fewer threads.
///
/// The other threads are named "omp worker 1", … and stay bound to the CPUs of `team_cpus()`. The
/// caller is not bound, because threads and programs that it starts would inherit the binding. It
/// moves to the first CPU if it runs elsewhere. On the CPU of another thread of the team, it would
/// spin and keep that thread from running, for milliseconds.
void on_team(int threads, const std::function<void(int rank, int size)>& body);
/// Runs the team on `cpus`, by rank. If there are more threads than CPUs, no thread is bound. Each
/// calling thread has its own teams.
void on_team(int threads, std::span<const int> cpus,
             const std::function<void(int rank, int size)>& body);

/// Returns `threads`, or the size of the team that OpenMP gives here if that is smaller
/// (OMP_THREAD_LIMIT).
int team_of_at_most(int threads);

/// Calls part(begin, end) on the threads of a team of `queue.threads`, even if there is little to
/// do. The parts cover [0, total) in order and start at multiples of `unit`. A thread without a
/// share does not call `part`. Inside another team the caller does everything. When this returns,
/// non-temporal stores of all parts are visible. An exception of a part is thrown after all parts
/// have ended.
///
/// If the stage has a range, the share of each thread except rank 0 gets a range of kind Worker
/// with the stage's name.
void split(const Queue& queue, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part);

/// Returns the team size of a case with `"threads": "all"`, whose largest stage moves `bytes`. It
/// is `threads` if a team saves more time than waking it costs, else 1. It depends only on
/// constants and the data caches (bytes, nearest first), so that all processes of a machine agree.
int team_for(std::int64_t bytes, int threads, std::span<const std::int64_t> caches);

/// Returns the rule of team_for() in words, for `threads` threads.
std::string explain_team(int threads, std::span<const std::int64_t> caches);

}  // namespace normbench
