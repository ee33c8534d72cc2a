/// Cores and caches, as hwloc sees them.
#pragma once

#include <cstdint>
#include <vector>

namespace normbench {

/// All caches of one level that hold data; `bytes` of one of them.
struct CacheLevel {
  int level = 0;
  std::int64_t bytes = 0;
  int count = 0;
};

/// Zero, or no caches, where the machine does not say.
struct Topology {
  int packages = 0, cores = 0, pus = 0, numa_nodes = 0;
  std::vector<CacheLevel> caches;  // nearest first
};

/// Asked of hwloc once per process.
const Topology& topology();

/// Bytes of the first processor's data caches, nearest first; none where they are not known.
std::vector<std::int64_t> data_caches();

}  // namespace normbench
