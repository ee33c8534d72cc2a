#include "ops/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

namespace normbench {
namespace {

/// Reports a mistake in element `element` of the list in member `key`. If the member is a single
/// value instead of a list, reports the mistake at the member itself.
void complain_of(Reader& reader, std::string_view key, std::size_t element, std::string text) {
  const std::string at = reader.pointer_to(key);
  const bool is_list = reader.member(key).is_array();
  reader.issues().push_back({is_list ? fmt::format("{}/{}", at, element) : at, std::move(text)});
}

/// Returns a tensor's shape and dtype for a message: "1x64x1x1 float32".
std::string shape_text(const TensorDesc& desc) {
  const auto [n, c, h, w] = desc.shape.extents();
  return fmt::format("{}x{}x{}x{} {}", n, c, h, w, name_of(desc.dtype));
}

template <class F>
Tensor64 zipped(const Tensor64& a, const Tensor64& b, F f) {
  Tensor64 all = a;
  std::ranges::transform(a.values, b.values, all.values.begin(), f);
  return all;
}

}  // namespace

std::optional<std::pair<std::int64_t, std::int64_t>> read_pair(Reader& reader, std::string_view key,
                                                               std::int64_t low,
                                                               std::string_view meaning) {
  reader.takes(key,
               {{"type", "array"},
                {"items", {{"type", "integer"}, {"minimum", low}, {"maximum", largest_extent}}},
                {"minItems", 2},
                {"maxItems", 2}});
  if (!reader.has(key)) return std::nullopt;
  const Json& said = reader.member(key);
  if (!said.is_array() || said.size() != 2) {
    reader.complain_at(key, fmt::format("must be 2 whole numbers, {}", meaning));
    return std::nullopt;
  }
  const auto values = reader.integers(key, {});
  if (values.size() != 2) return std::nullopt;
  bool fits = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= low && values[i] <= largest_extent) continue;
    fits = false;
    complain_of(reader, key, i,
                fmt::format("must be from {} to {}, got {}", low, largest_extent, values[i]));
  }
  return fits ? std::optional(std::pair{values[0], values[1]}) : std::nullopt;
}

const TensorDesc& only_input(std::span<const TensorDesc> in) {
  if (in.size() != 1) throw Invalid(fmt::format("needs 1 input, got {}", in.size()));
  return in[0];
}

void check_inputs(std::span<const TensorDesc> in, std::span<const std::string_view> names) {
  if (in.size() != names.size())
    throw Invalid(fmt::format("needs {} input{} ({}), got {}", names.size(),
                              names.size() == 1 ? "" : "s", fmt::join(names, ", "), in.size()));
}

void check_float(const TensorDesc& tensor) {
  if (!is_float(tensor.dtype))
    throw Invalid(
        fmt::format("needs a floating-point input, got {} (cast first)", name_of(tensor.dtype)));
}

void check_like(std::string_view name, const TensorDesc& tensor, std::string_view other_name,
                const TensorDesc& other) {
  if (tensor.dtype == other.dtype && tensor.layout == other.layout && tensor.shape == other.shape)
    return;
  throw Invalid(fmt::format("{} must be like {}, {} {}, got {} {}", name, other_name,
                            shape_text(other), arrangement_of(other), shape_text(tensor),
                            arrangement_of(tensor)));
}

void check_parameter(std::string_view name, const TensorDesc& tensor, const Shape& shape) {
  const TensorDesc wanted = dense(DType::Float32, Layout::Nchw, shape, tensor.memory);
  if (tensor.dtype == wanted.dtype && tensor.shape == shape) return;
  throw Invalid(fmt::format("{} must be {}, got {}", name, shape_text(wanted), shape_text(tensor)));
}

Shape of_channels(const Shape& x) { return {.n = 1, .c = x.c, .h = 1, .w = 1}; }

Shape of_groups(const Shape& x, std::int64_t groups) {
  return {.n = x.n, .c = groups, .h = 1, .w = 1};
}

