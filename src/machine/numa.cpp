#include "machine/numa.h"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "core/system_error.h"

namespace normbench {
namespace {

using Nodes = std::array<unsigned long, 16>;  // 1024 nodes, the maximum of Linux

constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;
constexpr unsigned long told_bits = std::tuple_size_v<Nodes> * word_bits + 1;

// These functions call the kernel directly, because hwloc would restore a strict memory policy as a
// mere preference. The kernel uses one bit less than the number of bits that it is told, so
// `told_bits` is one more than the number of bits in Nodes.

long get_policy(int& mode, Nodes& nodes) {
  return syscall(SYS_get_mempolicy, &mode, nodes.data(), told_bits, nullptr, 0UL);
}
long set_policy(int mode, const Nodes& nodes) {
  return syscall(SYS_set_mempolicy, mode, nodes.data(), told_bits);
}

std::string failed(const char* call) {
  return std::string(call) + " failed: " + system_error_text(errno);
}

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

NearNode::NearNode(int node) {
  const auto bit = static_cast<std::size_t>(node);
  Nodes near{};
  near.at(bit / word_bits) = 1UL << bit % word_bits;
  if (get_policy(mode_, nodes_) != 0)
    missing_ = failed("get_mempolicy");
  else if (set_policy(MPOL_PREFERRED, near) != 0)  // if this node is full, other nodes are used
    missing_ = failed("set_mempolicy");
}

NearNode::~NearNode() {
  if (missing_.empty()) set_policy(mode_, nodes_);
}

}  // namespace normbench
