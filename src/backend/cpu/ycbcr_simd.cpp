#include "backend/cpu/ycbcr_simd.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstring>

#include "backend/cpu/move_simd.h"
#include "ops/ycbcr.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/ycbcr_simd.cpp"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h, which includes this file once per instruction set.
#include "backend/cpu/elementwise-inl.h"
#include "backend/cpu/load_pixels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {

using W = hn::ScalableTag<std::uint16_t>;
using Bytes = hn::Rebind<std::uint8_t, W>;  // as many bytes as a vector of 16-bit numbers has lanes
using I = hn::RebindToSigned<U>;

/// Elements before and behind a row in a buffer, so that whole vectors can be loaded and stored.
constexpr std::int64_t kSlack = HWY_MAX_BYTES;

template <class T>
class Buffer {
 public:
  explicit Buffer(std::int64_t elements)
      : memory_(hwy::AllocateAligned<T>(static_cast<std::size_t>(elements + 2 * kSlack))) {
    std::fill_n(memory_.get(), elements + 2 * kSlack, T{0});
  }
  T* data() { return memory_.get() + kSlack; }

 private:
  hwy::AlignedFreeUniquePtr<T[]> memory_;
};

/// How sums of chroma are rounded before they are used: (sum + first) >> shift for the first pixel
/// of two, (sum + second) >> shift for the second one. A `shift` of 0 keeps the sums.
struct ChromaRounding {
  std::uint16_t first = 0, second = 0;
  int shift = 0;
};

/// Stores 3 * near + far.
HWY_INLINE void blend_rows(const std::uint8_t* near, const std::uint8_t* far, std::int64_t count,
                           std::uint16_t* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(W()));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto a = hn::PromoteTo(W(), hn::LoadU(Bytes(), near + i));
    const auto b = hn::PromoteTo(W(), hn::LoadU(Bytes(), far + i));
    hn::StoreU(hn::Add(hn::Add(a, hn::Add(a, a)), b), W(), out + i);
  }
  for (; i < count; ++i) out[i] = static_cast<std::uint16_t>(3 * near[i] + far[i]);
}

HWY_INLINE void widen_row(const std::uint8_t* in, std::int64_t count, std::uint16_t* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(W()));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::PromoteTo(W(), hn::LoadU(Bytes(), in + i)), W(), out + i);
  for (; i < count; ++i) out[i] = in[i];
}

template <class V>
HWY_INLINE V rounded_sum(V sum, std::uint16_t added, int shift) {
  return shift == 0 ? sum : hn::ShiftRightSame(hn::Add(sum, hn::Set(W(), added)), shift);
}

/// Stores two elements for each of `count` elements of `in`: 3 times the element plus the one
/// before it, and 3 times the element plus the one behind it. `in` has one more element at each
/// end.
HWY_INLINE void widen_triangle(const std::uint16_t* in, std::int64_t count,
                               const ChromaRounding& rounding, std::uint16_t* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(W()));
  for (std::int64_t i = 0; i < count; i += lanes) {
    const auto here = hn::LoadU(W(), in + i);
    const auto three = hn::Add(here, hn::Add(here, here));
    const auto first =
        rounded_sum(hn::Add(three, hn::LoadU(W(), in + i - 1)), rounding.first, rounding.shift);
    const auto second =
        rounded_sum(hn::Add(three, hn::LoadU(W(), in + i + 1)), rounding.second, rounding.shift);
    hn::StoreInterleaved2(first, second, W(), out + 2 * i);
  }
}

/// Stores `step` times each of `count` elements.
HWY_INLINE void repeat(const std::uint16_t* in, std::int64_t count, std::int64_t step,
                       std::uint16_t* out) {
  for (std::int64_t i = 0; i < count; ++i) std::fill_n(out + i * step, step, in[i]);
}

template <class T>
HWY_INLINE void mirror(const T* in, std::int64_t count, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes)
    hn::StoreU(mirrored(d, hn::LoadU(d, in + count - i - lanes)), d, out + i);
}

/// A row of Y, and the chroma of its pixels in units of 1 / `parts`. Behind each row, up to a
/// vector of elements may be loaded.
struct PixelRow {
  const std::uint8_t* y;
  const std::uint16_t *cb, *cr;
};

/// Reads rows of a window and upsamples their chroma.
class RowReader {
 public:
  RowReader(const YcbcrJob& job, bool rounds)
      : job_(job),
        shape_(job.image.desc.shape),
        format_(row_of(shape_.format)),
        how_(chroma_upsampling(shape_)),
        rounds_(rounds),
        pixels_(job.out.desc.shape.w),
        first_(job.left / format_.across),
        count_((job.left + pixels_ - 1) / format_.across + 1 - first_),
        samples_(count_ + 2),
        upsampled_(count_ * format_.across),
        y_(pixels_),
        mirrored_y_(pixels_),
        chroma_{Buffer<std::uint16_t>(pixels_), Buffer<std::uint16_t>(pixels_)} {}

