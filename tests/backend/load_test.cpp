#include "ops/load.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "backend/backend.h"
#include "image_files.h"
#include "ops/array_file.h"

namespace normbench::load_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class LoadRows : public testing::Test {
 protected:
  LoadRows()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("a.jpg", jpeg_file(gradient(40, 31, 3), 40, 31));
    write("b.png", png_file(gradient(9, 80, 3), 9, 80));
    write("c.png", png_file({250, 130, 5}, 1, 1));
    write("d.png", png_file(gradient(12, 10, 3), 12, 10));
  }
  ~LoadRows() override { fs::remove_all(folder_); }

  void write(const std::string& name, const Bytes& bytes) const {
    write_file(folder_ / name, bytes);
  }

  Load load(Load like) const {
    like.path = folder_;
    like.resolve({});
    return like;
  }

  Launch prepared(std::string_view name, const Load& op) const {
    for (const Kernel& kernel : cpu_->kernels())
      if (kernel.op == Load::name && kernel.name == name) {
        const Signature signature{.in = {}, .out = op.infer({})};
        EXPECT_TRUE(kernel.accepts(op, signature));
        return kernel.prepare(op, signature);
      }
    throw std::runtime_error("no such row");
  }

  /// Loads a batch into memory that is filled with 0xA5. Returns the bytes of the batch in memory
  /// order.
  Bytes run(const Launch& launch, const Load& op, int threads, Recorder* recorder = nullptr,
            std::int64_t item = 0) const {
    const TensorDesc desc = op.infer({})[0];
    Bytes batch(static_cast<std::size_t>(desc.bytes()), 0xA5);
    const View out{reinterpret_cast<std::byte*>(batch.data()), desc};
    const auto queue = cpu_->make_queue(threads, recorder);
    queue->item = item;
    launch(*queue, {}, {&out, 1}, {});
    return batch;
  }

  std::string complaint(const Launch& launch, const Load& op) const try {
    run(launch, op, 2);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }

  const fs::path folder_;
  const std::unique_ptr<Backend> cpu_ = make_cpu_backend();
};

TEST_F(LoadRows, DecodeAgreesWithTheReference) {
  for (const Fit fit : {Fit::Resize, Fit::Crop})
    for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
      for (const auto& [height, width] : {std::pair{12, 10}, {7, 33}, {1, 1}, {50, 3}})
        for (const int threads : {1, 3}) {
          const Load op =
              load({.batch = 6, .height = height, .width = width, .fit = fit, .layout = layout});
          const Bytes expected = run(prepared("reference", op), op, 1);
          const Launch launch = prepared("decode", op);
          for (int call = 0; call < 2; ++call) {  // the second call reuses buffers
            const Bytes actual = run(launch, op, threads);
            for (std::size_t i = 0; i < expected.size(); ++i)
              ASSERT_NEAR(actual[i], expected[i], 1)
                  << name_of(fit) << name_of(layout) << height << 'x' << width << " at " << i;
          }
        }
}

