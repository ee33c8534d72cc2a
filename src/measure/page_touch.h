/// Chooses the threads that touch the pages of host memory first. The system takes each page from
/// the NUMA node of the thread that touches it first.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace normbench {

/// Which thread of a team touches each page first. `rank` returns the rank of the thread for the
/// page at address `first` + `at`. If `threads` is 1, the calling thread touches all pages.
struct TouchPlan {
  int threads = 1;
  std::function<int(const std::byte* first, std::size_t at)> rank = {};
};

/// Returns the plan in which each page is touched first by the thread that will read it. The memory
/// contains copies of `bytes` bytes. The starts of successive copies are `stride` bytes apart. A
/// team of `threads` threads will read each copy in equal shares.
TouchPlan touched_by_readers(int threads, std::size_t bytes, std::size_t stride);

/// Returns the plan for memory in which the addresses of buffers change with every turn (timed
/// series of iterations), so that no thread always uses the same pages. `nodes`: the NUMA node of
/// each thread of the team, by rank. Successive blocks of 2 MiB (a huge page) are distributed over
/// the nodes in rotation, and the blocks of a node over its threads in rotation. So a large buffer
/// is spread over all nodes.
TouchPlan touched_in_turn(std::span<const int> nodes);

/// Makes the operating system map every page of this memory. `plan` chooses the thread that does so
/// for each page. If `plan.threads` is above 1, `first` must be the start of a page. The bytes have
/// unspecified values afterwards.
void touch_pages(std::byte* first, std::size_t bytes, const TouchPlan& plan);
using Touch = std::function<void(std::byte* first, std::size_t bytes, const TouchPlan& plan)>;

}  // namespace normbench
