/// Cores, caches, pages and GPUs of this machine, mostly as hwloc sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/json.h"

namespace normbench {

/// A hardware thread: its number in the system, its core, and the NUMA node nearest to it
/// (-1: not known).
struct HardwareThread {
  int cpu = 0;
  int core = 0;
  int node = -1;
};

/// The data caches of one level: how many there are, and the bytes of each.
struct CacheLevel {
  int level = 0;
  std::int64_t bytes = 0;
  int count = 0;
};

/// The time to wake a team of sleeping threads on a quiet machine, in ns. It is a constant because
/// measured times vary a hundredfold, and because every process must decide alike whether a case
/// gets a team.
inline constexpr double team_wake_ns = 100'000;

/// The structure of the machine. Members are 0 or empty if they are not known.
struct Topology {
  int packages = 0, cores = 0, numa_nodes = 0;
  std::vector<HardwareThread> threads;  // threads that share caches are neighbours
  std::vector<CacheLevel> caches;       // nearest to the core first
};

/// Returns the machine's topology. hwloc reads it once per process.
const Topology& topology();

/// Returns the bytes of the first processor's data caches, nearest first; empty if not known.
std::vector<std::int64_t> data_caches();

/// Returns the bytes of the first processor's largest data cache; 32 MiB if not known.
std::int64_t largest_cache_bytes();

/// Returns the bytes of the last-level cache, all its instances together; 32 MiB if not known.
std::int64_t last_level_cache_bytes();

std::int64_t page_bytes();

/// Returns the GPUs on the PCI bus, whether CUDA can use them or not: [{"bus_id": "0000:17:00.0",
/// "vendor", "name", "numa_node"}]. Unknown members are null. Empty if the bus cannot be read.
Json pci_gpus();

}  // namespace normbench
