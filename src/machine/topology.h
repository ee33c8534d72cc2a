/// Cores, caches, pages and GPUs of this machine, mostly as hwloc sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/json.h"

namespace normbench {

/// A hardware thread: the number of its CPU in the system, its core, and its NUMA node (-1: not
/// known).
struct HardwareThread {
  int cpu = 0;
  int core = 0;
  int node = -1;
};

/// The data caches of one level.
struct CacheLevel {
  int level = 0;
  std::int64_t bytes = 0;  // of each cache
  int count = 0;           // number of caches
};

/// The time to wake a team of sleeping threads, in ns. It is a constant and not measured, so that
/// all processes decide alike whether a case gets a team.
inline constexpr double team_wake_ns = 100'000;

/// The structure of the machine. Members are 0 or empty if not known.
struct Topology {
  int packages = 0, cores = 0, numa_nodes = 0;
  std::vector<HardwareThread> threads;  // threads that share caches are neighbours
  std::vector<CacheLevel> caches;       // nearest to the core first
};

/// Returns the topology of this machine, which is read once per process.
const Topology& topology();

/// Returns the size in bytes of each data cache of the first processor, nearest first; empty if not
/// known.
std::vector<std::int64_t> data_caches();

/// Returns the size in bytes of the largest data cache of the first processor; 32 MiB if not known.
std::int64_t largest_cache_bytes();

/// Returns the size in bytes of all last-level caches together; 32 MiB if not known.
std::int64_t last_level_cache_bytes();

std::int64_t page_bytes();

/// Returns the GPUs on the PCI bus, even if CUDA cannot use them: [{"bus_id": "0000:17:00.0",
/// "vendor", "name", "numa_node"}]. Unknown members are null. Empty if the bus cannot be read.
Json pci_gpus();

}  // namespace normbench
