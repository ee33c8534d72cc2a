#include "backend/cpu/constants.h"
#include "backend/cpu/rows.h"
#include "ops/checks.h"

namespace normbench {
namespace {

template <class T>
bool accepts(const T&, const Signature& s) {
  return s.in[0].dtype != DType::UInt8 && walkable(s.in[0], s.out[0]);
}

Launch prepare(const Signature& s, Constants when, RunFunction function,
               const std::function<double(std::int64_t)>& constant) {
  const auto make = [constant, channels = s.in[0].shape.c] {
    return repeat_channels(channels, [&](std::int64_t c) { return std::pair(constant(c), 0.0); });
  };
  return with_constants<Constants2>(
      when, make,
      [function](Queue& queue, const View& in, const View& out, const Constants2& table) {
        walk(in, out, queue, [&](const Run& run) {
          function(run, table.a.data() + run.channel, table.b.data() + run.channel);
        });
      });
}

Launch prepare_sub(const Sub& op, const Signature& s) {
  return prepare(s, op.constants, sub_function(s.in[0].dtype),
                 [mean = op.mean](std::int64_t c) { return at_channel(mean, c); });
}

Launch prepare_div(const Div& op, const Signature& s) {
  return prepare(s, op.constants, div_function(s.in[0].dtype), [std = op.std](std::int64_t c) {
    if (c == 0) check_divisors(std);
    return at_channel(std, c);
  });
}

}  // namespace

std::span<const Kernel> sub_div_rows() {
  static const Kernel rows[] = {
      reference_row(Sub::name), row<Sub, accepts<Sub>, prepare_sub>("simd"),
      reference_row(Div::name), row<Div, accepts<Div>, prepare_div>("simd")};
  return rows;
}

}  // namespace normbench
