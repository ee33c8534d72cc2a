/// Teams of OpenMP threads: runs and splits work on a team, and chooses the size of a team if the
/// config does not give it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace normbench {

class Queue;

/// Calls body(rank, size) on every thread of a team of `threads` threads; the caller has rank 0.
/// Returns when all calls have ended. If bodies throw, one of their exceptions is thrown here.
/// Inside another team it only calls body(0, 1). Throws std::runtime_error if OpenMP gives fewer
/// threads.
///
/// The threads with ranks 1, 2, ... are named "omp worker 1", ... and stay bound to the CPUs of
/// `team_cpus()`, one each. The caller moves to the first CPU: if it stayed on the CPU of another
/// thread, it would spin there and keep that thread from running for milliseconds. The caller is
/// not bound to the first CPU, because threads and programs that it starts would inherit the
/// binding.
void on_team(int threads, const std::function<void(int rank, int size)>& body);
/// Does the same with rank i on cpus[i]. If there are more threads than CPUs, no thread is bound.
/// If several threads call on_team(), each of them gets a team of its own.
void on_team(int threads, std::span<const int> cpus,
             const std::function<void(int rank, int size)>& body);

/// Returns the size of the team that OpenMP gives if `threads` threads are asked for. It is smaller
/// than `threads` if OMP_THREAD_LIMIT is smaller, and 1 inside another team.
int team_of_at_most(int threads);

/// Calls part(begin, end) on the threads of a team of `queue.threads`, even if there is little to
/// do. The parts cover [0, total) in order and start at multiples of `unit`. A thread without a
/// share does not call `part`. Inside another team the caller does everything. When split()
/// returns, other threads can see the non-temporal stores of all parts. An exception of a part is
/// thrown after all parts have ended.
///
/// If the stage has a range, each thread except rank 0 records its share as a range of kind Worker
/// with the stage's name.
void split(const Queue& queue, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part);

/// Returns the team size of a case with `"threads": "all"`, whose largest stage moves `bytes`. It
/// is `threads` if a team saves more time than waking it costs, and 1 otherwise. `caches` are the
/// sizes of the data caches in bytes, nearest first. Nothing is measured, so that all processes of
/// a machine get the same result.
int team_for(std::int64_t bytes, int threads, std::span<const std::int64_t> caches);

/// Returns the rule of team_for() in words, for `threads` threads.
std::string explain_team(int threads, std::span<const std::int64_t> caches);

}  // namespace normbench
