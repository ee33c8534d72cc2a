#include "ops/source.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <tuple>

#include "core/dtype.h"
#include "ops/array_file.h"

namespace normbench {
namespace {

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Writes the random bytes of every row, each as a T.
template <class T>
void fill_rows(const View& view, std::uint64_t seed) {
  std::array<T, 256> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = rounded<T>(static_cast<double>(i));
  constexpr std::int64_t size = sizeof(T);
  const auto [n, c, h, w] = view.desc.shape;
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
  op.path = reader.text("path", "");
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

void Source::fill(const View& view, std::uint64_t seed) const {
  if (path.empty())
    fill_random(view, seed);
  else
    copy_values(ArrayFile(path, desc()).view(), view);
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
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(images.shape.elements()));
  random_bytes(default_seed, first * shape.c * shape.h * shape.w, bytes);
  images.values.assign(bytes.begin(), bytes.end());
}

Accuracy Source::accuracy(std::span<const Accuracy>, std::span<const TensorDesc>) const {
  if (path.empty() || !is_float(dtype))
    return stored({.low = 0, .high = 255, .whole = true}, dtype);
  const auto [low, high] = ArrayFile(path, desc()).range();
  return {.low = low, .high = high};
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
