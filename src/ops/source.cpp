#include "ops/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <tuple>

#include "core/dtype.h"
#include "ops/array_file.h"

namespace normbench {
namespace {

/// Fills the view with the random bytes that `seed` determines, each converted to a T.
template <class T>
void fill_rows(const View& view, std::uint64_t seed) {
  std::array<T, 256> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = rounded<T>(static_cast<double>(i));
  constexpr std::int64_t size = sizeof(T);
  const auto [n, c, h, w] = view.desc.shape.extents();
  const Strides& step = view.desc.strides;
  std::vector<std::uint8_t> row(static_cast<std::size_t>(w));
  for (std::int64_t i = 0; i < n * c * h; ++i) {
    random_bytes(seed, i * w, row);
    std::byte* out =
        view.data + (i / (c * h) * step.n + i / h % c * step.c + i % h * step.h) * size;
    for (std::int64_t x = 0; x < w; ++x)
      std::memcpy(out + x * step.w * size, &values[row[static_cast<std::size_t>(x)]], sizeof(T));
  }
}

/// Returns element `index` of an endless random sequence: uniform in (0, 1), with 53 random bits.
double uniform(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = mixed(mixed(seed) + (index + 1) * 0x9E3779B97F4A7C15u);
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

/// Returns element `index` of an endless sequence of normal values. Each pair is computed from two
/// uniform values (Box, Muller: A note on the generation of random normal deviates, 1958).
double normal(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t pair = index / 2 * 2;
  const double radius = std::sqrt(-2 * std::log(uniform(seed, pair)));
  const double angle = 2 * std::numbers::pi * uniform(seed, pair + 1);
  return radius * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

double random_value(const RandomValues& values, std::uint64_t seed, std::uint64_t index) {
  if (values.distribution == Distribution::Uniform)
    return values.first + (values.second - values.first) * uniform(seed, index);
  return values.first + values.second * normal(seed, index);
}

/// Fills the tensor with the random values of images `first`, first + 1 and so on, rounded to the
/// dtype.
void fill_values(const RandomValues& values, DType dtype, std::uint64_t seed, std::int64_t first,
                 Tensor64& tensor) {
  const auto [n, c, h, w] = tensor.shape.extents();
  auto index = static_cast<std::uint64_t>(first * c * h * w);
  with_dtype(dtype, [&]<class T>(T) {
    for (double& value : tensor.values)
      value = to_double(rounded<T>(random_value(values, seed, index++)));
  });
}

Tensor64 empty_image(const Shape& shape, std::int64_t images) {
  Tensor64 tensor{.shape = shape, .values = {}};
  tensor.shape.n = images;
  tensor.values.resize(static_cast<std::size_t>(tensor.shape.elements()));
  return tensor;
}

/// Reads the member "values": {"uniform": [low, high]} or {"normal": [mean, std]}.
RandomValues read_values(Reader& reader) {
  const Json two{
      {"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}};
  reader.takes("values", {{"type", "object"},
                          {"properties", {{"uniform", two}, {"normal", two}}},
                          {"minProperties", 1},
                          {"maxProperties", 1},
                          {"additionalProperties", false}});
  if (!reader.has("values")) return {};
  constexpr std::string_view wanted =
      "expected {\"uniform\": [low, high]}, low < high, or {\"normal\": [mean, std]}, std >= 0";
  const Json& said = reader.member("values");
  const bool one = said.is_object() && said.size() == 1;
  const auto which = one ? parse_word<Distribution>(said.begin().key()) : std::nullopt;
  if (!which || *which == Distribution::Bytes) {
    reader.complain_at("values", std::string(wanted));
    return {};
  }
  Reader member = reader.object("values");
  const std::vector<double> numbers = member.numbers(said.begin().key(), {});
  const bool fits = std::ranges::all_of(numbers, [](double value) {
    return std::abs(value) <= 65504;  // the largest value of float16
  });
  const bool right = numbers.size() == 2 && fits &&
                     (*which == Distribution::Uniform ? numbers[0] < numbers[1] : numbers[1] >= 0);
  if (!right) {
    reader.complain_at("values", fmt::format("{}; magnitudes at most 65504", wanted));
    return {};
  }
  return {.distribution = *which, .first = numbers[0], .second = numbers[1]};
}

/// Reads the member "shape": [n, c, h, w].
void read_shape(Reader& reader, Shape& shape) {
  reader.takes("shape",
               {{"type", "array"},
                {"items", {{"type", "integer"}, {"minimum", 1}, {"maximum", largest_extent}}},
                {"minItems", 4},
                {"maxItems", 4}});
  if (!reader.has("shape")) return;
  const std::vector<std::int64_t> said = reader.integers("shape", {});
  if (said.size() != 4 || std::ranges::any_of(said, [](std::int64_t extent) {
        return extent < 1 || extent > largest_extent;
      }))
    return reader.complain_at("shape", "must be 4 whole numbers from 1, [n, c, h, w]");
  for (const char* key : {"batch", "channels", "size"})
    if (reader.has(key)) reader.complain_at(key, "cannot be combined with \"shape\" (keep one)");
  shape = {.n = said[0], .c = said[1], .h = said[2], .w = said[3]};
}

/// Reads the member "pixel_format". Call it after dtype and shape of `op` are read, because it
/// checks that they suit the format.
PixelFormat read_pixel_format(Reader& reader, const Source& op) {
  const PixelFormat format = reader.word("pixel_format", PixelFormat::Rgb);
  if (format == PixelFormat::Rgb) return format;
  const std::size_t mistakes = reader.issues().size();
  if (op.dtype != DType::UInt8)
    reader.complain_at("dtype", fmt::format("{} has uint8 samples (remove \"dtype\", or "
                                            "\"pixel_format\")",
                                            name_of(format)));
  if (op.shape.c != 3)
    reader.complain_at("pixel_format",
                       fmt::format("{} needs 3 channels, not {}", name_of(format), op.shape.c));
  return reader.issues().size() == mistakes ? format : PixelFormat::Rgb;
}

void fill_random(const View& view, std::uint64_t seed) {
  const TensorDesc& desc = view.desc;
  if (desc.dtype == DType::UInt8 && desc.layout == Layout::Nchw && desc.is_dense())
    return random_bytes(
        seed, 0,
        {reinterpret_cast<std::uint8_t*>(view.data), static_cast<std::size_t>(desc.elements())});
  with_dtype(desc.dtype, [&]<class T>(T) { fill_rows<T>(view, seed); });
}

void copy_values(const View& from, const View& to) {
  if (from.desc.dtype == to.desc.dtype && from.desc.strides == to.desc.strides) {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(from.desc.bytes()));
    return;
  }
  for (std::int64_t n = 0; n < from.desc.shape.n; ++n) from_double(to_double(from, n, 1), to, n);
}

}  // namespace

Source Source::read(Reader& reader) {
  Source op;
  op.dtype = reader.word("dtype", op.dtype);
  op.layout = reader.word("layout", op.layout);
  op.memory = reader.word("memory", op.memory);
  op.shape.n = reader.integer("batch", op.shape.n, 1, largest_extent);
  op.shape.c = reader.integer("channels", op.shape.c, 1, largest_extent);
  if (const auto size = read_pair(reader, "size", 1, "[height, width]"))
    std::tie(op.shape.h, op.shape.w) = *size;
  read_shape(reader, op.shape);
  op.shape.format = read_pixel_format(reader, op);
  if (op.shape.is_ycbcr()) op.layout = Layout::Nchw;
  op.path = reader.text("path", "");
  op.values = read_values(reader);
  op.seed = static_cast<std::uint64_t>(reader.integer("seed", 0, 0));
  if (op.values.distribution != Distribution::Bytes && !is_float(op.dtype))
    reader.complain_at("values", fmt::format("need a float dtype, not {}", name_of(op.dtype)));
  if (op.values.distribution != Distribution::Bytes && !op.path.empty())
    reader.complain_at("values", "go without \"path\" (keep one)");
  try {
    check_size(op.dtype, op.shape);
  } catch (const Invalid& mistake) {
    reader.complain(mistake.what());
    op.shape = Source{}.shape;
  }
  return op;
}

void Source::resolve(const Paths& paths) {
  if (path.empty()) return;
  path = (std::filesystem::absolute(paths.base_dir) / path).lexically_normal().string();
  ArrayFile(path, desc()).range();
}

void Source::fill(const View& view, std::uint64_t run_seed) const {
  if (!path.empty()) return copy_values(ArrayFile(path, desc()).view(), view);
  const std::uint64_t own = run_seed + seed;
  if (values.distribution == Distribution::Bytes) return fill_random(view, own);
  Tensor64 image = empty_image(shape, 1);
  for (std::int64_t n = 0; n < shape.n; ++n) {
    fill_values(values, dtype, own, n, image);
    from_double(image, view, n);
  }
}

std::vector<TensorDesc> Source::infer(std::span<const TensorDesc> in) const {
  if (!in.empty()) throw Invalid("takes no input");
  return one_output(dtype, layout, shape, memory);
}

void Source::reference(std::span<const Tensor64>, std::span<Tensor64> out,
                       std::int64_t first) const {
  Tensor64& images = out[0];
  if (!path.empty()) {
    images = to_double(ArrayFile(path, desc()).view(), first, images.shape.n);
    return;
  }
  if (values.distribution != Distribution::Bytes) {
    images = empty_image(shape, images.shape.n);
    return fill_values(values, dtype, default_seed + seed, first, images);
  }
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(images.shape.elements()));
  random_bytes(default_seed + seed, first * shape.image_elements(), bytes);
  images.values.assign(bytes.begin(), bytes.end());
}

std::vector<Accuracy> Source::accuracy(std::span<const Known>, std::span<const Tensor64>,
                                       std::span<const TensorDesc>) const {
  if (values.distribution == Distribution::Uniform)
    return {{.low = values.first, .high = values.second}};
  // No value of fill_values() is more than sqrt(-2 ln 2^-54) = 8.65 standard deviations from the
  // mean.
  if (values.distribution == Distribution::Normal)
    return {{.low = values.first - 9 * values.second, .high = values.first + 9 * values.second}};
  if (path.empty() || !is_float(dtype)) return {{.low = 0, .high = 255, .whole = true}};
  const auto [low, high] = ArrayFile(path, desc()).range();
  return {{.low = low, .high = high}};
}

void random_bytes(std::uint64_t seed, std::int64_t first, std::span<std::uint8_t> out) {
  const std::uint64_t state = mixed(seed);
  auto index = static_cast<std::uint64_t>(first) / 8;
  auto skip = static_cast<std::size_t>(first) % 8;
  while (!out.empty()) {
    const std::uint64_t value = mixed(state + ++index * 0x9E3779B97F4A7C15u);
    const std::size_t count = std::min(out.size(), 8 - skip);
    if (count == 8)
      std::memcpy(out.data(), &value, 8);
    else
      std::memcpy(out.data(), reinterpret_cast<const char*>(&value) + skip, count);
    out = out.subspan(count);
    skip = 0;
  }
}

}  // namespace normbench
