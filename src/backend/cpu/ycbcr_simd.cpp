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

HWY_INLINE void mirror(const std::uint16_t* in, std::int64_t count, std::uint16_t* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(W()));
  for (std::int64_t i = 0; i < count; i += lanes)
    hn::StoreU(hn::Reverse(W(), hn::LoadU(W(), in + count - i - lanes)), W(), out + i);
}

/// A row of Y, and the chroma of its pixels in units of 1 / RowReader::parts(). Behind each row of
/// chroma, up to a vector of elements may be loaded.
struct PixelRow {
  const std::uint8_t* y;
  const std::uint16_t *cb, *cr;
};

/// Reads rows of a window and upsamples their chroma.
class RowReader {
  static constexpr std::int64_t kRowsAhead = 2;  // rows that are fetched before they are read

 public:
  RowReader(const YcbcrJob& job, bool rounds)
      : job_(job),
        shape_(job.image.desc.shape),
        format_(row_of(shape_.format)),
        how_(chroma_upsampling(shape_)),
        rounds_(rounds),
        is_mirrored_(job.flip == Flip::Horizontal || job.flip == Flip::Both),
        is_upside_down_(job.flip == Flip::Vertical || job.flip == Flip::Both),
        pixels_(job.out.desc.shape.w),
        first_(job.left / format_.across),
        count_((job.left + pixels_ - 1) / format_.across + 1 - first_),
        cb_(count_, format_.across, is_mirrored_ ? pixels_ : 0),
        cr_(count_, format_.across, is_mirrored_ ? pixels_ : 0),
        mirrored_y_(is_mirrored_ ? pixels_ : 0) {}

  /// Returns the factor by which the chroma that read() returns is too large.
  int parts() const {
    const auto of = [](Upsampling how) { return how == Upsampling::Triangle ? 4 : 1; };
    return rounds_ ? 1 : of(how_.across) * of(how_.down);
  }

  /// Returns row `out_row` of the output. It is valid until the next call.
  PixelRow read(std::int64_t out_row) {
    const std::int64_t height = job_.out.desc.shape.h;
    const std::int64_t row = job_.top + (is_upside_down_ ? height - 1 - out_row : out_row);
    const auto* y =
        reinterpret_cast<const std::uint8_t*>(job_.image.data) + row * shape_.w + job_.left;
    if (row + kRowsAhead < shape_.h) fetch_lines(y + kRowsAhead * shape_.w, pixels_);
    if (is_mirrored_) {
      std::reverse_copy(y, y + pixels_, mirrored_y_.data());
      y = mirrored_y_.data();
    }
    return {y, chroma(1, row, cb_), chroma(2, row, cr_)};
  }

 private:
  /// The buffers of a channel of chroma.
  struct Rows {
    Rows(std::int64_t samples, std::int64_t across, std::int64_t mirrored)
        : sums(samples + 2), upsampled(samples * across), mirrored(mirrored) {}
    Buffer<std::uint16_t> sums, upsampled, mirrored;
  };

  /// Returns the chroma of the pixels of a row.
  const std::uint16_t* chroma(std::int64_t channel, std::int64_t row, Rows& rows) {
    const std::uint16_t* const first =
        upsample(channel, row, rows) + job_.left - first_ * format_.across;
    if (!is_mirrored_) return first;
    mirror(first, pixels_, rows.mirrored.data());
    return rows.mirrored.data();
  }

