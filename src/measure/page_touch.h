/// Who touches the pages of host memory first: they come from the NUMA node of that thread.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace normbench {

/// The team that touches memory first, and which of its threads touches the page `at` bytes after
/// `first`. With one thread the caller touches all.
struct TouchPlan {
  int threads = 1;
  std::function<int(const std::byte* first, std::size_t at)> rank = {};
};

/// Memory in copies of `bytes` bytes, `stride` apart, each of which a team of `threads` reads in
/// shares of the same size: who reads a page touches it.
TouchPlan touched_by_readers(int threads, std::size_t bytes, std::size_t stride);

/// Memory whose buffers are somewhere else in every turn, for a team whose threads are on `nodes`,
/// by rank. No thread keeps a page, so blocks of 2 MiB (a huge page) go round the nodes: whatever
/// lies there is spread over all nodes. Within a node blocks go round its threads.
TouchPlan touched_in_turn(std::span<const int> nodes);

/// Touches every page.
void touch_pages(std::byte* first, std::size_t bytes, const TouchPlan& plan);
using Touch = std::function<void(std::byte* first, std::size_t bytes, const TouchPlan& plan)>;

}  // namespace normbench
