#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ops/checks.h"

namespace normbench {

/// Where relative paths start, and the folder of images that the command line gave.
struct Paths {
  std::string base_dir;
  std::optional<std::string> images_dir;
};

/// How random values of a source are distributed.
enum class Distribution { Bytes, Uniform, Normal };
constexpr auto words(Distribution) {
  return std::to_array<Word<Distribution>>({{Distribution::Bytes, "bytes"},
                                            {Distribution::Uniform, "uniform"},
                                            {Distribution::Normal, "normal"}});
}

/// uniform: from `first` to `second`. normal: mean `first`, standard deviation `second`.
struct RandomValues {
  Distribution distribution = Distribution::Bytes;
  double first = 0, second = 0;
  bool operator==(const RandomValues&) const = default;
};

/// The batch that a variant starts from, untimed: random uint8 over all 256 values (float dtypes
/// hold the same values), uniform or normal values rounded to a float dtype, or the content of a
/// .npy or raw file, memory-mapped. Parameters: dtype, layout, memory, batch, channels, size or
/// shape, values ({"normal": [0, 1]}), seed, path.
struct Source {
  static constexpr std::string_view name = "source";
  static constexpr std::string_view about = "the batch a variant starts from; not timed";
  static constexpr Roles roles{.starts = true, .given = true};
  static constexpr std::uint64_t default_seed = 1;  // what `reference` assumes of random values

  DType dtype = DType::UInt8;
  Layout layout = Layout::Nchw;
  Memory memory = Memory::Pageable;
  Shape shape{10, 3, 720, 1280};  // batch, channels, size
  std::string path = {};          // "" for random
  RandomValues values = {};
  std::uint64_t seed = 0;  // added to the run's, so that sources differ

  bool operator==(const Source&) const = default;
  static Source read(Reader& reader);
  /// Makes `path` absolute. Throws Invalid where dtype, shape or values (if not finite) are wrong.
  void resolve(const Paths& paths);
  TensorDesc desc() const { return dense(dtype, layout, shape, memory); }
  /// Fills a whole view in host memory. A seed gives the same values in every dtype and layout.
  void fill(const View& view, std::uint64_t run_seed) const;
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
};

/// A number with all bits mixed into each other: SplitMix64 (Steele, Lea, Flood: Fast Splittable
/// Pseudorandom Number Generators, 2014).
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Bytes [first, first + out.size()) of the endless random sequence of `seed`.
void random_bytes(std::uint64_t seed, std::int64_t first, std::span<std::uint8_t> out);

}  // namespace normbench
