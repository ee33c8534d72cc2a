#include "backend/cuda/numa.h"

#include <hwloc.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace normbench::cuda {
namespace {

namespace fs = std::filesystem;

using Bitmap = std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)>;

Bitmap make_bitmap() { return {hwloc_bitmap_alloc(), &hwloc_bitmap_free}; }

/// Systems without NUMA, most virtual machines among them, say -1 or nothing.
std::optional<int> node_of(const std::string& bus_id, const fs::path& root) {
  std::ifstream in(root / "sys/bus/pci/devices" / bus_id / "numa_node");
  int node = -1;
  return in >> node && node >= 0 ? std::optional(node) : std::nullopt;
}

/// Nodes with memory of their own; the file lists them as "0-1,4".
int memory_nodes(const fs::path& root) {
  std::ifstream in(root / "sys/devices/system/node/has_memory");
  std::string list;
  const Bitmap nodes = make_bitmap();
  if (!(in >> list) || hwloc_bitmap_list_sscanf(nodes.get(), list.c_str()) != 0) return 1;
  return hwloc_bitmap_weight(nodes.get());
}

std::string why() { return std::strerror(errno); }

}  // namespace

std::string prefer_node(int node) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return why();
  const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> owned(raw,
                                                                          hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) return why();
  const Bitmap nodes = make_bitmap();
  hwloc_bitmap_only(nodes.get(), static_cast<unsigned>(node));
  // Without HWLOC_MEMBIND_STRICT other nodes serve when this one is full.
  const int flags = HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET;
  return hwloc_set_membind(raw, nodes.get(), HWLOC_MEMBIND_BIND, flags) == 0 ? "" : why();
}

Json place_host_memory(const std::string& bus_id, const fs::path& root,
                       std::string (*prefer)(int node)) {
  const std::optional<int> node = node_of(bus_id, root);
  Json fact = {{"numa_node", node ? Json(*node) : Json()}, {"host_memory", "node unknown"}};
  if (memory_nodes(root) <= 1) {
    fact["host_memory"] = "one node";
  } else if (node) {
    const std::string error = prefer(*node);
    fact["host_memory"] = error.empty() ? "near the GPU (node " + std::to_string(*node) + ")"
                                        : "anywhere (" + error + ")";
  }
  return fact;
}

}  // namespace normbench::cuda
