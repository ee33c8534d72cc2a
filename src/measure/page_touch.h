/// Which threads touch the pages of host memory first. A page comes from the NUMA node of the
/// thread that touches it first.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace normbench {

/// The team that touches memory first. `rank` returns which of the team's threads touches the page
/// that is `at` bytes after `first`. With one thread, the caller touches all pages.
struct TouchPlan {
  int threads = 1;
  std::function<int(const std::byte* first, std::size_t at)> rank = {};
};

/// Returns the plan for copies of `bytes` bytes, which lie `stride` bytes apart. A team of
/// `threads` will read each copy in equal shares, and each page is touched by the thread that will
/// read it.
TouchPlan touched_by_readers(int threads, std::size_t bytes, std::size_t stride);

/// Returns the plan for memory whose buffers move in every turn. `nodes`: the nodes of the team's
/// threads, by rank. No thread keeps using the same pages. So blocks of 2 MiB (a huge page) rotate
/// over the nodes, and within a node over its threads. Any buffer is then spread over all nodes.
TouchPlan touched_in_turn(std::span<const int> nodes);

/// Writes to every page, by the threads that the plan names.
void touch_pages(std::byte* first, std::size_t bytes, const TouchPlan& plan);
using Touch = std::function<void(std::byte* first, std::size_t bytes, const TouchPlan& plan)>;

}  // namespace normbench
