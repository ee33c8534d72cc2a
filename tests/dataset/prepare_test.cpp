#include "dataset/prepare.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "backend/backend.h"
#include "core/issue.h"
#include "dataset/dataset_folder.h"
#include "image_files.h"
#include "ops/array_file.h"

namespace normbench::prepare_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Outcome = Prepared::Outcome;

const DatasetForm raw_form{
    .storage = SaveFormat::Raw, .height = 7, .width = 9, .quality = {}, .shards = {}};

/// An observer that calls `after` after each image, with the number of images that are done.
class Watcher final : public PrepareObserver {
 public:
  explicit Watcher(std::function<void(std::size_t)> after = {}) : after_(std::move(after)) {}
  void started(std::size_t done, std::size_t) override { before = done; }
  void image_done(std::size_t done) override {
    if (after_) after_(done);
  }
  void broken() override { ++broken_images; }

  std::size_t before = 0, broken_images = 0;

 private:
  std::function<void(std::size_t)> after_;
};

class Prepare : public testing::Test {
 protected:
  Prepare()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "photos");
    write("a.jpg", jpeg_file(gradient(40, 31, 3), 40, 31));
    write("b.png", png_file(gradient(9, 80, 3), 9, 80));
    write("c.png", png_file(gradient(7, 9, 3), 7, 9));  // has the size of raw_form
    write("d.png", png_file(gradient(12, 10, 3), 12, 10));
    write("e.png", png_file({250, 130, 5}, 1, 1));
  }
  ~Prepare() override { fs::remove_all(folder_); }

  void write(const std::string& name, const Bytes& bytes) const { write_file(source(name), bytes); }
  std::string source(const std::string& name) const { return folder_ / "photos" / name; }

  Preparation into(const std::string& name, const DatasetForm& form) const {
    Preparation preparation{
        .sources = {}, .folder = folder_ / name, .form = form, .root = source("")};
    for (const char* const file : {"a.jpg", "b.png", "c.png", "d.png", "e.png"})
      preparation.sources.push_back(source(file));
    return preparation;
  }

  Bytes file(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// Returns the pixels that the op `load` makes from the image file `name`.
  Bytes loaded(const std::string& name) const {
    Load op{.batch = 1, .height = *raw_form.height, .width = *raw_form.width};
    op.path = source(name);
    op.resolve({});
    const auto cpu = make_cpu_backend();
    const Signature signature{.in = {}, .out = op.infer({})};
    Bytes pixels(static_cast<std::size_t>(signature.out[0].bytes()));
    const View out{reinterpret_cast<std::byte*>(pixels.data()), signature.out[0]};
    for (const Kernel& kernel : cpu->kernels())
      if (kernel.op == Load::name && kernel.name == "decode")
        kernel.prepare(op, signature)(*cpu->make_queue(1, nullptr), {}, {&out, 1}, {});
    return pixels;
  }

  const fs::path folder_;
  Watcher silent_;
};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

TEST_F(Prepare, StoresWhatLoadLoads) {
  EXPECT_EQ(prepare(into("set", raw_form), {.threads = 2}, silent_).outcome, Outcome::Finished);
  for (const std::string name : {"a.jpg", "b.png", "c.png", "d.png", "e.png"})
    EXPECT_EQ(file("set/" + name.substr(0, 1) + ".raw"), loaded(name)) << name;
}

TEST_F(Prepare, GivesAManifestThatIsTrue) {
  DatasetForm form = raw_form;
  form.storage = SaveFormat::Npy;
  form.shards = 2;
  const Prepared prepared = prepare(into("set", form), {.threads = 2}, silent_);
  EXPECT_THAT(names_in(folder_ / "set"),
              ElementsAre("manifest.json", "shard-0000-of-0002.npy", "shard-0001-of-0002.npy"));
  const Manifest manifest = read_manifest(folder_ / "set").value();
  EXPECT_EQ(manifest, prepared.manifest);
  EXPECT_EQ(manifest.form, form);
  std::int64_t bytes = 0, source_bytes = 0;
  std::vector<std::int64_t> images;
  for (const DatasetFile& made : manifest.files) {
    const Bytes content = file("set/" + made.name);
    EXPECT_EQ(made.crc32, crc32(0, content.data(), static_cast<unsigned>(content.size())));
    const NpyHeader header = parse_npy(std::as_bytes(std::span(content)));
    EXPECT_EQ(header.offset % 64, 0u);
    EXPECT_THAT(header.shape, ElementsAre(made.images, 7, 9, 3));
    images.push_back(made.images);
    bytes += std::ssize(content);
  }
  EXPECT_THAT(images, ElementsAre(2, 3));
  for (const SourceFile& made_of : manifest.sources) {
    const Bytes content = file("photos/" + made_of.name);
    EXPECT_EQ(made_of.crc32, crc32(0, content.data(), static_cast<unsigned>(content.size())));
    source_bytes += std::ssize(content);
  }
  EXPECT_EQ(manifest.bytes, bytes);
  EXPECT_EQ(manifest.source_bytes, source_bytes);
}

