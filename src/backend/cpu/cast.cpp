#include "backend/cpu/choose_stores.h"
#include "backend/cpu/elementwise.h"
#include "backend/cpu/rows.h"

namespace normbench {
namespace {

bool accepts(const Cast&, const Signature& s) { return walkable(s.in[0], s.out[0]); }

template <StoresRule (*Rule)(const Signature&)>
Launch prepare(const Cast& op, const Signature& s) {
  return [from = s.in[0].dtype, to = op.to, stores = Rule(s)](
             Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const RunFunction convert = cast_function(from, to, stores(queue.threads));
    walk(in[0], out[0], queue, [&](const Run& run) { convert(run, nullptr, nullptr); });
  };
}

}  // namespace

std::span<const Kernel> cast_rows() {
  static const Kernel rows[] = {reference_row(Cast::name),
                                row<Cast, accepts, prepare<suitable_stores>>("simd"),
                                row<Cast, accepts, prepare<normal_stores>>("temporal")};
  return rows;
}

}  // namespace normbench
