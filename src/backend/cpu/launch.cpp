#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

bool accepts(const EmptyLaunch&, const Signature&) { return true; }

/// Teams as kernels have them, without work.
Launch prepare(const EmptyLaunch& op, const Signature&) {
  return [count = op.count](Queue& queue, std::span<const View>, std::span<const View>, View) {
    for (std::int64_t i = 0; i < count; ++i)
      split(queue, queue.threads, 1, [](std::int64_t, std::int64_t) {});
  };
}

}  // namespace

std::span<const Kernel> launch_rows() {
  static const Kernel rows[] = {row<EmptyLaunch, accepts, prepare>("team")};
  return rows;
}

}  // namespace normbench
