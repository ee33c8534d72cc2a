#include "ops/load.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/issue.h"
#include "ops/images/image.h"
#include "ops/resize.h"

namespace normbench {
namespace {

constexpr std::int64_t channels = 3, most_images = 1 << 20;

/// Why each file cannot be read, or "".
std::vector<std::string> reasons(const Load& load) {
  std::vector<std::string> reasons;
  for (const auto& file : load.files) reasons.push_back(load.probe->why_broken(file));
  return reasons;
}

std::vector<std::string> readable(const Load& load) {
  std::vector<std::string> files;
  for (const auto& file : load.files)
    if (load.probe->why_broken(file).empty()) files.push_back(file);
  return files;
}

/// Where number `index` below `count` comes in the order that `key` stands for: each number once. A
/// network of Feistel's, which permutes the next power of four numbers, followed until it leads to
/// one below `count`; so any place of an order is there without the others. With 4 rounds orders of
/// a handful are not equally likely.
std::size_t shuffled(std::size_t index, std::size_t count, std::uint64_t key) {
  const auto half_bits = std::max<std::size_t>(1, (std::bit_width(count - 1) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  std::uint64_t left = index >> half_bits, right = index & mask;
  do {
    for (std::uint64_t round = 0; round < 8; ++round)
      left = std::exchange(right, left ^ (mixed(key + mixed(round << 32 | right)) & mask));
  } while ((left << half_bits | right) >= count);
  return static_cast<std::size_t>(left << half_bits | right);
}

/// A window of one channel as doubles.
Tensor64 plane(const Image& image, const Window& part, std::int64_t channel) {
  Tensor64 out{{1, 1, part.height, part.width}, {}};
  out.values.reserve(out.shape.elements());
  for (std::int64_t y = *part.top; y < *part.top + part.height; ++y)
    for (std::int64_t x = *part.left; x < *part.left + part.width; ++x)
      out.values.push_back(image.rgb[(y * image.width + x) * channels + channel]);
  return out;
}

}  // namespace

Load Load::read(Reader& reader) {
  Load load;
  load.path = reader.text("path", load.path);
  load.batch = reader.integer("batch", load.batch, 1, most_images);
  if (const auto size = read_pair(reader, "size", 1, "[height, width]"))
    std::tie(load.height, load.width) = *size;
  load.fit = reader.word("fit", load.fit);
  load.layout = reader.word("layout", load.layout);
  load.on_error = reader.word("on_error", load.on_error);
  load.shuffle = reader.boolean("shuffle", load.shuffle);
  load.seed = static_cast<std::uint64_t>(reader.integer("seed", 0, 0));
  if (reader.has("seed") && !reader.has("shuffle"))
    reader.complain_at("seed", R"(goes with "shuffle": true)");
  return load;
}

void Load::resolve(const Paths& paths) {
  if (paths.images_dir)
    files = find_images("", *paths.images_dir);
  else if (!path.empty())
    files = find_images(paths.base_dir, path);
}

std::vector<std::string> broken_files(const Load& load) {
  return listed(load.files, reasons(load));
}

FileWalk::FileWalk(std::vector<std::string> files, std::int64_t batch,
                   std::optional<std::uint64_t> seed)
    : files_(std::move(files)), batch_(batch), seed_(seed) {}

std::vector<std::size_t> FileWalk::numbers_of(std::int64_t item) const {
  std::vector<std::size_t> numbers;
  const std::size_t count = files_.size();
  auto position = static_cast<std::size_t>(item) * static_cast<std::size_t>(batch_);
  for (std::int64_t image = 0; image < batch_; ++image, ++position) {
    const std::size_t epoch = position / count, index = position % count;
    numbers.push_back(seed_ ? shuffled(index, count, mixed(*seed_) + epoch) : index);
  }
  return numbers;
}

std::vector<std::string> FileWalk::files_of(std::int64_t item) const {
  std::vector<std::string> files;
  for (const std::size_t number : numbers_of(item)) files.push_back(files_[number]);
  return files;
}

FileWalk Load::walk() const {
  if (files.empty()) throw std::runtime_error("no images (give load a path, or --images DIR)");
  auto usable = readable(*this);
  if (usable.empty()) throw_if_broken(files, reasons(*this));
  if (on_error == OnError::Fail)
    throw_if_broken(files, reasons(*this), " (\"on_error\": \"skip\" goes on without them)");
  return {std::move(usable), batch, shuffle ? std::optional(seed) : std::nullopt};
}

Window Load::window(std::int64_t image_height, std::int64_t image_width) const {
  if (fit == Fit::Resize)
    return {.height = image_height, .width = image_width, .top = 0, .left = 0};
  // 1 where the image holds the whole window, else how much of it the shorter side can give.
  const double part = std::min(
      {1.0, static_cast<double>(image_height) / height, static_cast<double>(image_width) / width});
  Window cut{.height = std::max<std::int64_t>(1, std::llround(height * part)),
             .width = std::max<std::int64_t>(1, std::llround(width * part)),
             .top = {},
             .left = {}};
  std::tie(cut.top, cut.left) = cut.origin(image_height, image_width);
  return cut;
}

std::vector<TensorDesc> Load::infer(std::span<const TensorDesc> in) const {
  if (!in.empty()) throw Invalid("load takes no input (it starts a variant)");
  return one_output(DType::UInt8, layout, {batch, channels, height, width}, Memory::Pageable);
}

void Load::reference(std::span<const Tensor64>, std::span<Tensor64> out, std::int64_t first,
                     std::int64_t item) const {
  const auto chosen = walk().files_of(item);
  const Resize resize{.height = height, .width = width};
  const std::int64_t plane_size = height * width;
  std::vector<std::uint8_t> bytes;
  Image image;
  for (std::int64_t n = 0; n < out[0].shape.n; ++n) {
    read_file(chosen[first + n], bytes);
    decode_image(bytes, image);
    const Window part = window(image.height, image.width);
    for (std::int64_t c = 0; c < channels; ++c) {  // a plane at a time: photos are large as doubles
      const Tensor64 decoded = plane(image, part, c);
      Tensor64 fitted{{1, 1, height, width}, std::vector<double>(plane_size)};
      resize.reference({&decoded, 1}, {&fitted, 1}, 0);
      std::ranges::copy(fitted.values, out[0].values.begin() + (n * channels + c) * plane_size);
    }
  }
}

Accuracy Load::accuracy(std::span<const Accuracy>, std::span<const TensorDesc> out) const {
  const Accuracy decoded{.low = 0, .high = 255, .error = 0};
  return Resize{.height = height, .width = width}.accuracy({&decoded, 1}, out);
}

}  // namespace normbench
