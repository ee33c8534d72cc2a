#include "machine/pci_gpus.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace normbench {

namespace {

constexpr unsigned kDisplayController = 0x03;  // PCI base class: GPUs with and without outputs
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

Json pci_gpus() {
  Json gpus = Json::array();
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return gpus;
  const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> owned(raw,
                                                                          hwloc_topology_destroy);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (hwloc_topology_load(raw) != 0) return gpus;
  for (hwloc_obj_t device = hwloc_get_next_pcidev(raw, nullptr); device != nullptr;
       device = hwloc_get_next_pcidev(raw, device)) {
    const auto& pci = device->attr->pcidev;
    if (pci.class_id >> 8 != kDisplayController) continue;
    gpus.push_back({{"bus_id", fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus,
                                           pci.dev, pci.func)},
                    {"vendor", vendor_of(device)},
                    {"name", info_or_null(device, "PCIDevice")},
                    {"numa_node", numa_node_of(raw, device)}});
  }
  return gpus;
}

}  // namespace normbench
