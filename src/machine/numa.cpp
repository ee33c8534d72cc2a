#include "machine/numa.h"

#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace normbench {
namespace {

using OwnedMachine = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)>;
using NodeSet = std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)>;

constexpr int kThread = HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET;

/// Null where hwloc cannot read this machine.
hwloc_topology_t this_machine() {
  static const OwnedMachine known = [] {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return OwnedMachine(nullptr, hwloc_topology_destroy);
    OwnedMachine loaded(raw, hwloc_topology_destroy);
    if (hwloc_topology_load(raw) != 0) loaded.reset();
    return loaded;
  }();
  return known.get();
}

NodeSet node_set() { return {hwloc_bitmap_alloc(), &hwloc_bitmap_free}; }

/// This thread's memory policy, which is as it was when this goes.
class NearNode {
 public:
  explicit NearNode(int node) {
    const NodeSet near = node_set();
    hwloc_bitmap_only(near.get(), static_cast<unsigned>(node));
    if (this_machine() == nullptr ||
        hwloc_get_membind(this_machine(), before_.get(), &policy_, kThread) != 0)
      return;
    // Without HWLOC_MEMBIND_STRICT other nodes serve when this one is full.
    is_near_ = hwloc_set_membind(this_machine(), near.get(), HWLOC_MEMBIND_BIND, kThread) == 0;
  }
  ~NearNode() {
    if (is_near_) hwloc_set_membind(this_machine(), before_.get(), policy_, kThread);
  }
  NearNode(const NearNode&) = delete;
  NearNode& operator=(const NearNode&) = delete;

  bool is_near() const { return is_near_; }

 private:
  NodeSet before_ = node_set();
  hwloc_membind_policy_t policy_ = HWLOC_MEMBIND_DEFAULT;
  bool is_near_ = false;
};

}  // namespace

std::vector<int> nodes_of(std::span<const int> cpus, std::span<const HardwareThread> threads) {
  std::vector<int> nodes;
  for (const int cpu : cpus) {
    const auto found = std::ranges::find(threads, cpu, &HardwareThread::cpu);
    if (found == threads.end() || found->node < 0) return {};
    nodes.push_back(found->node);
  }
  return nodes;
}

std::string run_near(int node, const std::function<void()>& work) {
  errno = 0;
  const NearNode near(node);
  const std::string why = near.is_near() ? "" : std::strerror(errno);
  work();
  return why;
}

}  // namespace normbench