TEST_F(Prepare, LeavesOutWhatIsBrokenIfItMay) {
  write("b.png", {});
  write("d.png", {'h', 'i'});
  DatasetForm form = raw_form;
  form.storage = SaveFormat::Npy;
  form.shards = 2;
  const PrepareOptions skip{.threads = 2, .on_error = OnError::Skip};
  const Prepared prepared = prepare(into("set", form), skip, silent_);
  EXPECT_EQ(prepared.outcome, Outcome::Finished);
  const Bytes first = file("set/shard-0000-of-0002.npy"),
              second = file("set/shard-0001-of-0002.npy");
  EXPECT_THAT(parse_npy(std::as_bytes(std::span(first))).shape, ElementsAre(1, 7, 9, 3));
  EXPECT_THAT(parse_npy(std::as_bytes(std::span(second))).shape, ElementsAre(2, 7, 9, 3));
  Bytes pixels = loaded("a.jpg");
  EXPECT_EQ(Bytes(first.begin() + 128, first.end()), pixels);
  pixels = loaded("c.png");
  std::ranges::copy(loaded("e.png"), std::back_inserter(pixels));
  EXPECT_EQ(Bytes(second.begin() + 128, second.end()), pixels);
  for (const DatasetFile& made : prepared.manifest.files) {
    const Bytes content = file("set/" + made.name);
    EXPECT_EQ(made.crc32, crc32(0, content.data(), static_cast<unsigned>(content.size())));
  }
  std::vector<std::string> names;
  for (const LeftOut& image : prepared.manifest.left_out) names.push_back(image.name);
  EXPECT_THAT(names, ElementsAre("b.png", "d.png"));
}

TEST_F(Prepare, NamesWhatIsBrokenDoesTheRestAndGoesOnWhenItIsRepaired) {
  const Bytes kept = file("photos/b.png");
  write("b.png", {});
  write("d.png", {'h', 'i'});
  const Preparation preparation = into("set", raw_form);
  const Prepared prepared = prepare(preparation, {}, silent_);
  EXPECT_EQ(prepared.outcome, Outcome::Broken);
  EXPECT_EQ(silent_.broken_images, 2u);
  std::vector<std::string> broken;
  for (const LeftOut& image : prepared.broken) broken.push_back(image.name);
  EXPECT_THAT(broken, ElementsAre("b.png", "d.png"));
  EXPECT_THAT(names_in(folder_ / "set"), ElementsAre("a.raw", "c.raw", "e.raw", "prepare.jsonl"));
  write("b.png", kept);
  Watcher again;
  const PrepareOptions skip{.threads = 1, .on_error = OnError::Skip};
  EXPECT_EQ(prepare(preparation, skip, again).outcome, Outcome::Finished);
  EXPECT_EQ(again.before, 3u);
  EXPECT_EQ(file("set/b.raw"), loaded("b.png"));
  EXPECT_THAT(names_in(folder_ / "set"),
              ElementsAre("a.raw", "b.raw", "c.raw", "e.raw", "manifest.json"));
}

TEST_F(Prepare, KnowsThatARepairedImageChangedAgain) {
  const Bytes kept = file("photos/b.png");
  write("b.png", {});
  write("d.png", {});
  const Preparation preparation = into("set", raw_form);
  prepare(preparation, {}, silent_);
  write("b.png", kept);
  prepare(preparation, {}, silent_);
  EXPECT_EQ(file("set/b.raw"), loaded("b.png"));
  write("b.png", png_file(gradient(3, 3, 3), 3, 3));
  EXPECT_THAT([&] { prepare(preparation, {}, silent_); },
              ThrowsMessage<std::runtime_error>(HasSubstr(source("b.png"))));
}

