/// Loads image files in which bytes were changed, removed or inserted. Each CPU kernel of the op
/// `load` must load the file, or throw an error that names it. Sanitizers check memory accesses.
#include <gmock/gmock.h>

#include <filesystem>
#include <random>

#include "backend/backend.h"
#include "ops/load.h"
#include "webp_files.h"

namespace normbench::mutated_images_test {
namespace {

namespace fs = std::filesystem;

/// Returns random bytes. As pixels, they hardly compress, so that image files have many bytes.
Bytes noise(std::size_t count, std::mt19937& random) {
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

std::vector<Bytes> whole_files(std::mt19937& random) {
  const Bytes colour = noise(40 * 56 * 3, random), grey = noise(40 * 56, random);
  return {jpeg_file(colour, 40, 56, {.quality = 80}),
          jpeg_file(colour, 40, 56, {.quality = 80, .across = 2, .down = 2}),
          jpeg_file(colour, 40, 56, {.quality = 80, .progressive = true, .across = 2, .down = 2}),
          jpeg_file(colour, 40, 56, {.quality = 80, .progressive = true}),
          jpeg_file(grey, 40, 56, {.pixels = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE}),
          jpeg_file(noise(40 * 56 * 4, random), 40, 56,
                    {.pixels = JCS_CMYK, .stored = JCS_YCCK, .progressive = true, .adobe = true}),
          jpeg_file(colour, 40, 56, {.quality = 80, .blocks_to_restart = 3}),
          png_file(colour, 40, 56),
          with_chunks(png_file(grey, 40, 56, {SPNG_COLOR_TYPE_GRAYSCALE, 8}), "IEND",
                      png_chunk("eXIf", exif_block(6, true))),
          webp_file(noise(40 * 56 * 4, random), 40, 56, {.lossless = false}),
          webp_with_exif(webp_file(colour, 40, 56), 40, 56, exif_block(8, false)),
          animated_webp(60, 70, webp_frame(webp_file(colour, 40, 56), 10, 6, 40, 56))};
}

Bytes mutated(Bytes file, std::mt19937& random) {
  const auto below = [&](std::size_t end) { return random() % end; };
  switch (below(3)) {
    case 0:
      for (std::size_t i = 0; i < 1 + below(8); ++i)
        file[below(file.size())] = static_cast<std::uint8_t>(random());
      break;
    case 1:
      file.resize(below(file.size()));
      break;
    default: {
      const Bytes more = noise(1 + below(16), random);
      file.insert(file.begin() + static_cast<std::ptrdiff_t>(below(file.size())), more.begin(),
                  more.end());
    }
  }
  return file;
}

const Kernel& row(const Backend& cpu, std::string_view name) {
  for (const Kernel& kernel : cpu.kernels())
    if (kernel.op == Load::name && kernel.name == name) return kernel;
  throw std::runtime_error("no such row");
}

/// Returns the error of loading one file, or "". prepare() reads the whole file. Then the mutated
/// file replaces it, so that the launch reads the mutated file.
std::string complaint(Backend& cpu, std::string_view name, PixelFormat format,
                      const std::string& path, const Bytes& whole, const Bytes& mutated) try {
  write_file(path, whole);
  Load op{.path = path, .batch = 1, .height = 9, .width = 11, .format = format};
  if (format != PixelFormat::Rgb) op.layout = Layout::Nchw;
  op.resolve({});
  const TensorDesc desc = op.infer({})[0];
  const Launch load = row(cpu, name).prepare(op, {.in = {}, .out = {desc}});
  write_file(path, mutated);
  Bytes batch(static_cast<std::size_t>(desc.bytes()));
  const View out{reinterpret_cast<std::byte*>(batch.data()), desc};
  const auto queue = cpu.make_queue(1, nullptr);
  load(*queue, {}, {&out, 1}, {});
  return "";
} catch (const std::runtime_error& error) {
  return error.what();
}

TEST(MutatedImages, AreLoadedOrNamedAlikeByAllRows) {
  const fs::path folder = fs::path(testing::TempDir()) / "mutated_images";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::mt19937 random(20261126);
  const std::vector<Bytes> files = whole_files(random);
  const auto cpu = make_cpu_backend();
  int broken = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = std::to_string(i) + (i % 2 == 0 ? ".jpg" : ".png");
    const Bytes& file = files[static_cast<std::size_t>(i) % files.size()];
    const Bytes other = mutated(file, random);
    const auto complaint_of = [&](std::string_view row, PixelFormat format) {
      return complaint(*cpu, row, format, folder / name, file, other);
    };
    const std::string whole = complaint_of("decode", PixelFormat::Rgb);
    EXPECT_EQ(complaint_of("scaled", PixelFormat::Rgb), whole);
    EXPECT_EQ(complaint_of("decode", PixelFormat::Ycbcr420), whole);
    EXPECT_EQ(complaint_of("planes", PixelFormat::Rgb), whole);
    if (whole.empty()) continue;
    ++broken;
    EXPECT_THAT(whole, testing::HasSubstr(name + " ("));
  }
  EXPECT_GT(broken, 600);
  EXPECT_LT(broken, 2000);  // decoders accept some changed coefficients
  fs::remove_all(folder);
}

}  // namespace
}  // namespace normbench::mutated_images_test