TEST_F(LoadRows, PlanesAgreeWithTheReference) {
  write("e.jpg", jpeg_file(gradient(33, 47, 3), 33, 47, {.quality = 90, .across = 2, .down = 2}));
  write("f.jpg", jpeg_file(gradient(21, 18, 3), 21, 18, {.quality = 90, .across = 2}));
  write("g.jpg",
        jpeg_file(gradient(20, 9, 1), 20, 9, {.pixels = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE}));
  for (const PixelFormatRow& format : pixel_format_rows)
    for (const Fit fit : {Fit::Resize, Fit::Crop})
      for (const auto& [height, width] : {std::pair{12, 10}, {7, 33}, {1, 1}, {50, 3}, {33, 47}}) {
        if (format.value == PixelFormat::Rgb) continue;
        const Load op = load({.batch = 7,
                              .height = height,
                              .width = width,
                              .fit = fit,
                              .layout = Layout::Nchw,
                              .format = format.value});
        const Bytes expected = run(prepared("reference", op), op, 1);
        const Launch launch = prepared("decode", op);
        for (const int threads : {1, 3}) {
          const Bytes actual = run(launch, op, threads);
          for (std::size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(actual[i], expected[i], 1)
                << format.name << name_of(fit) << height << 'x' << width << " at " << i;
        }
      }
}

TEST_F(LoadRows, PlanesThatFitAreCopied) {
  const Bytes file =
      jpeg_file(gradient(33, 47, 3), 33, 47, {.quality = 90, .across = 2, .down = 2});
  write("e.jpg", file);
  Load op = load({.batch = 1,
                  .height = 33,
                  .width = 47,
                  .layout = Layout::Nchw,
                  .format = PixelFormat::Ycbcr420});
  op.files = {folder_ / "e.jpg"};
  YcbcrImage image;
  DecodeMemory memory;
  Image pixels;
  decode_planes(file, image, memory, pixels);
  Bytes planes;
  for (std::int64_t c = 0; c < 3; ++c)
    for (const double value : to_double(view_of(image, c), 0, 1).values)
      planes.push_back(static_cast<std::uint8_t>(value));
  EXPECT_EQ(run(prepared("decode", op), op, 1), planes);
}

TEST_F(LoadRows, RowsByPlanesAreNearTheWholeImage) {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  Bytes slow;
  for (int y = 0; y < 96; ++y)
    for (int x = 0; x < 80; ++x)
      append(slow, {static_cast<std::uint8_t>(20 + 2 * x), static_cast<std::uint8_t>(20 + 2 * y),
                    static_cast<std::uint8_t>(220 - x - y)});
  write("a.jpg", jpeg_file(slow, 96, 80, {.quality = 95, .across = 2, .down = 2}));
  write("b.png", png_file(slow, 96, 80));
  for (const Layout layout : {Layout::Nchw, Layout::Nhwc})
    for (const auto& [height, width] : {std::pair{48, 40}, {31, 22}, {8, 6}, {96, 80}}) {
      const Load op = load({.batch = 2, .height = height, .width = width, .layout = layout});
      const Bytes expected = run(prepared("reference", op), op, 1);
      const Bytes actual = run(prepared("planes", op), op, 1);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(actual[i], expected[i], 3) << height << 'x' << width << " at " << i;
    }
}

TEST_F(LoadRows, EveryItemHasItsOwnFiles) {
  const Load op = load({.batch = 1, .height = 12, .width = 10, .shuffle = true, .seed = 3});
  std::vector<Bytes> items;
  for (std::int64_t item = 0; item < 4; ++item) {
    const Bytes expected = run(prepared("reference", op), op, 1, nullptr, item);
    const Bytes actual = run(prepared("decode", op), op, 1, nullptr, item);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 1);
    EXPECT_THAT(items, testing::Not(testing::Contains(actual)));
    items.push_back(actual);
  }
}

TEST_F(LoadRows, PixelsThatFitAreCopied) {
  const Bytes pixels = gradient(12, 10, 3);
  Load op = load({.batch = 1, .height = 12, .width = 10});
  op.files = {folder_ / "d.png"};
  EXPECT_EQ(run(prepared("decode", op), op, 1), pixels);
  op.layout = Layout::Nchw;
  Bytes planes;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 120; ++i) planes.push_back(pixels[3 * i + c]);
  EXPECT_EQ(run(prepared("decode", op), op, 1), planes);
}

// An image of the output's size is decoded to its place there, and others are resized to it. To
// planes, all are copied.
TEST_F(LoadRows, PixelsThatFitAreTheSameInRowsAndInPlanes) {
  const std::int64_t height = 40, width = 31, pixels = height * width;
  write("turned.jpg",
        jpeg_file(gradient(width, height, 3), width, height, {.app1 = exif_segment(6, true)}));
  Load op = load({.batch = 4, .height = height, .width = width});
  op.files = {folder_ / "a.jpg", folder_ / "b.png", folder_ / "turned.jpg", folder_ / "d.png"};
  const Bytes rows = run(prepared("decode", op), op, 1);
  op.layout = Layout::Nchw;
  const Bytes planes = run(prepared("decode", op), op, 1);
  for (std::int64_t n = 0; n < 4; ++n)
    for (std::int64_t c = 0; c < 3; ++c)
      for (std::int64_t i = 0; i < pixels; ++i)
        ASSERT_EQ(rows[static_cast<std::size_t>((n * pixels + i) * 3 + c)],
                  planes[static_cast<std::size_t>((n * 3 + c) * pixels + i)])
            << "image " << n << ", channel " << c << ", pixel " << i;
}

TEST_F(LoadRows, BrokenFilesFailBeforeTheFirstRun) {
  write("e.jpg", {});
  write("f.png", {'h', 'e', 'l', 'l', 'o'});
  const Load op = load({.batch = 2});
  for (const char* row : {"decode", "reference"}) {
    std::string text;
    try {
      run(prepared(row, op), op, 1);
    } catch (const std::runtime_error& error) {
      text = error.what();
    }
    EXPECT_EQ(text,
              "2 of 6 files cannot be read (\"on_error\": \"skip\" goes on without them): e.jpg "
              "(empty file); f.png (a text, not a picture)");
  }
}

TEST_F(LoadRows, FilesThatBreakLaterAreAllNamed) {
  const Load op = load({.batch = 6, .height = 4, .width = 4});
  const Launch launch = prepared("decode", op);
  EXPECT_EQ(complaint(launch, op), "");
  write("a.jpg", {});
  fs::remove(folder_ / "c.png");
  EXPECT_EQ(complaint(launch, op),
            "2 of 4 files cannot be read: a.jpg (empty file); c.png (No such file or directory)");
}