TEST_F(Prepare, HasNoDatasetOfNothing) {
  for (const std::string name : {"a.jpg", "b.png", "c.png", "d.png", "e.png"}) write(name, {});
  const PrepareOptions skip{.threads = 2, .on_error = OnError::Skip};
  EXPECT_EQ(prepare(into("set", raw_form), skip, silent_).outcome, Outcome::Broken);
  EXPECT_FALSE(read_manifest(folder_ / "set"));
}

TEST_F(Prepare, EndsAfterTheImageInHandAndGoesOn) {
  for (const std::optional<std::int64_t> shards : {std::optional<std::int64_t>{}, {2}}) {
    DatasetForm form = raw_form;
    form.shards = shards;
    const Preparation preparation = into(shards ? "shards" : "files", form);
    std::atomic<bool> interrupted{false};
    Watcher watcher([&](std::size_t done) { interrupted = done == 3; });
    const PrepareOptions options{.threads = 1, .on_error = {}, .interrupted = &interrupted};
    const Prepared prepared = prepare(preparation, options, watcher);
    EXPECT_EQ(prepared.outcome, Outcome::Interrupted);
    EXPECT_EQ(prepared.done, shards ? 2u : 3u);  // no image of an incomplete shard is done
    const std::vector<std::string> files{"a.raw", "b.raw", "c.raw", "prepare.jsonl"};
    const std::vector<std::string> whole_shards{"prepare.jsonl", "shard-0000-of-0002.raw"};
    EXPECT_EQ(names_in(preparation.folder), shards ? whole_shards : files);
    Watcher again;
    EXPECT_EQ(prepare(preparation, {.threads = 1}, again).outcome, Outcome::Finished);
    EXPECT_EQ(again.before, shards ? 2u : 3u);
    EXPECT_EQ(prepare(preparation, {.threads = 1}, again).outcome, Outcome::WasThere);
  }
}

TEST_F(Prepare, StopsWhereASourceChangesMeanwhile) {
  const Preparation preparation = into("set", raw_form);
  Watcher changes([&](std::size_t done) {
    if (done == 2) write("d.png", png_file(gradient(12, 11, 3), 12, 11));
  });
  const std::string message = "changed since the preparation of " + preparation.folder +
                              " began: " + source("d.png") + " (finished files are kept";
  EXPECT_THAT([&] { prepare(preparation, {}, changes); },
              ThrowsMessage<std::runtime_error>(HasSubstr(message)));
  EXPECT_THAT(names_in(preparation.folder),
              ElementsAre("a.raw", "b.raw", "c.raw", "prepare.jsonl"));
  EXPECT_THAT([&] { prepare(preparation, {}, silent_); },
              ThrowsMessage<std::runtime_error>(HasSubstr(message)));
}

TEST_F(Prepare, StopsWhereASourceIsGone) {
  Watcher changes([&](std::size_t done) {
    if (done == 1) fs::remove(source("d.png"));
  });
  EXPECT_THAT([&] { prepare(into("set", raw_form), {.threads = 2}, changes); },
              ThrowsMessage<std::runtime_error>(HasSubstr(source("d.png"))));
}

TEST_F(Prepare, MakesAgainWhatIsNotAsItWasWritten) {
  const Preparation preparation = into("set", raw_form);
  std::atomic<bool> interrupted{false};
  Watcher watcher([&](std::size_t done) { interrupted = done == 4; });
  prepare(preparation, {.threads = 1, .on_error = {}, .interrupted = &interrupted}, watcher);
  Bytes damaged = file("set/a.raw");
  damaged[5] ^= 1;
  write_file(folder_ / "set/a.raw", damaged);
  fs::remove(folder_ / "set/c.raw");
  Watcher again;
  EXPECT_EQ(prepare(preparation, {.threads = 1}, again).outcome, Outcome::Finished);
  EXPECT_EQ(again.before, 2u);
  for (const std::string name : {"a.jpg", "c.png"})
    EXPECT_EQ(file("set/" + name.substr(0, 1) + ".raw"), loaded(name)) << name;
}