  /// Returns the chroma of a row, from the first pixel of sample `first_` on.
  const std::uint16_t* upsample(std::int64_t channel, std::int64_t row, Rows& rows) {
    const View plane = plane_view(job_.image, channel);
    const Shape& size = plane.desc.shape;
    const auto* samples = reinterpret_cast<const std::uint8_t*>(plane.data);
    const ChromaTaps taps = chroma_taps(row, size.h, format_.down, how_.down);
    if (taps.near + kRowsAhead < size.h)
      fetch_lines(samples + (taps.near + kRowsAhead) * size.w + first_, count_);
    // The window needs these samples, and one more on each side, which is repeated at the border.
    const std::int64_t from = std::max<std::int64_t>(0, first_ - 1),
                       to = std::min(size.w, first_ + count_ + 1);
    std::uint16_t* const sums = rows.sums.data() + 1;  // from sample `first_` on
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
      widen_triangle(sums, count_, rounding, rows.upsampled.data());
      return rows.upsampled.data();
    }
    if (rounding.shift != 0)
      for (std::int64_t i = 0; i < count_; ++i)
        sums[i] = static_cast<std::uint16_t>((sums[i] + rounding.first) >> rounding.shift);
    if (format_.across == 1) return sums;
    repeat(sums, count_, format_.across, rows.upsampled.data());
    return rows.upsampled.data();
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
  const bool rounds_, is_mirrored_, is_upside_down_;
  const std::int64_t pixels_;         // of a row of the window
  const std::int64_t first_, count_;  // samples of chroma that the window needs
  Rows cb_, cr_;
  Buffer<std::uint8_t> mirrored_y_;
};

/// Red, green and blue of some neighbouring pixels.
template <class V>
struct Rgb {
  V red, green, blue;
};

/// Computes pixels as normalised floats: y + weight * chroma, clamped to 0 and 255, multiplied by
/// `a` and added to `b`. 128 is not subtracted from chroma. This shifts all values of a channel by
/// the same number, kOffBy, so the bounds are shifted by it as well, and `b` makes up for it.
class Normalizer {
 public:
  Normalizer(const RgbConstants& constants, int parts) : a_(constants.a), unit_(1.0 / parts) {
    for (std::size_t c = 0; c < 3; ++c)
      b_[c] = static_cast<float>(constants.b[c] - static_cast<double>(a_[c]) * kOffBy[c]);
  }

  HWY_INLINE Rgb<VF> operator()(const PixelRow& row, std::int64_t i) const {
    const VF y = load<DType::UInt8>(row.y + i), cb = chroma(row.cb + i), cr = chroma(row.cr + i);
    const VF green = hn::MulAdd(cb, weight(-green_cb), hn::MulAdd(cr, weight(-green_cr), y));
    return {finished<0>(hn::MulAdd(cr, weight(red_cr), y)), finished<1>(green),
            finished<2>(hn::MulAdd(cb, weight(blue_cb), y))};
  }

 private:
  static constexpr double kOffBy[3] = {128 * red_cr, -128 * (green_cb + green_cr), 128 * blue_cb};

  static HWY_INLINE VF chroma(const std::uint16_t* row) {
    return hn::ConvertTo(F(), hn::PromoteTo(I(), hn::LoadU(Half(), row)));
  }
  HWY_INLINE VF weight(double of_chroma) const {
    return hn::Set(F(), static_cast<float>(of_chroma * unit_));
  }
  template <std::size_t C>
  HWY_INLINE VF finished(VF value) const {
    constexpr auto least = static_cast<float>(kOffBy[C]),
                   most = static_cast<float>(255 + kOffBy[C]);
    value = hn::Min(hn::Max(value, hn::Set(F(), least)), hn::Set(F(), most));
    return hn::MulAdd(value, hn::Set(F(), a_[C]), hn::Set(F(), b_[C]));
  }

  const std::array<float, 3> a_;
  std::array<float, 3> b_;
  const double unit_;
};

/// Returns (x * weight + 1/2) >> 16 for whole numbers.
HWY_INLINE hn::Vec<I> fixed_product(hn::Vec<I> x, int weight) {
  return hn::ShiftRight<16>(hn::Add(hn::Mul(x, hn::Set(I(), weight)), hn::Set(I(), 1 << 15)));
}

