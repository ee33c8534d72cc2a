#include <cmath>

#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

int attribute_of_device(cudaDeviceAttr attribute, const char* what) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, attribute, device), what);
  return value;
}

/// Returns a launch of one block for each multiprocessor, or only for the share `op.fill` of the
/// multiprocessors. Each thread executes a chain of multiply-adds that takes the op's time at the
/// device's nominal peak clock. At a lower clock the chain takes longer. The neural network that
/// this op stands for would take longer, too.
Launch prepare_busy(const Compute& op, const Signature& s) {
  constexpr double clocks_per_step = 4;  // latency of a dependent FMA since sm_70
  const int multiprocessors = attribute_of_device(cudaDevAttrMultiProcessorCount,
                                                  "cudaDeviceGetAttribute(MultiProcessorCount)");
  const double clocks_per_ns =
      attribute_of_device(cudaDevAttrClockRate, "cudaDeviceGetAttribute(ClockRate)") * 1e-6;
  const BusyArguments arguments{
      .blocks = std::llround(std::ceil(op.fill.value_or(1) * multiprocessors)),
      .steps = std::llround(op.ns(s.in[0].shape.n) * clocks_per_ns / clocks_per_step)};
  return [busy = arguments](Queue& queue, std::span<const View> in, std::span<const View>,
                            View) mutable {
    busy.unused = in[0].data;
    check(launch_busy(stream_of(queue), busy), "launching compute");
  };
}

}  // namespace

std::span<const Kernel> compute_rows() {
  static const Kernel rows[] = {row<Compute, accepts_all<Compute>, prepare_busy>("fma")};
  return rows;
}

}  // namespace normbench::cuda
