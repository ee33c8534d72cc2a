/// Which NUMA node memory comes from, on machines with several nodes.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "machine/topology.h"

namespace normbench {

/// Returns the node of each of these CPUs; empty if the node of any of them is not known.
std::vector<int> nodes_of(std::span<const int> cpus, std::span<const HardwareThread> threads);

/// While this object lives, pages that the thread which made it touches first come from one node,
/// as long as the node has free pages. Its destructor restores the thread's earlier policy.
class NearNode {
 public:
  explicit NearNode(int node);
  ~NearNode();
  NearNode(const NearNode&) = delete;
  NearNode& operator=(const NearNode&) = delete;

  /// Why pages do not come from the node ("set_mempolicy failed: Operation not permitted"), or "".
  const std::string& missing() const { return missing_; }

 private:
  // The thread's earlier policy: the mode with its flags, and the nodes.
  int mode_ = 0;
  std::array<unsigned long, 16> nodes_{};
  std::string missing_;
};

}  // namespace normbench