/// Computes pixels as libjpeg does, with its weights in units of 2^-16. The results may lie beyond
/// 0 and 255.
struct JpegConverter {
  HWY_INLINE Rgb<hn::Vec<I>> operator()(const PixelRow& row, std::int64_t i) const {
    const auto middle = hn::Set(I(), 128);
    const auto y = hn::PromoteTo(I(), hn::LoadU(Quarter(), row.y + i));
    const auto cb = hn::Sub(hn::PromoteTo(I(), hn::LoadU(Half(), row.cb + i)), middle);
    const auto cr = hn::Sub(hn::PromoteTo(I(), hn::LoadU(Half(), row.cr + i)), middle);
    const auto of_green = hn::Sub(hn::Mul(cb, hn::Set(I(), -jpeg_green_cb)),
                                  hn::Mul(cr, hn::Set(I(), jpeg_green_cr)));
    const auto green = hn::ShiftRight<16>(hn::Add(of_green, hn::Set(I(), 1 << 15)));
    return {hn::Add(y, fixed_product(cr, jpeg_red_cr)), hn::Add(y, green),
            hn::Add(y, fixed_product(cb, jpeg_blue_cb))};
  }
};

/// Stores `first`, and behind it `second` if a block of the dtype has two vectors.
template <DType To>
HWY_INLINE void put_values(VF first, VF second, Storage<To>* out) {
  if constexpr (vectors_per_block<To>() == 1)
    put_single<To, Stores::Normal>(first, out);
  else
    put<Stores::Normal>(Whole16(), narrow<To>(first, second), out);
}
template <DType To>
HWY_INLINE void put_values(hn::Vec<I> first, hn::Vec<I>, std::uint8_t* out) {
  hn::StoreU(hn::DemoteTo(Quarter(), first), Quarter(), out);
}

/// Where a row of pixels is stored: one address for each channel.
template <DType To>
using Targets = std::array<Storage<To>*, 3>;

/// The number of pixels that a block computes at once.
template <DType To>
std::int64_t block_pixels() {
  return static_cast<std::int64_t>(hn::Lanes(F())) *
         (To == DType::UInt8 ? 1 : vectors_per_block<To>());
}

/// Computes and stores a block of pixels from pixel `i` on.
template <DType To, class Pixels>
HWY_INLINE void pixel_block(const Pixels& pixels, const PixelRow& row, std::int64_t i,
                            const Targets<To>& out) {
  const auto first = pixels(row, i);
  auto second = first;
  if constexpr (To == DType::Float16 || To == DType::BFloat16)
    if constexpr (!kScalar) second = pixels(row, i + static_cast<std::int64_t>(hn::Lanes(F())));
  put_values<To>(first.red, second.red, out[0] + i);
  put_values<To>(first.green, second.green, out[1] + i);
  put_values<To>(first.blue, second.blue, out[2] + i);
}

/// Computes and stores `count` pixels, fewer than a block, from pixel `i` on.
template <DType To, class Pixels>
HWY_INLINE void pixel_part(const Pixels& pixels, const PixelRow& row, std::int64_t i,
                           std::int64_t count, const Targets<To>& out) {
  if (count <= 0) return;
  HWY_ALIGN std::uint8_t y[HWY_MAX_BYTES] = {};
  HWY_ALIGN Storage<To> values[3][HWY_MAX_BYTES];
  std::memcpy(y, row.y + i, static_cast<std::size_t>(count));
  pixel_block<To>(pixels, PixelRow{y, row.cb + i, row.cr + i}, 0,
                  {values[0], values[1], values[2]});
  for (std::size_t c = 0; c < 3; ++c)
    std::memcpy(out[c] + i, values[c], static_cast<std::size_t>(count) * sizeof(**out.data()));
}

/// The number of pixels whose results are stored past the cache at once, one channel after the
/// other: 512 bytes of every channel. With fewer bytes, stores alternate between the channels more
/// often, which was slower on an EPYC (family 25).
template <DType To>
constexpr std::int64_t kVisit = 512 / sizeof(Storage<To>);