  /// Returns by how much the chroma of the rows is too large.
  int parts() const {
    const auto of = [](Upsampling how) { return how == Upsampling::Triangle ? 4 : 1; };
    return rounds_ ? 1 : of(how_.across) * of(how_.down);
  }

  PixelRow read(std::int64_t out_row) {
    const Flip flip = job_.flip;
    const bool is_mirrored = flip == Flip::Horizontal || flip == Flip::Both;
    const bool is_upside_down = flip == Flip::Vertical || flip == Flip::Both;
    const std::int64_t row =
        job_.top + (is_upside_down ? job_.out.desc.shape.h - 1 - out_row : out_row);
    const auto* y = reinterpret_cast<const std::uint8_t*>(job_.image.data) + row * shape_.w;
    std::memcpy(y_.data(), y + job_.left, static_cast<std::size_t>(pixels_));
    if (is_mirrored) mirror(y_.data(), pixels_, mirrored_y_.data());
    const std::uint16_t* chroma[2];
    for (std::size_t c = 0; c < 2; ++c) {
      const std::uint16_t* const whole = upsample(static_cast<std::int64_t>(c) + 1, row);
      const std::int64_t on = job_.left - first_ * format_.across;
      std::uint16_t* const kept = chroma_[c].data();
      if (is_mirrored)
        mirror(whole + on, pixels_, kept);
      else
        std::memcpy(kept, whole + on, static_cast<std::size_t>(pixels_) * sizeof(*kept));
      chroma[c] = kept;
    }
    return {is_mirrored ? mirrored_y_.data() : y_.data(), chroma[0], chroma[1]};
  }

 private:
  /// Returns the chroma of a row, from the pixel on at which sample `first_` begins.
  const std::uint16_t* upsample(std::int64_t channel, std::int64_t row) {
    const View plane = plane_view(job_.image, channel);
    const Shape& size = plane.desc.shape;
    const auto* samples = reinterpret_cast<const std::uint8_t*>(plane.data);
    const ChromaTaps taps = chroma_taps(row, size.h, format_.down, how_.down);
    // The window needs these samples, and one more on each side, which is repeated at the border.
    const std::int64_t from = std::max<std::int64_t>(0, first_ - 1),
                       to = std::min(size.w, first_ + count_ + 1);
    std::uint16_t* const sums = samples_.data() + 1;  // of sample `first_` on
    std::uint16_t* const out = sums + from - first_;
    if (how_.down == Upsampling::Triangle)
      blend_rows(samples + taps.near * size.w + from, samples + taps.far * size.w + from, to - from,
                 out);
    else
      widen_row(samples + taps.near * size.w + from, to - from, out);
    if (from == first_) sums[-1] = sums[0];
    if (to == first_ + count_) sums[count_] = sums[count_ - 1];
    const ChromaRounding rounding = rounding_of_row(row);
    if (how_.across == Upsampling::Triangle) {
      widen_triangle(sums, count_, rounding, upsampled_.data());
      return upsampled_.data();
    }
    if (rounding.shift != 0)
      for (std::int64_t i = 0; i < count_; ++i)
        sums[i] = static_cast<std::uint16_t>((sums[i] + rounding.first) >> rounding.shift);
    if (format_.across == 1) return sums;
    repeat(sums, count_, format_.across, upsampled_.data());
    return upsampled_.data();
  }

  /// Returns how libjpeg rounds: ties alternate between up and down.
  ChromaRounding rounding_of_row(std::int64_t row) const {
    const bool across = how_.across == Upsampling::Triangle,
               down = how_.down == Upsampling::Triangle;
    if (!rounds_ || (!across && !down)) return {};
    if (across && down) return {.first = 8, .second = 7, .shift = 4};
    if (across) return {.first = 1, .second = 2, .shift = 2};
    return {.first = static_cast<std::uint16_t>(row % 2 == 0 ? 1 : 2), .shift = 2};
  }

  const YcbcrJob& job_;
  const Shape& shape_;
  const PixelFormatRow& format_;
  const ChromaUpsampling how_;
  const bool rounds_;
  const std::int64_t pixels_;         // of a row of the window
  const std::int64_t first_, count_;  // samples of chroma that the window needs
  Buffer<std::uint16_t> samples_, upsampled_;
  Buffer<std::uint8_t> y_, mirrored_y_;
  std::array<Buffer<std::uint16_t>, 2> chroma_;
};

HWY_INLINE VF chroma_at(const std::uint16_t* row, std::int64_t i) {
  return hn::ConvertTo(F(), hn::PromoteTo(I(), hn::LoadU(Half(), row + i)));
}

