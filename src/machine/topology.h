/// The cores, caches, page size and PCI GPUs of this machine. Most of these facts come from hwloc.
#pragma once

#include <cstdint>
#include <vector>

#include "core/json.h"

namespace normbench {

/// A hardware thread. `cpu` is its number in the operating system, as in a CPU mask. `core` is the
/// index of its core. If the core is not known, `core` is a negative number that no other thread
/// has. `node` is its NUMA node; -1: not known.
struct HardwareThread {
  int cpu = 0;
  int core = 0;
  int node = -1;
};

/// The data caches of one level.
struct CacheLevel {
  int level = 0;
  std::int64_t bytes = 0;  // size of each cache
  int count = 0;           // number of caches of this level in the machine
};

/// The assumed time in ns until the sleeping threads of a team (the threads that run one CPU kernel
/// together) have woken. It is a constant and not measured, so that every process makes the same
/// decision whether a case runs on a team or on one thread.
inline constexpr double team_wake_ns = 100'000;

/// The structure of the machine. Members are 0 or empty if not known.
struct Topology {
  int packages = 0, cores = 0, numa_nodes = 0;
  std::vector<HardwareThread> threads;  // threads that share a cache are adjacent
  std::vector<CacheLevel> caches;       // nearest to the core first
};

/// Returns the topology of this machine. It is read once per process.
const Topology& topology();

/// Returns the sizes in bytes of the data caches of the first processor, one for each level,
/// starting with L1. Returns an empty list if no size is known.
std::vector<std::int64_t> data_caches();

/// Returns the size in bytes of the largest data cache of the first processor; 32 MiB if not known.
std::int64_t largest_cache_bytes();

/// Returns the size in bytes of all last-level caches together; 32 MiB if not known.
std::int64_t last_level_cache_bytes();

std::int64_t page_bytes();

/// Returns the GPUs on the PCI bus, including those that CUDA cannot use: [{"bus_id":
/// "0000:17:00.0", "vendor", "name", "numa_node"}]. Unknown members are null. Returns an empty list
/// if the bus cannot be read.
Json pci_gpus();

}  // namespace normbench