/// Computes kVisit<To> pixels from pixel `i` on, and stores them past the cache.
template <DType To, class Pixels>
HWY_INLINE void pixel_visit(const Pixels& pixels, const PixelRow& row, std::int64_t i,
                            const Targets<To>& out) {
  const hn::ScalableTag<Storage<To>> d;
  HWY_ALIGN Storage<To> values[3][kVisit<To>];
  for (std::int64_t k = 0; k < kVisit<To>; k += block_pixels<To>())
    pixel_block<To>(pixels, {row.y + i, row.cb + i, row.cr + i}, k,
                    {values[0], values[1], values[2]});
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t k = 0; k < kVisit<To>; k += hn::Lanes(d))
      hn::Stream(hn::Load(d, values[c] + k), d, out[c] + i + k);
}

/// Computes and stores a row. Stores past the cache begin at the first pixel at which a cache line
/// of the output starts. That pixel must be the same in all channels.
template <DType To, Stores S, class Pixels>
HWY_INLINE void pixel_row(const Pixels& pixels, const PixelRow& row, std::int64_t count,
                          const Targets<To>& out) {
  const std::int64_t step = block_pixels<To>();
  std::int64_t i = 0;
  if constexpr (S == Stores::NonTemporal) {
    constexpr std::int64_t line = 64 / sizeof(Storage<To>);
    i = std::min(count, until_aligned<To>(reinterpret_cast<const std::byte*>(out[0]), line));
    std::int64_t k = 0;
    for (; k + step <= i; k += step) pixel_block<To>(pixels, row, k, out);
    pixel_part<To>(pixels, row, k, i - k, out);
    for (; i + kVisit<To> <= count; i += kVisit<To>) pixel_visit<To>(pixels, row, i, out);
  }
  for (; i + step <= count; i += step) pixel_block<To>(pixels, row, i, out);
  pixel_part<To>(pixels, row, i, count - i, out);
}

/// Computes rows [begin, end) of the output.
template <DType To, Stores S, class Pixels>
HWY_INLINE void rows_of(const YcbcrJob& job, RowReader& reader, const Pixels& pixels,
                        std::int64_t begin, std::int64_t end) {
  using T = Storage<To>;
  const TensorDesc& to = job.out.desc;
  const std::int64_t width = to.shape.w;
  auto* const out = reinterpret_cast<T*>(job.out.data);
  if (to.layout == Layout::Nchw) {
    const std::int64_t plane = to.strides.c, line = 64 / sizeof(T);
    for (std::int64_t y = begin; y < end; ++y) {
      T* const row = out + y * width;
      const Targets<To> targets{row, row + plane, row + 2 * plane};
      if (plane % line == 0)
        pixel_row<To, S>(pixels, reader.read(y), width, targets);
      else
        pixel_row<To, Stores::Normal>(pixels, reader.read(y), width, targets);
    }
    return;
  }
  // The channels of a row are computed to a buffer in the cache, and interleaved from there.
  const std::int64_t apart = (width + kSlack) / kSlack * kSlack;
  Buffer<T> planes(3 * apart);
  T* const first = planes.data();
  for (std::int64_t y = begin; y < end; ++y) {
    pixel_row<To, Stores::Normal>(pixels, reader.read(y), width,
                                  {first, first + apart, first + 2 * apart});
    const PixelRun run{.from = {reinterpret_cast<const std::byte*>(first), {1, apart}},
                       .to = {reinterpret_cast<std::byte*>(out + y * to.strides.h), {3, 1}},
                       .channels = 3,
                       .pixels = width};
    if (!move_pixels(run, sizeof(T), S)) gather(run, sizeof(T));
  }
}

template <DType To, Stores S>
void normalize(const YcbcrJob& job, const RgbConstants& constants, std::int64_t begin,
               std::int64_t end) {
  RowReader reader(job, false);
  rows_of<To, S>(job, reader, Normalizer(constants, reader.parts()), begin, end);
}

template <Stores S>
void to_rgb(const YcbcrJob& job, const RgbConstants&, std::int64_t begin, std::int64_t end) {
  RowReader reader(job, true);
  rows_of<DType::UInt8, S>(job, reader, JpegConverter(), begin, end);
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