/// Computes a channel of pixels as normalised floats: y + weight * chroma, clamped to 0 and 255,
/// and then multiplied by `a` and added to `b`. Green has two kinds of chroma.
template <bool Green>
class Normalized {
 public:
  Normalized(const std::uint8_t* y, const std::uint16_t* first, float weight,
             const std::uint16_t* second, float second_weight, int parts, float a, float b)
      : y_(y),
        first_(first),
        second_(second),
        weight_(hn::Set(F(), weight / static_cast<float>(parts))),
        second_weight_(hn::Set(F(), second_weight / static_cast<float>(parts))),
        middle_(hn::Set(F(), -128 * (weight + second_weight))),
        a_(hn::Set(F(), a)),
        b_(hn::Set(F(), b)) {}

  HWY_INLINE VF operator()(std::int64_t i) const {
    VF value = hn::Add(load<DType::UInt8>(y_ + i), middle_);
    value = hn::MulAdd(chroma_at(first_, i), weight_, value);
    if constexpr (Green) value = hn::MulAdd(chroma_at(second_, i), second_weight_, value);
    value = hn::Min(hn::Max(value, hn::Zero(F())), hn::Set(F(), 255.0f));
    return hn::MulAdd(value, a_, b_);
  }

 private:
  const std::uint8_t* y_;
  const std::uint16_t *first_, *second_;
  VF weight_, second_weight_, middle_, a_, b_;
};

/// Computes a block of elements from element `i` on, and stores it.
template <DType To, Stores S, class Value>
HWY_INLINE void value_block(const Value& value, std::int64_t i, Storage<To>* out) {
  if constexpr (vectors_per_block<To>() == 1)
    put_single<To, S>(value(i), out);
  else
    put<S>(Whole16(), narrow<To>(value(i), value(i + static_cast<std::int64_t>(hn::Lanes(F())))),
           out);
}

/// Stores fewer elements than a block.
template <DType To, class Value>
HWY_INLINE void value_part(const Value& value, std::int64_t i, std::int64_t count,
                           Storage<To>* out) {
  if (count <= 0) return;
  HWY_ALIGN Storage<To> block[HWY_MAX_BYTES];
  value_block<To, Stores::Normal>(value, i, block);
  std::memcpy(out, block, static_cast<std::size_t>(count) * sizeof(*out));
}

/// Stores a row of a channel.
template <DType To, Stores S, class Value>
HWY_INLINE void value_row(const Value& value, std::int64_t count, Storage<To>* out) {
  const std::int64_t step = static_cast<std::int64_t>(hn::Lanes(F())) * vectors_per_block<To>();
  std::int64_t i = 0;
  if constexpr (S == Stores::NonTemporal) {
    i = std::min(count, until_aligned<To>(reinterpret_cast<const std::byte*>(out), step));
    value_part<To>(value, 0, i, out);
  }
  for (; i + step <= count; i += step) value_block<To, S>(value, i, out + i);
  value_part<To>(value, i, count - i, out + i);
}

/// Computes rows of the output. `fill(row, out)` stores the three channels of a row of pixels at
/// `out[c]`, by the given stores.
template <class T, class FillPlanes, class FillCache>
HWY_INLINE void each_output_row(const YcbcrJob& job, RowReader& reader, Stores stores,
                                std::int64_t begin, std::int64_t end, const FillPlanes& to_planes,
                                const FillCache& to_cache) {
  const TensorDesc& to = job.out.desc;
  auto* const out = reinterpret_cast<T*>(job.out.data);
  if (to.layout == Layout::Nchw) {
    for (std::int64_t y = begin; y < end; ++y) {
      T* const row = out + y * to.shape.w;
      to_planes(reader.read(y), std::array{row, row + to.strides.c, row + 2 * to.strides.c});
    }
    return;
  }
  const std::int64_t apart = (to.shape.w + kSlack) / kSlack * kSlack;
  Buffer<T> planes(3 * apart);
  for (std::int64_t y = begin; y < end; ++y) {
    to_cache(reader.read(y),
             std::array{planes.data(), planes.data() + apart, planes.data() + 2 * apart});
    const PixelRun run{.from = {reinterpret_cast<const std::byte*>(planes.data()), {1, apart}},
                       .to = {reinterpret_cast<std::byte*>(out + y * to.strides.h), {3, 1}},
                       .channels = 3,
                       .pixels = to.shape.w};
    if (!move_pixels(run, sizeof(T), stores)) gather(run, sizeof(T));
  }
}

