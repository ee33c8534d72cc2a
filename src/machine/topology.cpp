#include "machine/topology.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

namespace normbench {
namespace {

constexpr std::int64_t kUnknownCache = std::int64_t{32} << 20;

using LoadedTopology = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)>;

LoadedTopology load_topology(bool with_devices) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {nullptr, hwloc_topology_destroy};
  LoadedTopology loaded(raw, hwloc_topology_destroy);
  if (with_devices) hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (hwloc_topology_load(raw) != 0) loaded.reset();
  return loaded;
}

std::vector<HardwareThread> hardware_threads(hwloc_topology_t machine) {
  std::vector<HardwareThread> threads;
  const auto next = [machine](hwloc_obj_t pu) {
    return hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu);
  };
  for (hwloc_obj_t pu = next(nullptr); pu != nullptr; pu = next(pu)) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine, HWLOC_OBJ_CORE, pu);
    const int alone = -1 - static_cast<int>(pu->logical_index);  // if the core is not known
    threads.push_back({.cpu = static_cast<int>(pu->os_index),
                       .core = core ? static_cast<int>(core->logical_index) : alone,
                       .node = pu->nodeset != nullptr ? hwloc_bitmap_first(pu->nodeset) : -1});
  }
  return threads;
}

Topology read_topology() {
  const LoadedTopology machine = load_topology(false);
  if (!machine) return {};
  const auto count = [&](hwloc_obj_type_t type) {
    return std::max(0, hwloc_get_nbobjs_by_type(machine.get(), type));
  };
  Topology topology{.packages = count(HWLOC_OBJ_PACKAGE),
                    .cores = count(HWLOC_OBJ_CORE),
                    .numa_nodes = count(HWLOC_OBJ_NUMANODE),
                    .threads = hardware_threads(machine.get()),
                    .caches = {}};
  constexpr std::array types{HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                             HWLOC_OBJ_L4CACHE};
  for (std::size_t i = 0; i < types.size(); ++i)
    if (const hwloc_obj_t cache = hwloc_get_obj_by_type(machine.get(), types[i], 0))
      topology.caches.push_back({.level = static_cast<int>(i) + 1,
                                 .bytes = static_cast<std::int64_t>(cache->attr->cache.size),
                                 .count = count(types[i])});
  return topology;
}

constexpr unsigned kDisplayController = 0x03;  // PCI base class of GPUs
constexpr unsigned kNvidia = 0x10de;

Json info_or_null(hwloc_obj_t device, const char* name) {
  const char* const value = hwloc_obj_get_info_by_name(device, name);
  return value != nullptr ? Json(value) : Json();
}

Json vendor_of(hwloc_obj_t device) {
  if (device->attr->pcidev.vendor_id == kNvidia) return "NVIDIA";
  return info_or_null(device, "PCIVendor");
}

Json numa_node_of(hwloc_topology_t topology, hwloc_obj_t device) {
  const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, device);
  if (near == nullptr || near->nodeset == nullptr || hwloc_bitmap_weight(near->nodeset) != 1)
    return {};
  return hwloc_bitmap_first(near->nodeset);
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

std::int64_t largest_cache_bytes() {
  const auto caches = data_caches();
  return caches.empty() ? kUnknownCache : std::ranges::max(caches);
}

std::int64_t last_level_cache_bytes() {
  const auto& caches = topology().caches;
  const std::int64_t bytes = caches.empty() ? 0 : caches.back().bytes * caches.back().count;
  return bytes > 0 ? bytes : kUnknownCache;
}

std::int64_t page_bytes() {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

Json pci_gpus() {
  Json gpus = Json::array();
  const LoadedTopology machine = load_topology(true);
  if (!machine) return gpus;
  for (hwloc_obj_t device = hwloc_get_next_pcidev(machine.get(), nullptr); device != nullptr;
       device = hwloc_get_next_pcidev(machine.get(), device)) {
    const auto& pci = device->attr->pcidev;
    if (pci.class_id >> 8 != kDisplayController) continue;
    gpus.push_back({{"bus_id", fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus,
                                           pci.dev, pci.func)},
                    {"vendor", vendor_of(device)},
                    {"name", info_or_null(device, "PCIDevice")},
                    {"numa_node", numa_node_of(machine.get(), device)}});
  }
  return gpus;
}

}  // namespace normbench
