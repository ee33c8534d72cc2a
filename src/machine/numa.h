/// NUMA nodes of CPUs and memory.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "machine/topology.h"

namespace normbench {

/// Returns the NUMA node of each CPU in `cpus`. Returns an empty list if any of the nodes is
/// unknown.
std::vector<int> nodes_of(std::span<const int> cpus, std::span<const HardwareThread> threads);

/// While this object lives, pages that the constructing thread touches first come from `node`, as
/// long as the node has free pages. The destructor restores the memory policy of the thread.
class NearNode {
 public:
  explicit NearNode(int node);
  ~NearNode();
  NearNode(const NearNode&) = delete;
  NearNode& operator=(const NearNode&) = delete;

  /// Returns why pages do not come from the node, like "set_mempolicy failed: Operation not
  /// permitted". Returns "" if they do.
  const std::string& missing() const { return missing_; }

 private:
  // The earlier policy of the thread: mode with flags, and nodes.
  int mode_ = 0;
  std::array<unsigned long, 16> nodes_{};
  std::string missing_;
};

}  // namespace normbench
