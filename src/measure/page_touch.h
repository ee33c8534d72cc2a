/// Chooses the threads that touch pages of host memory first. The system takes a page from the NUMA
/// node of the thread that touches it first.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace normbench {

/// The team that touches memory first. `rank` returns the rank of the thread that touches the page
/// at `first` + `at` bytes. With one thread, the caller touches all pages.
struct TouchPlan {
  int threads = 1;
  std::function<int(const std::byte* first, std::size_t at)> rank = {};
};

/// Returns the plan in which each page is touched by the thread that will read it. The memory holds
/// copies of `bytes` bytes, `stride` bytes apart. A team of `threads` threads will read each copy
/// in equal shares.
TouchPlan touched_by_readers(int threads, std::size_t bytes, std::size_t stride);

/// Returns the plan for memory whose buffers move in every turn, so that no thread keeps using the
/// same pages. `nodes`: the nodes of the team's threads, by rank. Successive blocks of 2 MiB (a
/// huge page) go to the nodes in rotation, and within a node to its threads in rotation. A large
/// buffer is then spread over all nodes.
TouchPlan touched_in_turn(std::span<const int> nodes);

/// Writes to every page, from the thread that the plan gives.
void touch_pages(std::byte* first, std::size_t bytes, const TouchPlan& plan);
using Touch = std::function<void(std::byte* first, std::size_t bytes, const TouchPlan& plan)>;

}  // namespace normbench
