#include "backend/cpu/elementwise.h"
#include "backend/cpu/rows.h"

namespace normbench {
namespace {

bool accepts(const Cast&, const Signature& s) { return walkable(s.in[0], s.out[0]); }

Launch prepare(const Cast& op, const Signature& s) {
  const RunFunction convert = cast_function(s.in[0].dtype, op.to);
  return [convert](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    walk(in[0], out[0], queue, [&](const Run& run) { convert(run, nullptr, nullptr); });
  };
}

}  // namespace

std::span<const Kernel> cast_rows() {
  static const Kernel rows[] = {reference_row(Cast::name), row<Cast, accepts, prepare>("simd")};
  return rows;
}

}  // namespace normbench
