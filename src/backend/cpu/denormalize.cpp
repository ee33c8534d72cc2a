#include "backend/cpu/choose_stores.h"
#include "backend/cpu/constants.h"
#include "backend/cpu/rows.h"
#include "ops/checks.h"

namespace normbench {
namespace {

bool accepts_denormalize(const Denormalize&, const Signature& s) {
  return fma_function(s.in[0].dtype, DType::UInt8, Stores::Normal) != nullptr &&
         walkable(s.in[0], s.out[0]);
}

template <StoresRule (*Rule)(const Signature&), FirstTouches Fresh = FirstTouches::Fault>
Launch prepare_denormalize(const Denormalize& op, const Signature& s) {
  // The kernel computes (x * std + mean) / scale as x * a + b. The table has a = std / scale and
  // b = mean / scale for each channel.
  const Constants2 table = repeat_channels(s.out[0].shape.c, [&](std::int64_t c) {
    return std::pair(at_channel(op.std, c) / op.scale, at_channel(op.mean, c) / op.scale);
  });
  return [table, stores = Rule(s), from = s.in[0].dtype,
          touches = s.pages_mapped ? FirstTouches::Fault : Fresh](
             Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const Stores chosen = stores(queue.threads);
    const float *a = table.a.data(), *b = table.b.data();
    const RunFunction function = fma_function(from, DType::UInt8, chosen);
    PixelBody pixels;
    if (const PixelFunction interleave = interleave_function(from, chosen))
      pixels = [=](const PixelRun& run) { return interleave(run, a, b); };
    walk(
        in[0], out[0], queue, [=](const Run& run) { function(run, a, b); }, pixels, touches);
  };
}

}  // namespace

std::span<const Kernel> denormalize_rows() {
  static const Kernel rows[] = {
      reference_row(Denormalize::name),
      row<Denormalize, accepts_denormalize,
          prepare_denormalize<suitable_stores, FirstTouches::Populate>>("fused"),
      row<Denormalize, accepts_denormalize, prepare_denormalize<normal_stores>>("fused_temporal"),
      row<Denormalize, accepts_denormalize, prepare_denormalize<non_temporal_stores>>("fused_nt")};
  return rows;
}

}  // namespace normbench
