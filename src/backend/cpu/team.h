/// Teams of OpenMP threads, each named and bound to a CPU of its own: work split over one, and how
/// large it is where the config leaves that open.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace normbench {

class Queue;

/// Calls body(rank, size) on every thread of a team of `threads`, of which the caller is the first;
/// returns when all are done and throws what one of them threw. Alone, with size 1, inside another
/// team. Throws std::runtime_error where OpenMP gives fewer threads.
///
/// The other threads are named "omp worker 1", … and stay bound to their CPUs of `team_cpus()`. The
/// caller is not bound: threads and programs that it starts would inherit that. It moves to the
/// first of the CPUs once, if it is elsewhere. On another thread's CPU it would spin there until
/// all are done, and keep that very thread from running: milliseconds.
void on_team(int threads, const std::function<void(int rank, int size)>& body);
/// Runs the team on these CPUs, by rank; with fewer CPUs than threads none is bound. Every calling
/// thread has teams of its own.
void on_team(int threads, std::span<const int> cpus,
             const std::function<void(int rank, int size)>& body);

/// `threads`, or as many as OpenMP gives a team here where those are fewer (OMP_THREAD_LIMIT).
int team_of_at_most(int threads);

/// Calls part(begin, end) on the threads of a team of `queue.threads`, however little there is to
/// do; the parts cover [0, total) in order and start at multiples of `unit`. A thread without a
/// share calls nothing. Inside another team the caller does it all. Non-temporal stores of a part
/// are visible when this returns. What a part throws is thrown when all are done.
///
/// Where the stage has a range, each share of the other threads is one too, of kind Worker and with
/// the stage's name.
void split(const Queue& queue, std::int64_t total, std::int64_t unit,
           const std::function<void(std::int64_t begin, std::int64_t end)>& part);

/// What `"threads": "all"` means for a case: `threads` where its largest stage moves `bytes` enough
/// to save what waking a team costs, else 1. From constants and the machine's data caches (bytes,
/// nearest first) alone: the same in every process of a machine.
int team_for(std::int64_t bytes, int threads, std::span<const std::int64_t> caches);

/// The rule in words, for so many threads.
std::string explain_team(int threads, std::span<const std::int64_t> caches);

}  // namespace normbench
