/// Cores, caches, pages and GPUs of this machine, mostly as hwloc sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/json.h"

namespace normbench {

/// A hardware thread: its number in the system, the core it is part of, and the number of the NUMA
/// node whose memory is near (-1: not known).
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

/// The time to wake a team of sleeping threads on a quiet machine. It is a constant, so that every
/// process decides alike: measured costs vary a hundredfold.
inline constexpr double team_wake_ns = 100'000;

/// The machine's shape. Members are zero, or empty, where the machine does not say.
struct Topology {
  int packages = 0, cores = 0, numa_nodes = 0;
  std::vector<HardwareThread> threads;  // threads that share caches are neighbours
  std::vector<CacheLevel> caches;       // nearest first
};

/// The machine's topology, read by hwloc once per process.
const Topology& topology();

/// Bytes of the first processor's data caches, nearest first; none where they are not known.
std::vector<std::int64_t> data_caches();

/// Bytes of the largest data cache of the first processor; 32 MiB where it is not known.
std::int64_t largest_cache_bytes();

/// Bytes of the last-level cache, all its instances together; 32 MiB where it is not known.
std::int64_t last_level_cache_bytes();

/// Bytes of a page of memory.
std::int64_t page_bytes();

/// GPUs on the PCI bus, usable by CUDA or not: [{"bus_id": "0000:17:00.0", "vendor", "name",
/// "numa_node"}]; null where unknown. Empty where the bus cannot be seen.
Json pci_gpus();

}  // namespace normbench
