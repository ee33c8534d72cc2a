#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "ops/checks.h"

namespace normbench {

class Probe;

/// Where an op finds its files. Relative paths start in `base_dir`. `images_dir` is the value of
/// --images, if it is given.
struct Paths {
  std::string base_dir;
  std::optional<std::string> images_dir;
  // What is known about the files with encoded images, shared by all loaders of a config. Null:
  // each loader keeps this for itself.
  std::shared_ptr<Probe> probe = nullptr;
};

/// The distribution of a source's random values. Bytes: the whole numbers 0 to 255, equally likely.
enum class Distribution { Bytes, Uniform, Normal };
constexpr auto words(Distribution) {
  return std::to_array<Word<Distribution>>({{Distribution::Bytes, "bytes"},
                                            {Distribution::Uniform, "uniform"},
                                            {Distribution::Normal, "normal"}});
}

/// A distribution and its parameters. uniform: from `first` to `second`. normal: mean `first`,
/// standard deviation `second`.
struct RandomValues {
  Distribution distribution = Distribution::Bytes;
  double first = 0, second = 0;
  bool operator==(const RandomValues&) const = default;
};

/// The batch that a variant starts from. It is made before the timed stages. Its content is one of:
/// - random bytes, in any dtype;
/// - uniform or normal random values, in a float dtype;
/// - the content of a .npy or raw file, which is mapped into memory.
/// Parameters: dtype; layout; memory; batch, channels and size, or shape; pixel_format; values,
/// such as {"normal": [0, 1]}; seed; path. A YCbCr format needs 3 channels of uint8, and has planes
/// whatever `layout` is. In a .npy file the images of such a format are an array [batch, bytes of
/// an image].
struct Source {
  static constexpr std::string_view name = "source";
  static constexpr std::string_view about = "the batch a variant starts from; not timed";
  static constexpr Roles roles{.starts = true, .given = true};
  // The seed of the run that `reference` assumes when it computes random values.
  static constexpr std::uint64_t default_seed = 1;

  DType dtype = DType::UInt8;
  Layout layout = Layout::Nchw;
  Memory memory = Memory::Pageable;
  Shape shape{10, 3, 720, 1280};  // batch, channels, size, pixel_format
  std::string path = {};          // "" for random values
  RandomValues values = {};
  std::uint64_t seed = 0;  // added to the run's seed, so that two sources of a run can differ

  bool operator==(const Source&) const = default;
  static Source read(Reader& reader);
  /// Makes `path` absolute. Throws Invalid if the file's dtype or shape differs from the op's, or
  /// if a value in the file is not finite.
  void resolve(const Paths& paths);
  TensorDesc desc() const { return dense(dtype, layout, shape, memory); }
  /// Fills the whole view, which must be in host memory. For the same `run_seed`, the values are
  /// the same in every layout. Random bytes are also the same in every dtype.
  void fill(const View& view, std::uint64_t run_seed) const;
  std::vector<TensorDesc> infer(std::span<const TensorDesc> in) const;
  void reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t first) const;
  std::vector<Accuracy> accuracy(std::span<const Known> in, std::span<const Tensor64> exact,
                                 std::span<const TensorDesc> out) const;
};

/// Returns a hash of `z`: the output function of SplitMix64 (Steele, Lea, Flood: Fast Splittable
/// Pseudorandom Number Generators, 2014).
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Fills `out` with bytes [first, first + out.size()) of the random sequence that `seed`
/// determines.
void random_bytes(std::uint64_t seed, std::int64_t first, std::span<std::uint8_t> out);

}  // namespace normbench