void check_size(DType dtype, const Shape& shape) {
  // The product is a double, because an int64 could overflow.
  double bytes = static_cast<double>(size_of(dtype));
  for (const std::int64_t extent : {shape.n, shape.c, shape.h, shape.w})
    bytes *= static_cast<double>(extent);
  if (bytes < 0x1p62) return;
  throw Invalid(fmt::format("shape overflows: {}x{}x{}x{} {} (must be under 2^62 bytes)", shape.n,
                            shape.c, shape.h, shape.w, name_of(dtype)));
}

std::vector<TensorDesc> one_output(DType dtype, Layout layout, const Shape& shape, Memory memory) {
  check_size(dtype, shape);
  return {dense(dtype, layout, shape, memory)};
}

std::vector<TensorDesc> output_like(std::span<const TensorDesc> in) {
  const TensorDesc& x = only_input(in);
  return one_output(x.dtype, x.layout, x.shape, x.memory);
}

std::int64_t total_bytes(std::span<const TensorDesc> tensors) {
  std::int64_t bytes = 0;
  for (const TensorDesc& tensor : tensors) bytes += tensor.bytes();
  return bytes;
}

std::vector<Feeds> ycbcr_feeds(const TensorDesc& first) {
  const Shape& shape = first.shape;
  if (first.dtype != DType::UInt8 || first.layout != Layout::Nchw || shape.c != 3) return {};
  constexpr std::int64_t small = 64 * 64;
  std::vector<Feeds> all;
  for (const PixelFormatRow& row : pixel_format_rows)
    if (row.value != PixelFormat::Rgb &&
        (row.value == PixelFormat::Ycbcr420 || shape.h * shape.w <= small))
      all.push_back(
          {{.desc = dense(first.dtype, first.layout,
                          {shape.n, shape.c, shape.h, shape.w, row.value}, first.memory)}});
  return all;
}

std::vector<double> read_channel_values(Reader& reader, std::string_view key) {
  if (!reader.has(key)) {
    reader.complain(fmt::format("needs \"{}\" (an array of 1 number, or of 1 per channel)", key));
    return {};
  }
  const std::size_t mistakes = reader.issues().size();
  auto values = reader.numbers(key, {});
  if (values.empty() && reader.issues().size() == mistakes)
    reader.complain_at(key, "is empty (give 1 number, or 1 per channel)");
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::abs(values[i]) <= std::numeric_limits<float>::max()))
      complain_of(reader, key, i, fmt::format("{} does not fit float32", values[i]));
  return values;
}

std::vector<double> read_channel_divisors(Reader& reader, std::string_view key) {
  auto values = read_channel_values(reader, key);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0)
      complain_of(reader, key, i, fmt::format("{} must not be 0", key));
    else if (std::abs(values[i]) < std::numeric_limits<float>::min())
      complain_of(reader, key, i, fmt::format("{} is too near to 0 for float32", values[i]));
  }
  return values;
}

void check_channels(const std::vector<double>& values, std::string_view plural,
                    std::int64_t channels) {
  const auto count = static_cast<std::int64_t>(values.size());
  if (count == 1 || count == channels) return;
  throw Invalid(fmt::format("{} {} for {} channel{} (give 1{})", count, plural, channels,
                            channels == 1 ? "" : "s",
                            channels == 1 ? "" : fmt::format(" or {}", channels)));
}

std::vector<double> channel_samples(std::int64_t channels, double first, double step) {
  std::vector<double> values;
  for (std::int64_t c = 0; c < channels; ++c)
    values.push_back(first + step * static_cast<double>(c));
  return values;
}

Tensor64 sum_channels(const Tensor64& x) {
  const std::int64_t plane = x.shape.h * x.shape.w;
  Tensor64 sums{.shape = of_channels(x.shape),
                .values = std::vector<double>(static_cast<std::size_t>(x.shape.c))};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    sums.values[static_cast<std::size_t>(static_cast<std::int64_t>(i) / plane % x.shape.c)] +=
        x.values[i];
  return sums;
}

Tensor64 sums_of(const Tensor64& a, const Tensor64& b) { return zipped(a, b, std::plus()); }

Tensor64 products_of(const Tensor64& a, const Tensor64& b) {
  return zipped(a, b, std::multiplies());
}

}  // namespace normbench
