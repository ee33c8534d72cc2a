#include "backend/cpu/rows.h"
#include "backend/cpu/stream_simd.h"

namespace normbench {
namespace {

bool accepts(const Copy&, const Signature& s) { return walkable(s.in[0], s.out[0]); }

template <Stores S>
Launch prepare(const Copy&, const Signature& s) {
  return [size = size_of(s.out[0].dtype)](Queue& queue, std::span<const View> in,
                                          std::span<const View> out, View) {
    walk(in[0], out[0], queue,
         [size](const Run& run) { copy_bytes(run.in, run.out, run.elements * size, S); });
  };
}

}  // namespace

std::span<const Kernel> copy_rows() {
  static const Kernel rows[] = {reference_row(Copy::name),
                                row<Copy, accepts, prepare<Stores::Normal>>("temporal"),
                                row<Copy, accepts, prepare<Stores::NonTemporal>>("nt")};
  return rows;
}

}  // namespace normbench
