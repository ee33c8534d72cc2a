/// The CPU kernels of `cast`, `sub` and `div`. An eager chain normalises with these ops: each of
/// them is a separate pass over the data.
#include "backend/cpu/elementwise.h"

#include "backend/cpu/choose_stores.h"
#include "backend/cpu/constants.h"
#include "backend/cpu/rows.h"
#include "ops/checks.h"

namespace normbench {
namespace {

bool accepts_cast(const Cast&, const Signature& s) { return walkable(s.in[0], s.out[0]); }

template <StoresRule (*Rule)(const Signature&)>
Launch prepare_cast(const Cast& op, const Signature& s) {
  return [from = s.in[0].dtype, to = op.to, stores = Rule(s)](
             Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const RunFunction convert = cast_function(from, to, stores(queue.threads));
    walk(in[0], out[0], queue, [&](const Run& run) { convert(run, nullptr, nullptr); });
  };
}

template <class T>
bool accepts_floats(const T&, const Signature& s) {
  return sub_function(s.in[0].dtype) != nullptr && walkable(s.in[0], s.out[0]);
}

Launch prepare_constants(const Signature& s, Constants when, RunFunction function,
                         const std::function<double(std::int64_t)>& constant) {
  const auto make = [constant, channels = s.in[0].shape.c] {
    return repeat_channels(channels, [&](std::int64_t c) { return std::pair(constant(c), 0.0); });
  };
  return with_constants<Constants2>(
      when, make,
      [function](Queue& queue, const View& in, const View& out, const Constants2& table) {
        walk(in, out, queue, [&](const Run& run) {
          function(run, table.a.data(), table.b.data());
        });
      });
}

Launch prepare_sub(const Sub& op, const Signature& s) {
  return prepare_constants(s, op.constants, sub_function(s.in[0].dtype),
                           [mean = op.mean](std::int64_t c) { return at_channel(mean, c); });
}

Launch prepare_div(const Div& op, const Signature& s) {
  return prepare_constants(s, op.constants, div_function(s.in[0].dtype),
                           [std = op.std](std::int64_t c) {
                             if (c == 0) check_divisors(std);
                             return at_channel(std, c);
                           });
}

}  // namespace

std::span<const Kernel> cast_rows() {
  static const Kernel rows[] = {reference_row(Cast::name),
                                row<Cast, accepts_cast, prepare_cast<suitable_stores>>("simd"),
                                row<Cast, accepts_cast, prepare_cast<normal_stores>>("temporal")};
  return rows;
}

std::span<const Kernel> sub_div_rows() {
  static const Kernel rows[] = {
      reference_row(Sub::name), row<Sub, accepts_floats<Sub>, prepare_sub>("simd"),
      reference_row(Div::name), row<Div, accepts_floats<Div>, prepare_div>("simd")};
  return rows;
}

}  // namespace normbench
