#include "ops/load.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "backend/backend.h"
#include "image_files.h"

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

  /// The batch in memory order, over poison.
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
          for (int call = 0; call < 2; ++call) {  // again with buffers that hold other images
            const Bytes actual = run(launch, op, threads);
            for (std::size_t i = 0; i < expected.size(); ++i)
              ASSERT_NEAR(actual[i], expected[i], 1)
                  << name_of(fit) << name_of(layout) << height << 'x' << width << " at " << i;
          }
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
              "(empty file), f.png (not an image this version reads (JPEG and PNG; the file starts "
              "with 68 65 6c 6c))");
  }
}

TEST_F(LoadRows, FilesThatBreakLaterAreAllNamed) {
  const Load op = load({.batch = 6, .height = 4, .width = 4});
  const Launch launch = prepared("decode", op);
  EXPECT_EQ(complaint(launch, op), "");
  write("a.jpg", {});
  fs::remove(folder_ / "c.png");
  EXPECT_EQ(complaint(launch, op),
            "2 of 4 files cannot be read: a.jpg (empty file), c.png (No such file or directory)");
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
    EXPECT_EQ(slice.kind, RangeKind::Part);
  }
  EXPECT_THAT(names, ElementsAre("read", "decode", "resize", "read", "decode", "resize"));
}

}  // namespace
}  // namespace normbench::load_test
