#include "machine/topology.h"

#include <hwloc.h>

#include <algorithm>
#include <array>
#include <memory>

namespace normbench {
namespace {

Topology read_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {};
  const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> owned(raw,
                                                                          hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) return {};
  const auto count = [raw](hwloc_obj_type_t type) {
    return std::max(0, hwloc_get_nbobjs_by_type(raw, type));
  };
  Topology topology{.packages = count(HWLOC_OBJ_PACKAGE),
                    .cores = count(HWLOC_OBJ_CORE),
                    .pus = count(HWLOC_OBJ_PU),
                    .numa_nodes = count(HWLOC_OBJ_NUMANODE),
                    .caches = {}};
  constexpr std::array types{HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                             HWLOC_OBJ_L4CACHE};
  for (std::size_t i = 0; i < types.size(); ++i)
    if (const hwloc_obj_t cache = hwloc_get_obj_by_type(raw, types[i], 0))
      topology.caches.push_back({.level = static_cast<int>(i) + 1,
                                 .bytes = static_cast<std::int64_t>(cache->attr->cache.size),
                                 .count = count(types[i])});
  return topology;
}

}  // namespace

const Topology& topology() {
  static const Topology known = read_topology();
  return known;
}

std::vector<std::int64_t> data_caches() {
  std::vector<std::int64_t> bytes;
  for (const CacheLevel& cache : topology().caches)
    if (cache.bytes > 0) bytes.push_back(cache.bytes);
  return bytes;
}

}  // namespace normbench
