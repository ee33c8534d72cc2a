#include "ops/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/input_file.h"
#include "core/issue.h"
#include "ops/images/image.h"
#include "ops/images/jpeg.h"
#include "ops/images/manifest.h"
#include "ops/resize.h"

namespace normbench {
namespace {

constexpr std::int64_t channels = 3, most_images = 1 << 20;  // the most images in a batch

std::vector<std::string> names(const Load& load) {
  std::vector<std::string> names;
  for (const auto& file : load.files) names.push_back(load.name_of_file(file));
  return names;
}

/// Returns for each file why it cannot be read, or "".
std::vector<std::string> reasons(const Load& load) {
  std::vector<std::string> reasons;
  for (const auto& file : load.files) reasons.push_back(load.contents(file).why_broken);
  return reasons;
}

/// Throws Invalid if the folder does not hold exactly the files of its manifest.
void check_files(const Load& load, const Manifest& manifest) {
  std::map<std::string, std::int64_t> sizes;
  for (const DatasetFile& file : manifest.files) sizes.emplace(file.name, file.bytes);
  const auto unlike = [](const std::string& name, const char* how) {
    throw Invalid(
        fmt::format("manifest.json there does not fit: {} {} (prepare it anew, or remove "
                    "manifest.json)",
                    name, how));
  };
  for (const std::string& path : load.files) {
    const std::string name = load.name_of_file(path);
    const auto known = sizes.find(name);
    std::error_code unknown;
    if (known == sizes.end()) unlike(name, "is not in it");
    if (std::filesystem::file_size(path, unknown) != static_cast<std::uintmax_t>(known->second))
      unlike(name, "has another size");
    sizes.erase(known);
  }
  if (!sizes.empty()) unlike(sizes.begin()->first, "is missing");
}

/// If the folder has a manifest, copies the preparation time and the PSNR from it into `load`.
/// Throws Invalid if the folder's preparation is not finished, or if its manifest does not match
/// the files or the size and layout of `load`.
void note_manifest(Load& load, const std::string& folder) {
  if (!std::filesystem::is_directory(folder)) return;
  const auto manifest = read_manifest(folder);
  if (!manifest && std::filesystem::exists(unfinished_path(folder)))
    throw Invalid("its preparation is not finished (give the same normbench prepare again)");
  if (!manifest) return;
  if (load.storage != Storage::Image && manifest->form.format != load.format)
    throw Invalid(
        fmt::format("the files hold {}, see manifest.json there (\"pixel_format\": \"{}\")",
                    name_of(manifest->form.format), name_of(manifest->form.format)));
  if (load.storage == Storage::Raw && load.format == PixelFormat::Rgb &&
      load.layout != Layout::Nhwc)
    throw Invalid("the files hold nhwc pixels, see manifest.json there (remove \"layout\")");
  check_files(load, *manifest);
  load.prepare_seconds = manifest->seconds;
  load.psnr_db = mean_psnr_db(*manifest);
  const auto height = manifest->form.height.value_or(load.height);
  const auto width = manifest->form.width.value_or(load.width);
  if (load.storage != Storage::Image && (height != load.height || width != load.width))
    throw Invalid(fmt::format("the files hold images of {}x{}, not {}x{} (see manifest.json there)",
                              height, width, load.height, load.width));
}

/// Returns element `index` of a permutation of the numbers below `count`. `key` selects the
/// permutation. Each element is computed without the others: a Feistel network permutes the numbers
/// below a power of four, and it is repeated until the result is below `count`. The network has 8
/// rounds. With only 4 rounds, the orders of a handful of numbers would not be equally likely.
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

/// Returns a window of one channel of an image, in double.
Tensor64 plane(const Image& image, const Window& part, std::int64_t channel) {
  Tensor64 out{{1, 1, part.height, part.width}, {}};
  out.values.reserve(out.shape.elements());
  for (std::int64_t y = *part.top; y < *part.top + part.height; ++y)
    for (std::int64_t x = *part.left; x < *part.left + part.width; ++x)
      out.values.push_back(image.rgb[(y * image.width + x) * channels + channel]);
  return out;
}

/// Resizes one channel of an image so that its shorter side has `load.shorter` pixels. Returns the
/// centre of the result, of the size `load.height` x `load.width`.
Tensor64 resized_centre(const Load& load, const Tensor64& image) {
  const auto [rows, columns] =
      load.centre_of(static_cast<double>(image.shape.h), static_cast<double>(image.shape.w));
  return resized_part(image, rows, columns, load.height, load.width);
}

/// Decodes an encoded file. Returns the planes of its image, resized or cropped.
std::vector<double> fitted_planes(const Load& load, const std::string& file) {
  std::vector<std::uint8_t> bytes;
  DecodeMemory memory;
  Image pixels;
  YcbcrImage image;
  read_file(file, bytes);
  decode_planes(bytes, image, memory, pixels);
  std::vector<double> values;
  for (std::int64_t c = 0; c < channels; ++c) {
    const Shape to = load.image().shape.plane(c);
    const auto [rows, columns] = load.plane_parts(image, c, load.format);
    const Tensor64 fitting =
        resized_part(to_double(view_of(image, c), 0, 1), rows, columns, to.h, to.w);
    values.insert(values.end(), fitting.values.begin(), fitting.values.end());
  }
  return values;
}

/// Decodes an encoded file. Returns its image, resized or cropped to `load.height` x `load.width`.
std::vector<double> fitted(const Load& load, const std::string& file) {
  std::vector<std::uint8_t> bytes;
  Image image;
  read_file(file, bytes);
  decode_image(bytes, image);
  const bool is_resized_first = load.shorter > 0;
  const Window part =
      is_resized_first ? Window{.height = image.height, .width = image.width, .top = 0, .left = 0}
                       : load.window(image.height, image.width);
  std::vector<double> values;
  // The planes are resized one at a time, because photos in double are large.
  for (std::int64_t c = 0; c < channels; ++c) {
    const Tensor64 decoded = plane(image, part, c);
    const Tensor64 fitting = is_resized_first
                                 ? resized_centre(load, decoded)
                                 : resized(decoded, load.height, load.width, load.held_to);
    values.insert(values.end(), fitting.values.begin(), fitting.values.end());
  }
  return values;
}

/// Returns the image at byte `offset` of a raw or npy file.
std::vector<double> stored(const Load& load, const std::string& file, std::int64_t offset) {
  const TensorDesc image = load.image();
  std::vector<std::byte> bytes(image.bytes());
  InputFile(file).read(offset, bytes);
  return to_double({.data = bytes.data(), .desc = image}, 0, 1).values;
}

}  // namespace

Load Load::read(Reader& reader) {
  Load load;
  load.path = reader.text("path", load.path);
  load.batch = reader.integer("batch", load.batch, 1, most_images);
  if (const auto size = read_pair(reader, "size", 1, "[height, width]"))
    std::tie(load.height, load.width) = *size;
  load.fit = reader.word("fit", load.fit);
  load.shorter = reader.integer("shorter", 0, 1, largest_extent);
  if (load.shorter > 0 && load.shorter < std::max(load.height, load.width))
    reader.complain_at("shorter",
                       fmt::format("is smaller than the size, {}x{} (at least {})", load.height,
                                   load.width, std::max(load.height, load.width)));
  load.format = reader.word("pixel_format", load.format);
  load.layout = reader.word("layout", load.layout);
  if (load.format != PixelFormat::Rgb) load.layout = Layout::Nchw;
  load.dataset = reader.text("dataset", load.dataset);
  if (reader.has("dataset") && reader.has("path"))
    reader.complain_at("dataset", R"(there is a "path" already (remove one))");
  if (load.dataset_name().find_first_of("{}") != std::string::npos)
    reader.complain_at("dataset", "only {height} and {width} stand for something");
  load.storage = reader.word("storage", load.storage);
  load.via = reader.word("via", load.via);
  load.page_cache = reader.word("page_cache", load.page_cache);
  if (reader.has("fit") && load.storage != Storage::Image)
    reader.complain_at("fit", R"(goes with "storage": "image"; other files have the size already)");
  if (reader.has("shorter") && load.storage != Storage::Image)
    reader.complain_at("shorter", R"(goes with "storage": "image" and "fit": "crop")");
  else if (reader.has("shorter") && load.fit != Fit::Crop)
    reader.complain_at("shorter", R"(goes with "fit": "crop")");
  load.on_error = reader.word("on_error", load.on_error);
  load.shuffle = reader.boolean("shuffle", load.shuffle);
  load.seed = static_cast<std::uint64_t>(reader.integer("seed", 0, 0));
  if (reader.has("seed") && !reader.has("shuffle"))
    reader.complain_at("seed", R"(goes with "shuffle": true)");
  return load;
}

void Load::resolve(const Paths& paths) {
  if (paths.probe != nullptr && storage == Storage::Image) probe = paths.probe;
  const auto find = [&](const std::string& folder, const std::string& said) {
    FoundFiles found = find_files(folder, said, endings_of(storage));
    files = std::move(found.files);
    root = std::move(found.root);
    beside = std::move(found.beside);
    note_manifest(*this, std::filesystem::path(folder) / said);
  };
  if (paths.images_dir && !std::filesystem::exists(*paths.images_dir))
    throw Invalid("no such folder or file: " + *paths.images_dir);
  if (!dataset.empty()) {
    const std::string name = dataset_name();
    if (paths.images_dir && std::filesystem::is_directory(*paths.images_dir + "/" + name))
      find(*paths.images_dir, name);
    else
      searched = paths.images_dir.value_or("");
  } else if (paths.images_dir) {
    find("", *paths.images_dir);
  } else if (!path.empty()) {
    find(paths.base_dir, path);
  }
}

std::string Load::dataset_name() const {
  std::string name = dataset;
  for (const auto& [word, value] : {std::pair("{height}", height), std::pair("{width}", width)})
    for (auto at = name.find(word); at != std::string::npos; at = name.find(word))
      name.replace(at, std::string_view(word).size(), std::to_string(value));
  return name;
}

std::string Load::why_no_files() const {
  if (dataset.empty()) return "no images given (--images DIR)";
  if (searched.empty())
    return fmt::format("no dataset \"{}\" (--images DIR, the folder that it is in)",
                       dataset_name());
  return fmt::format("no folder \"{}\" in {}", dataset_name(), searched);
}

FileContents Load::contents(const std::string& file) const {
  if (storage == Storage::Image) return probe->contents(file, try_image);
  return probe->contents(
      file, [&](const std::string& array) { return look_into_array(array, storage, image()); });
}

std::int64_t Load::image_count() const {
  if (storage == Storage::Image) return std::ssize(files);
  std::int64_t count = 0;
  for (const std::string& file : files) count += contents(file).images;
  return count;
}

std::vector<BrokenFiles> broken_files(const Load& load) {
  return broken_of(names(load), reasons(load));
}

std::vector<RemarkedFiles> remarked_files(const Load& load) {
  std::vector<std::vector<Remark>> remarks;
  for (const auto& file : load.files) {
    const FileContents found = load.contents(file);
    auto& its = remarks.emplace_back(found.remarks);
    const bool is_here = found.why_broken.empty() && load.storage == Storage::Image;
    if (is_here && load.format != PixelFormat::Rgb && found.format != load.format)
      its.push_back(Remark::Converted);
  }
  return remarked_of(names(load), remarks);
}

std::int64_t decoded_smaller(const Load& load) {
  constexpr int whole = 8;
  return std::ranges::count_if(load.files, [&](const std::string& file) {
    const FileContents found = load.contents(file);
    return found.jpeg_height > 0 &&
           eighths_of(found.jpeg_height, found.jpeg_width, load.least()) < whole;
  });
}

ImageWalk::ImageWalk(std::vector<std::string> files, std::vector<ImagePlace> places,
                     std::int64_t batch, std::optional<std::uint64_t> seed)
    : files_(std::move(files)), places_(std::move(places)), batch_(batch), seed_(seed) {}

std::vector<std::size_t> ImageWalk::numbers_of(std::int64_t item) const {
  std::vector<std::size_t> numbers;
  const std::size_t count = places_.size();
  auto position = static_cast<std::size_t>(item) * static_cast<std::size_t>(batch_);
  for (std::int64_t image = 0; image < batch_; ++image, ++position) {
    const std::size_t epoch = position / count, index = position % count;
    numbers.push_back(seed_ ? shuffled(index, count, mixed(*seed_) + epoch) : index);
  }
  return numbers;
}

std::vector<ImagePlace> ImageWalk::places_of(std::int64_t item) const {
  std::vector<ImagePlace> places;
  for (const std::size_t number : numbers_of(item)) places.push_back(places_[number]);
  return places;
}

ImageWalk Load::walk() const {
  if (files.empty()) throw std::runtime_error(why_no_files());
  if (storage == Storage::Image) probe->look_into(files, try_image);
  std::vector<std::string> usable;
  std::vector<ImagePlace> places;
  for (const std::string& file : files) {
    const FileContents found = contents(file);
    if (!found.why_broken.empty() || found.images == 0) continue;
    for (std::int64_t image_index = 0; image_index < found.images; ++image_index)
      places.push_back({.file = usable.size(),
                        .offset = found.offset + image_index * image().bytes(),
                        .alone = found.images == 1});
    usable.push_back(file);
  }
  if (usable.empty()) {
    throw_if_broken(names(*this), reasons(*this));
    throw std::runtime_error("no images: all of its files are empty");
  }
  if (on_error == OnError::Fail)
    throw_if_broken(names(*this), reasons(*this), " (\"on_error\": \"skip\" goes on without them)");
  return {std::move(usable), std::move(places), batch,
          shuffle ? std::optional(seed) : std::nullopt};
}

std::pair<AxisPart, AxisPart> Load::plane_parts(const YcbcrImage& image, std::int64_t channel,
                                                PixelFormat to) const {
  // The size of the picture in samples of Y, which need not be whole if the picture was decoded at
  // a reduced size. A picture that is only cropped is never reduced, and its size is in pixels.
  const bool is_cropped_only = fit == Fit::Crop && shorter == 0;
  const SamplePlane& luma = image.planes[0];
  const double pixels_h = is_cropped_only ? static_cast<double>(image.height) : luma.rows.length,
               pixels_w = is_cropped_only ? static_cast<double>(image.width) : luma.columns.length;
  AxisPart rows{.length = pixels_h}, columns{.length = pixels_w};
  if (shorter > 0) {
    std::tie(rows, columns) = centre_of(pixels_h, pixels_w);
  } else if (is_cropped_only) {
    const Window part = window(image.height, image.width);
    rows = {static_cast<double>(*part.top), static_cast<double>(part.height)};
    columns = {static_cast<double>(*part.left), static_cast<double>(part.width)};
  }
  const SamplePlane& plane = image.planes[static_cast<std::size_t>(channel)];
  const Shape samples = Shape{1, channels, height, width, to}.plane(channel);
  const PixelFormatRow& format = row_of(to);
  // Converts a part of the picture to a part of the plane, in samples of the plane. The part grows
  // a little if the last sample of the output also covers pixels beyond the output.
  const auto in_samples = [&](const AxisPart& part, const AxisPart& filled, double pixels,
                              std::int64_t count, int step, std::int64_t size) {
    const double scale = filled.length / pixels;
    const double covered =
        static_cast<double>(count * (channel == 0 ? 1 : step)) / static_cast<double>(size);
    return AxisPart{.begin = filled.begin + part.begin * scale,
                    .length = part.length * scale * covered};
  };
  return {in_samples(rows, plane.rows, pixels_h, samples.h, format.down, height),
          in_samples(columns, plane.columns, pixels_w, samples.w, format.across, width)};
}

TensorDesc Load::image() const {
  return dense(DType::UInt8, layout, {1, channels, height, width, format}, Memory::Pageable);
}

LeastSize Load::least() const {
  if (shorter > 0) return {.height = shorter, .width = shorter};
  if (fit == Fit::Crop) return {};
  return {.height = height, .width = width};
}

Window Load::window(std::int64_t image_height, std::int64_t image_width) const {
  if (fit == Fit::Resize)
    return {.height = image_height, .width = image_width, .top = 0, .left = 0};
  // `part` is the factor by which the window of `height` x `width` is shrunk. If the image is at
  // least as large as the window, the factor is 1. Otherwise it is the largest factor for which the
  // window fits into the image.
  const double part = std::min(
      {1.0, static_cast<double>(image_height) / height, static_cast<double>(image_width) / width});
  Window cut{.height = std::max<std::int64_t>(1, std::llround(height * part)),
             .width = std::max<std::int64_t>(1, std::llround(width * part)),
             .top = {},
             .left = {}};
  std::tie(cut.top, cut.left) = cut.origin(image_height, image_width);
  return cut;
}

std::pair<AxisPart, AxisPart> Load::centre_of(double image_height, double image_width) const {
  const auto part = [&](double pixels, double other, std::int64_t kept) {
    // As in torchvision: the length of the longer side is rounded down, and the start of the window
    // to the nearest whole number, ties to even.
    const double whole = pixels <= other
                             ? static_cast<double>(shorter)
                             : std::floor(static_cast<double>(shorter) * pixels / other);
    const double start = std::nearbyint((whole - static_cast<double>(kept)) / 2);
    return AxisPart{.begin = start * pixels / whole,
                    .length = static_cast<double>(kept) * pixels / whole};
  };
  return {part(image_height, image_width, height), part(image_width, image_height, width)};
}

std::vector<TensorDesc> Load::infer(std::span<const TensorDesc> in) const {
  if (!in.empty()) throw Invalid("load takes no input (it starts a variant)");
  return one_output(DType::UInt8, layout, {batch, channels, height, width, format},
                    Memory::Pageable);
}

void Load::reference(std::span<const Tensor64>, std::span<Tensor64> out, std::int64_t first,
                     std::int64_t item) const {
  const ImageWalk all = walk();
  const std::vector<ImagePlace> chosen = all.places_of(item);
  const std::int64_t image_size = image().elements();
  for (std::int64_t n = 0; n < out[0].shape.n; ++n) {
    const ImagePlace& place = chosen[first + n];
    const std::string& file = all.files()[place.file];
    const std::vector<double> values = storage != Storage::Image ? stored(*this, file, place.offset)
                                       : format == PixelFormat::Rgb ? fitted(*this, file)
                                                                    : fitted_planes(*this, file);
    std::ranges::copy(values, out[0].values.begin() + n * image_size);
  }
}

std::vector<Accuracy> Load::accuracy(std::span<const Known>, std::span<const Tensor64> exact,
                                     std::span<const TensorDesc>) const {
  if (storage != Storage::Image) return {{.low = 0, .high = 255, .whole = true}};
  return {{.low = 0, .high = 255, .errors = errors_of_resized_bytes(exact[0], 0)}};
}

}  // namespace normbench
