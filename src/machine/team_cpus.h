/// Where the threads of a team run: each on a CPU of its own.
#pragma once

#include <sched.h>

#include <span>
#include <string>
#include <vector>

namespace normbench {

/// A hardware thread: the system's number of it, and which core it is part of.
struct HardwareThread {
  int cpu = 0;
  int core = 0;
};

/// The CPUs that are allowed: one of each core, in the given order, then second ones, and so on.
std::vector<int> cores_first(std::span<const HardwareThread> threads, const cpu_set_t& allowed);

/// "0-3, 8, 10": numbers that follow one another are a range.
std::string numbers_text(std::span<const int> numbers);

/// The CPU of each thread of a team, by rank, as hwloc sees the machine. None where the machine
/// does not say, and where the user binds threads by OpenMP's own variables. Teams of more threads
/// than this are not bound. Looked up once.
const std::vector<int>& team_cpus();

/// Whether and how the threads of teams are bound: "each to a CPU of its own by hwloc, cores first:
/// 0, 2, 1, 3", "as OMP_PROC_BIND says", "not at all: …".
std::string explain_binding();

}  // namespace normbench
