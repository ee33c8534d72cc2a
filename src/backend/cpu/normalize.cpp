#include <array>

#include "backend/cpu/choose_stores.h"
#include "backend/cpu/constants.h"
#include "backend/cpu/rows.h"
#include "ops/checks.h"

namespace normbench {
namespace {

using Lut = std::vector<std::array<float, 256>>;  // indexed by channel and uint8 value

/// Returns the constants a and b of each channel with which x * a + b is (x * scale - mean) / std.
Constants2 multiply_add(const Normalize& op, std::int64_t channels) {
  check_divisors(op.std);
  return repeat_channels(channels, [&](std::int64_t c) { return op.multiply_add(c); });
}

bool accepts_fused(const Normalize& op, const Signature& s) {
  return !has_ycbcr(s) && fma_function(s.in[0].dtype, op.to, Stores::Normal) != nullptr &&
         walkable(s.in[0], s.out[0]);
}

template <StoresRule (*Rule)(const Signature&), FirstTouches Fresh = FirstTouches::Fault>
Launch prepare_fused(const Normalize& op, const Signature& s) {
  return with_constants<Constants2>(
      op.constants, [op, channels = s.out[0].shape.c] { return multiply_add(op, channels); },
      [op, stores = Rule(s), from = s.in[0].dtype,
       touches = s.pages_mapped ? FirstTouches::Fault : Fresh](
          Queue& queue, const View& in, const View& out, const Constants2& table) {
        const Stores chosen = stores(queue.threads);
        const float *a = table.a.data(), *b = table.b.data();
        const RunFunction function = fma_function(from, op.to, chosen);
        PixelBody pixels;
        if (const PixelFunction planes = pixels_function(from, op.to, chosen))
          pixels = [=](const PixelRun& run) { return planes(run, a, b); };
        for (const Portion& portion : portions_of(op, std::span(&in, 1), out))
          walk(
              portion.in, portion.out, queue, [=](const Run& run) { function(run, a, b); }, pixels,
              touches);
      });
}

Lut make_lut(const Normalize& op, std::int64_t channels) {
  check_divisors(op.std);
  Lut lut(static_cast<std::size_t>(channels));
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::size_t x = 0; x < 256; ++x)
      lut[static_cast<std::size_t>(c)][x] = static_cast<float>(
          (static_cast<double>(x) * op.scale - at_channel(op.mean, c)) / at_channel(op.std, c));
  return lut;
}

void look_up(const Run& run, const Lut& lut) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(run.in);
  auto* out = reinterpret_cast<float*>(run.out);
  if (run.period == 1)
    return each_plane(run, 0, [&](std::int64_t begin, std::int64_t count, std::int64_t channel) {
      const auto& table = lut[static_cast<std::size_t>(channel)];
      for (std::int64_t i = begin; i < begin + count; ++i) out[i] = table[in[i]];
    });
  for (std::int64_t c = 0; c < run.period; ++c) {
    const auto& table = lut[static_cast<std::size_t>(run.channel + c)];
    for (std::int64_t i = c; i < run.elements; i += run.period) out[i] = table[in[i]];
  }
}

bool accepts_lut(const Normalize& op, const Signature& s) {
  return accepts_fused(op, s) && s.in[0].dtype == DType::UInt8 && op.to == DType::Float32;
}

Launch prepare_lut(const Normalize& op, const Signature& s) {
  return with_constants<Lut>(
      op.constants, [op, channels = s.out[0].shape.c] { return make_lut(op, channels); },
      [op](Queue& queue, const View& in, const View& out, const Lut& lut) {
        for (const Portion& portion : portions_of(op, std::span(&in, 1), out))
          walk(portion.in, portion.out, queue, [&](const Run& run) { look_up(run, lut); });
      });
}

}  // namespace

std::span<const Kernel> normalize_rows() {
  static const Kernel rows[] = {
      reference_row(Normalize::name),
      row<Normalize, accepts_fused, prepare_fused<suitable_stores, FirstTouches::Populate>>(
          "fused"),
      row<Normalize, accepts_fused, prepare_fused<normal_stores>>("fused_temporal"),
      row<Normalize, accepts_fused, prepare_fused<non_temporal_stores>>("fused_nt"),
      row<Normalize, accepts_lut, prepare_lut>("lut")};
  return rows;
}

}  // namespace normbench