TEST_F(Prepare, SeesASourceThatChangedUnseenWhereItsFileIsMadeAgain) {
  const Preparation preparation = into("set", raw_form);
  std::atomic<bool> interrupted{false};
  Watcher watcher([&](std::size_t done) { interrupted = done == 4; });
  prepare(preparation, {.threads = 1, .on_error = {}, .interrupted = &interrupted}, watcher);
  const auto time = fs::last_write_time(source("a.jpg"));
  Bytes changed = file("photos/a.jpg");
  changed[changed.size() / 2] ^= 1;
  write("a.jpg", changed);
  fs::last_write_time(source("a.jpg"), time);
  fs::remove(folder_ / "set/a.raw");
  EXPECT_THAT([&] { prepare(preparation, {}, silent_); },
              ThrowsMessage<std::runtime_error>(HasSubstr(source("a.jpg"))));
}

TEST_F(Prepare, IsAnotherOneOnlyInAnotherFolder) {
  DatasetForm other = raw_form;
  other.storage = SaveFormat::Png;
  other.width = 8;
  std::atomic<bool> interrupted{true};
  const PrepareOptions never{.threads = 1, .on_error = {}, .interrupted = &interrupted};
  prepare(into("begun", raw_form), never, silent_);
  prepare(into("finished", raw_form), {}, silent_);
  for (const std::string name : {"begun", "finished"}) {
    try {
      prepare(into(name, other), {}, silent_);
      ADD_FAILURE();
    } catch (const BadInput& mistakes) {
      ASSERT_EQ(mistakes.issues.size(), 2u);
      EXPECT_THAT(mistakes.issues[0].text, HasSubstr("storage was raw, is png"));
      EXPECT_THAT(mistakes.issues[1].text, HasSubstr("width was 9, is 8"));
    }
    Preparation fewer = into(name, raw_form);
    fewer.sources.pop_back();
    EXPECT_THAT([&] { prepare(fewer, {}, silent_); },
                ThrowsMessage<BadInput>(HasSubstr("no longer among the images: ")));
  }
}

TEST_F(Prepare, KnowsThatAFinishedDatasetIsNoLongerTrue) {
  const Preparation preparation = into("set", raw_form);
  prepare(preparation, {}, silent_);
  const Bytes kept = file("photos/d.png");
  write("d.png", png_file(gradient(3, 3, 3), 3, 3));
  EXPECT_THAT([&] { prepare(preparation, {}, silent_); },
              ThrowsMessage<std::runtime_error>(HasSubstr(source("d.png"))));
  write("d.png", kept);
  EXPECT_EQ(prepare(preparation, {}, silent_).outcome, Outcome::WasThere);
  fs::resize_file(folder_ / "set/b.raw", 10);
  EXPECT_THAT(
      [&] { prepare(preparation, {}, silent_); },
      ThrowsMessage<std::runtime_error>(HasSubstr("b.raw: is changed since it was written")));
}

TEST_F(Prepare, TakesNoFolderThatHoldsOtherFiles) {
  const Preparation preparation = into("set", raw_form);
  fs::create_directories(preparation.folder);
  write_file(preparation.folder + "/mine.txt", Bytes{1});
  EXPECT_THAT(mistakes_before(preparation), ElementsAre(HasSubstr("holds other files: mine.txt")));
  fs::remove(preparation.folder + "/mine.txt");
  EXPECT_THAT(mistakes_before(preparation), ElementsAre());
  std::atomic<bool> interrupted{true};
  prepare(preparation, {.threads = 1, .on_error = {}, .interrupted = &interrupted}, silent_);
  write_file(preparation.folder + "/mine.txt", Bytes{1});
  write_file(preparation.folder + "/a.raw.123.tmp", Bytes{1});
  EXPECT_THAT([&] { prepare(preparation, {}, silent_); },
              ThrowsMessage<BadInput>(HasSubstr("holds other files: mine.txt (")));
  EXPECT_TRUE(fs::exists(preparation.folder + "/a.raw.123.tmp"));
  fs::remove(preparation.folder + "/mine.txt");
  EXPECT_EQ(prepare(preparation, {}, silent_).outcome, Outcome::Finished);
  EXPECT_FALSE(fs::exists(preparation.folder + "/a.raw.123.tmp"));
}

}  // namespace
}  // namespace normbench::prepare_test
