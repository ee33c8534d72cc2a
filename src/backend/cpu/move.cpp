#include <algorithm>

#include "backend/cpu/choose_stores.h"
#include "backend/cpu/move_simd.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/stream_simd.h"
#include "backend/cpu/walk.h"

namespace normbench {
namespace {

template <class T>
bool accepts(const T&, const Signature& s) {
  return std::ranges::all_of(s.in, [&](const TensorDesc& in) { return walkable(in, s.out[0]); });
}

template <class T, StoresRule (*Rule)(const Signature&), FirstTouches Fresh>
Launch prepare(const T& op, const Signature& s) {
  return [op, size = size_of(s.out[0].dtype), rule = Rule(s),
          touches = s.pages_mapped ? FirstTouches::Fault : Fresh](
             Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const Stores stores = rule(queue.threads);
    for (const Portion& portion : portions_of(op, in, out[0]))
      walk(
          portion.in, portion.out, queue,
          [=](const Run& run) { copy_bytes(run.in, run.out, run.elements * size, stores); },
          [=](const PixelRun& run) { return move_pixels(run, size, stores); }, touches);
  };
}

template <class T>
constexpr Kernel blocked =
    row<T, accepts<T>, prepare<T, suitable_stores, FirstTouches::Populate>>("blocked");
template <class T>
constexpr Kernel temporal =
    row<T, accepts<T>, prepare<T, normal_stores, FirstTouches::Fault>>("temporal");

}  // namespace

std::span<const Kernel> move_rows() {
  static const Kernel rows[] = {
      reference_row(Crop::name),     blocked<Crop>,     temporal<Crop>,
      reference_row(FlipOp::name),   blocked<FlipOp>,   temporal<FlipOp>,
      reference_row(LayoutOp::name), blocked<LayoutOp>, temporal<LayoutOp>,
      reference_row(Concat::name),   blocked<Concat>,   temporal<Concat>};
  return rows;
}

std::span<const Kernel> copy_rows() {
  static const Kernel rows[] = {
      reference_row(Copy::name), blocked<Copy>, temporal<Copy>,
      row<Copy, accepts<Copy>, prepare<Copy, non_temporal_stores, FirstTouches::Fault>>("nt")};
  return rows;
}

}  // namespace normbench
