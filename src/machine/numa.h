/// Which NUMA node memory comes from, on machines with several.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "machine/topology.h"

namespace normbench {

/// The node of each of these CPUs; none where that of one is not known.
std::vector<int> nodes_of(std::span<const int> cpus, std::span<const HardwareThread> threads);

/// While it lives, pages that this thread touches first come from one node while that has any;
/// after it they come from where they came before.
class NearNode {
 public:
  explicit NearNode(int node);
  ~NearNode();
  NearNode(const NearNode&) = delete;
  NearNode& operator=(const NearNode&) = delete;

  /// Why they do not ("set_mempolicy failed: Operation not permitted"), or "".
  const std::string& missing() const { return missing_; }

 private:
  // The thread's policy as it was found: its mode with the flags, and its nodes.
  int mode_ = 0;
  std::array<unsigned long, 16> nodes_{};
  std::string missing_;
};

}  // namespace normbench
