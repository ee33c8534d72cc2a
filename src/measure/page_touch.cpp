#include "measure/page_touch.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "backend/cpu/memory.h"
#include "backend/cpu/team.h"
#include "machine/topology.h"

namespace normbench {
namespace {

constexpr std::uintptr_t block_bytes = std::uintptr_t{2} << 20;

/// Makes the system map the pages of this memory, on the NUMA node of the calling thread.
/// populate_pages() maps all of them with one system call. If it fails, writes a byte of each page
/// instead.
void map_or_write(std::byte* first, std::size_t bytes) {
  if (populate_pages(first, static_cast<std::int64_t>(bytes))) return;
  for (std::size_t at = 0; at < bytes; at += static_cast<std::size_t>(page_bytes()))
    first[at] = std::byte{1};
}

}  // namespace

TouchPlan touched_by_readers(int threads, std::size_t bytes, std::size_t stride) {
  return {.threads = threads, .rank = [=](const std::byte*, std::size_t at) {
            const std::size_t in_copy = std::min(at % stride, bytes - 1);
            return static_cast<int>(in_copy * static_cast<std::size_t>(threads) / bytes);
          }};
}

TouchPlan touched_in_turn(std::span<const int> nodes) {
  std::map<int, std::vector<int>> ranks;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    ranks[nodes[rank]].push_back(static_cast<int>(rank));
  std::vector<std::vector<int>> by_node;
  for (const auto& [node, its] : ranks) by_node.push_back(its);
  return {.threads = static_cast<int>(nodes.size()),
          .rank = [by_node = std::move(by_node)](const std::byte* first, std::size_t at) {
            const std::size_t block = (reinterpret_cast<std::uintptr_t>(first) + at) / block_bytes;
            const std::vector<int>& its = by_node[block % by_node.size()];
            return its[block / by_node.size() % its.size()];
          }};
}

void touch_pages(std::byte* first, std::size_t bytes, const TouchPlan& plan) {
  const auto page = static_cast<std::size_t>(page_bytes());
  const auto touch = [&](int rank, bool all) {
    for (std::size_t at = 0; at < bytes; at += page) {
      const std::size_t begin = at;
      while (at < bytes && (all || plan.rank(first, at) == rank)) at += page;
      if (at > begin) map_or_write(first + begin, std::min(at, bytes) - begin);
    }
  };
  if (plan.threads <= 1) return touch(0, true);
  on_team(plan.threads, [&](int rank, int size) { touch(rank, size == 1); });
}

}  // namespace normbench