TEST_F(LoadRows, SkippedFilesAreReplaced) {
  const Load without = load({.batch = 5, .height = 4, .width = 4});
  const Bytes expected = run(prepared("decode", without), without, 1);
  write("aa.jpg", {});
  const Load op = load({.batch = 5, .height = 4, .width = 4, .on_error = OnError::Skip});
  EXPECT_EQ(run(prepared("decode", op), op, 1), expected);
  EXPECT_EQ(run(prepared("reference", op), op, 1), run(prepared("reference", without), without, 1));
}

TEST_F(LoadRows, PartsAreRecorded) {
  SystemClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  Load op = load({.batch = 2, .height = 4, .width = 4});
  op.files = {folder_ / "d.png"};
  run(prepared("decode", op), op, 1, &recorder);
  const auto logs = recorder.take();
  ASSERT_EQ(logs.size(), 1u);
  std::vector<std::string_view> names;
  for (const Slice& slice : logs[0].slices) {
    names.push_back(slice.name);
    EXPECT_EQ(slice.kind, slice.name == "d.png" ? RangeKind::Image : RangeKind::Part);
  }
  EXPECT_THAT(
      names, ElementsAre("read", "decode", "resize", "d.png", "read", "decode", "resize", "d.png"));
}

TEST_F(LoadRows, ReadAndMappedFilesAreTheSame) {
  const Load read = load({.batch = 4, .height = 8, .width = 8});
  const Load mapped = load({.batch = 4, .height = 8, .width = 8, .via = Via::Mmap});
  EXPECT_EQ(run(prepared("decode", mapped), mapped, 2), run(prepared("decode", read), read, 2));
}

double mean_difference(const Bytes& a, const Bytes& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

/// Returns pixels whose values rise slowly.
Bytes slope(int height, int width) {
  Bytes pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c)
        pixels.push_back(static_cast<std::uint8_t>(20 + 2 * x + y + 10 * c));
  return pixels;
}

TEST_F(LoadRows, ScaledIsNearTheWholeImage) {
  for (const bool progressive : {false, true}) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("a.jpg", jpeg_file(slope(60, 44), 60, 44, {.progressive = progressive}));
    write("b.png", png_file(slope(64, 64), 64, 64));
    for (const auto& [height, width] : {std::pair{30, 22}, {31, 22}, {8, 6}, {7, 3}, {1, 1}}) {
      const Load op = load({.batch = 2, .height = height, .width = width});
      const Bytes whole = run(prepared("decode", op), op, 1);
      EXPECT_LT(mean_difference(run(prepared("scaled", op), op, 2), whole), 2.1)
          << height << 'x' << width;
    }
  }
}

TEST_F(LoadRows, ScaledDoesNotReduceWhatIsCroppedOnly) {
  write("a.jpg", jpeg_file(slope(60, 44), 60, 44, {}));
  const Load op = load({.batch = 1, .height = 4, .width = 4, .fit = Fit::Crop});
  EXPECT_EQ(run(prepared("scaled", op), op, 1), run(prepared("decode", op), op, 1));
}

TEST_F(LoadRows, ScaledIsNearTheCentreOfTheWholeImage) {
  write("a.jpg", jpeg_file(slope(60, 44), 60, 44, {}));
  write("b.jpg", jpeg_file(slope(41, 67), 41, 67, {}));
  for (const int shorter : {22, 11, 9}) {
    const Load op =
        load({.batch = 2, .height = 9, .width = 7, .fit = Fit::Crop, .shorter = shorter});
    const Bytes whole = run(prepared("decode", op), op, 1);
    const Bytes scaled = run(prepared("scaled", op), op, 2);
    EXPECT_LT(mean_difference(scaled, whole), 2.1) << shorter;
  }
}

TEST_F(LoadRows, ACentreIsTheReferenceWithinARounding) {
  write("a.png", png_file(slope(33, 50), 33, 50));
  for (const Layout layout : {Layout::Nhwc, Layout::Nchw}) {
    const Load op = load(
        {.batch = 3, .height = 9, .width = 7, .fit = Fit::Crop, .shorter = 12, .layout = layout});
    Tensor64 exact{op.infer({})[0].shape, {}};
    exact.values.resize(static_cast<std::size_t>(exact.shape.elements()));
    op.reference({}, {&exact, 1}, 0, 0);
    const Bytes found = run(prepared("decode", op), op, 1);
    ASSERT_EQ(found.size(), exact.values.size());
    const TensorDesc desc = op.infer({})[0];
    for (std::int64_t n = 0; n < 3; ++n)
      for (std::int64_t c = 0; c < 3; ++c)
        for (std::int64_t y = 0; y < 9; ++y)
          for (std::int64_t x = 0; x < 7; ++x) {
            const auto at = static_cast<std::size_t>(((n * 3 + c) * 9 + y) * 7 + x);
            const auto offset = static_cast<std::size_t>(n * desc.strides.n + c * desc.strides.c +
                                                         y * desc.strides.h + x * desc.strides.w);
            EXPECT_NEAR(found[offset], exact.values[at], 0.51);
          }
  }
}

