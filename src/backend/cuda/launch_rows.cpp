#include "backend/cuda/empty.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

template <class T>
bool accepts_all(const T&, const Signature&) {
  return true;
}

Launch prepare_empty(const EmptyLaunch& op, const Signature&) {
  return [count = op.count](Queue& queue, std::span<const View>, std::span<const View>, View) {
    for (std::int64_t i = 0; i < count; ++i)
      check(launch_empty(stream_of(queue)), "launching an empty kernel");
  };
}

Launch prepare_sync(const Sync&, const Signature&) {
  return [](Queue& queue, std::span<const View>, std::span<const View>, View) { queue.drain(); };
}

}  // namespace

std::span<const Kernel> launch_rows() {
  static constexpr Kernel rows[] = {
      row<EmptyLaunch, accepts_all<EmptyLaunch>, prepare_empty>("empty"),
      normbench::row<Sync, accepts_all<Sync>, prepare_sync>("cuda_stream_synchronize",
                                                            Place::Cuda)};
  return rows;
}

}  // namespace normbench::cuda