template <DType To, Stores S>
HWY_INLINE void normalize_row(const PixelRow& row, int parts, const RgbConstants& k,
                              std::int64_t count, const std::array<Storage<To>*, 3>& out) {
  constexpr auto red = static_cast<float>(red_cr), green_b = static_cast<float>(-green_cb),
                 green_r = static_cast<float>(-green_cr), blue = static_cast<float>(blue_cb);
  value_row<To, S>(Normalized<false>(row.y, row.cr, red, nullptr, 0, parts, k.a[0], k.b[0]), count,
                   out[0]);
  value_row<To, S>(Normalized<true>(row.y, row.cb, green_b, row.cr, green_r, parts, k.a[1], k.b[1]),
                   count, out[1]);
  value_row<To, S>(Normalized<false>(row.y, row.cb, blue, nullptr, 0, parts, k.a[2], k.b[2]), count,
                   out[2]);
}

template <DType To, Stores S>
void normalize(const YcbcrJob& job, const RgbConstants& constants, std::int64_t begin,
               std::int64_t end) {
  RowReader reader(job, false);
  const std::int64_t count = job.out.desc.shape.w;
  const auto rows = [&]<Stores R>(std::integral_constant<Stores, R>) {
    return [&](const PixelRow& row, const std::array<Storage<To>*, 3>& out)
               HWY_ATTR { normalize_row<To, R>(row, reader.parts(), constants, count, out); };
  };
  each_output_row<Storage<To>>(job, reader, S, begin, end,
                               rows(std::integral_constant<Stores, S>()),
                               rows(std::integral_constant<Stores, Stores::Normal>()));
}

/// Returns (x * weight + 1/2) >> 16 for whole numbers.
HWY_INLINE hn::Vec<I> fixed_product(hn::Vec<I> x, int weight) {
  return hn::ShiftRight<16>(hn::Add(hn::Mul(x, hn::Set(I(), weight)), hn::Set(I(), 1 << 15)));
}

/// Converts a row of pixels as libjpeg does, with its weights in units of 2^-16.
HWY_INLINE void rgb_row(const PixelRow& row, std::int64_t count,
                        const std::array<std::uint8_t*, 3>& out) {
  constexpr int red = 91881, green_b = -22554, green_r = -46802, blue = 116130;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(F()));
  const auto middle = hn::Set(I(), 128);
  const auto store = [&](hn::Vec<I> value, std::int64_t i, std::uint8_t* to) HWY_ATTR {
    const VQuarter bytes = hn::DemoteTo(Quarter(), value);
    if (i + lanes <= count) return hn::StoreU(bytes, Quarter(), to + i);
    HWY_ALIGN std::uint8_t block[HWY_MAX_BYTES];
    hn::Store(bytes, Quarter(), block);
    std::memcpy(to + i, block, static_cast<std::size_t>(count - i));
  };
  for (std::int64_t i = 0; i < count; i += lanes) {
    const auto y = hn::PromoteTo(I(), hn::LoadU(Quarter(), row.y + i));
    const auto cb = hn::Sub(hn::PromoteTo(I(), hn::LoadU(Half(), row.cb + i)), middle);
    const auto cr = hn::Sub(hn::PromoteTo(I(), hn::LoadU(Half(), row.cr + i)), middle);
    store(hn::Add(y, fixed_product(cr, red)), i, out[0]);
    const auto both =
        hn::Add(hn::Mul(cb, hn::Set(I(), green_b)), hn::Mul(cr, hn::Set(I(), green_r)));
    store(hn::Add(y, hn::ShiftRight<16>(hn::Add(both, hn::Set(I(), 1 << 15)))), i, out[1]);
    store(hn::Add(y, fixed_product(cb, blue)), i, out[2]);
  }
}

template <Stores S>
void to_rgb(const YcbcrJob& job, const RgbConstants&, std::int64_t begin, std::int64_t end) {
  RowReader reader(job, true);
  const std::int64_t count = job.out.desc.shape.w;
  const auto fill = [&](const PixelRow& row, const std::array<std::uint8_t*, 3>& out)
                        HWY_ATTR { rgb_row(row, count, out); };
  each_output_row<std::uint8_t>(job, reader, S, begin, end, fill, fill);
}

YcbcrFunction pick_normalize(DType to, Stores stores) {
  return for_floats<YcbcrFunction>(
      to, stores, []<DType To, Stores S>() -> YcbcrFunction { return &normalize<To, S>; });
}

YcbcrFunction pick_to_rgb(Stores stores) {
  return stores == Stores::NonTemporal ? &to_rgb<kPastCache> : &to_rgb<Stores::Normal>;
}

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normbench {

HWY_EXPORT(pick_normalize);
HWY_EXPORT(pick_to_rgb);

YcbcrFunction normalize_ycbcr_function(DType to, Stores stores) {
  return HWY_DYNAMIC_DISPATCH(pick_normalize)(to, stores);
}
YcbcrFunction to_rgb_function(Stores stores) { return HWY_DYNAMIC_DISPATCH(pick_to_rgb)(stores); }

}  // namespace normbench
#endif