/// Returns six different images of 4x5 pixels. Tests read the bytes as NCHW or as NHWC.
Bytes six_images() {
  Bytes pixels(6 * 3 * 4 * 5);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(7 * i);
  return pixels;
}

class StoredRows : public LoadRows {
 protected:
  /// Stores the six images in this storage, with `images` images per file.
  void store(Storage storage, Layout layout, std::size_t images) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const Bytes all = six_images();
    const auto image = static_cast<std::ptrdiff_t>(all.size() / 6);
    for (std::size_t first = 0; first < 6; first += images) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first) * image;
      const Bytes part(begin, begin + static_cast<std::ptrdiff_t>(images) * image);
      const std::string name = "part" + std::to_string(first);
      if (storage == Storage::Raw) {
        write(name + ".raw", part);
        continue;
      }
      std::vector<std::int64_t> shape{4, 5, 3};
      if (layout == Layout::Nchw) shape = {3, 4, 5};
      if (images > 1) shape.insert(shape.begin(), static_cast<std::int64_t>(images));
      const std::string header = npy_header("|u1", shape);
      Bytes file(header.begin(), header.end());
      file.insert(file.end(), part.begin(), part.end());
      write(name + ".npy", file);
    }
  }
};

TEST_F(StoredRows, GiveTheirPixelsHoweverTheyLie) {
  const Bytes all = six_images();
  for (const Storage storage : {Storage::Raw, Storage::Npy})
    for (const Layout layout : {Layout::Nhwc, Layout::Nchw})
      for (const std::size_t images : {1, 2, 6}) {
        store(storage, layout, images);
        for (const Via via : {Via::Read, Via::Mmap})
          for (const PageCache cache : {PageCache::Warm, PageCache::Cold})
            for (const int threads : {1, 3}) {
              const Load op = load({.batch = 4,
                                    .height = 4,
                                    .width = 5,
                                    .layout = layout,
                                    .storage = storage,
                                    .via = via,
                                    .page_cache = cache});
              const Launch launch = prepared("stored", op);
              for (const std::int64_t item : {0, 1, 2}) {
                Bytes expected;  // the next four of six images, cyclically
                for (std::int64_t i = 4 * item; i < 4 * item + 4; ++i)
                  expected.insert(expected.end(), all.begin() + i % 6 * 60,
                                  all.begin() + (i % 6 + 1) * 60);
                ASSERT_EQ(run(launch, op, threads, nullptr, item), expected);
                ASSERT_EQ(run(prepared("reference", op), op, 1, nullptr, item), expected);
              }
            }
      }
}

TEST_F(StoredRows, MappedFilesThatAreCutLaterAreNamed) {
  for (const std::size_t images : {1, 3}) {  // a file of 1 is mapped at each read, one of 3 once
    store(Storage::Raw, Layout::Nhwc, images);
    const Load op =
        load({.batch = 6, .height = 4, .width = 5, .storage = Storage::Raw, .via = Via::Mmap});
    const Launch launch = prepared("stored", op);
    fs::resize_file(folder_ / "part3.raw", 10);
    EXPECT_EQ(complaint(launch, op),
              std::string("1 of ") + (images == 1 ? "6" : "2") +
                  " files cannot be read: part3.raw (ends too early (was it cut off?))");
  }
}

TEST_F(StoredRows, FilesWithoutImagesAreLeftOut) {
  store(Storage::Raw, Layout::Nhwc, 3);
  write("empty.raw", {});
  const Load op = load({.batch = 6, .height = 4, .width = 5, .storage = Storage::Raw});
  EXPECT_EQ(op.walk().files().size(), 2u);
  EXPECT_EQ(run(prepared("stored", op), op, 1), six_images());
}

TEST_F(StoredRows, FilesThatBreakLaterAreNamed) {
  store(Storage::Raw, Layout::Nhwc, 1);
  const Load op = load({.batch = 6, .height = 4, .width = 5, .storage = Storage::Raw});
  const Launch launch = prepared("stored", op);
  write("part2.raw", {1, 2});
  fs::remove(folder_ / "part3.raw");
  EXPECT_EQ(complaint(launch, op),
            "2 of 6 files cannot be read: part2.raw (ends too early (was it cut off?)); "
            "part3.raw (No such file or directory)");
}

}  // namespace
}  // namespace normbench::load_test
