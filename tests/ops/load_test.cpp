#include "ops/load.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/issue.h"
#include "image_files.h"
#include "ops/images/manifest.h"
#include "ops/resize.h"

namespace normbench::load_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// A fixture that has an empty folder for each test.
class LoadTest : public testing::Test {
 protected:
  LoadTest()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~LoadTest() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const Bytes& bytes) const { write_file(at(name), bytes); }

  /// Returns the names of the files that `path` matches. A relative path starts in the test's
  /// folder.
  std::vector<std::string> found(const std::string& path) const {
    Load load{.path = path};
    load.resolve({.base_dir = folder_, .images_dir = {}});
    std::vector<std::string> names;
    for (const auto& file : load.files)
      names.push_back(fs::path(file).lexically_normal().lexically_relative(folder_));
    return names;
  }
  std::string complaint(const std::string& path) const try {
    found(path);
    return "";
  } catch (const Invalid& error) {
    return error.what();
  }

  std::string resolving(Load load) const try {
    load.resolve({.base_dir = folder_, .images_dir = {}});
    return "";
  } catch (const Invalid& mistake) {
    return mistake.what();
  }

  /// Writes readable files a.png, c.jpg and d.png of different sizes, and broken files b.jpg and
  /// e.jpg. Returns a `load` op that loads all five files.
  Load mixed(OnError on_error) const {
    write("a.png", png_file(gradient(4, 5, 3), 4, 5));
    write("b.jpg", {});
    write("c.jpg", jpeg_file(gradient(6, 6, 3), 6, 6));
    write("d.png", png_file(gradient(2, 3, 3), 2, 3));
    Bytes cut = jpeg_file(gradient(8, 8, 3), 8, 8);
    cut.pop_back();
    write("e.jpg", cut);
    Load load{.path = ".", .batch = 4, .height = 3, .width = 3, .on_error = on_error};
    load.resolve({.base_dir = folder_, .images_dir = {}});
    return load;
  }
  std::vector<std::string> batch_names(const Load& load, std::int64_t item = 0) const {
    std::vector<std::string> names;
    const ImageWalk walk = load.walk();
    for (const ImagePlace& place : walk.places_of(item))
      names.push_back(fs::path(walk.files()[place.file]).filename());
    return names;
  }

  const fs::path folder_;
};

std::string thrown(const std::function<void()>& f) try {
  f();
  return "";
} catch (const std::runtime_error& error) {
  return error.what();
}

Load read(const Json& json, std::vector<Issue>& issues) {
  Reader reader(json, "/load", issues);
  const Load load = Load::read(reader);
  reader.finish();
  return load;
}

TEST(LoadRead, TakesEveryParameter) {
  std::vector<Issue> issues;
  const Load load = read({{"path", "photos"},
                          {"batch", 3},
                          {"size", {4, 5}},
                          {"fit", "crop"},
                          {"layout", "nchw"},
                          {"via", "mmap"},
                          {"page_cache", "cold"},
                          {"on_error", "skip"},
                          {"shuffle", true},
                          {"seed", 7}},
                         issues);
  EXPECT_THAT(issues, IsEmpty());
  EXPECT_EQ(load.path, "photos");
  EXPECT_EQ(load.fit, Fit::Crop);
  EXPECT_EQ(load.via, Via::Mmap);
  EXPECT_EQ(load.page_cache, PageCache::Cold);
  EXPECT_EQ(load.on_error, OnError::Skip);
  EXPECT_TRUE(load.shuffle);
  EXPECT_EQ(load.seed, 7);
  EXPECT_THAT(load.infer({}),
              ElementsAre(dense(DType::UInt8, Layout::Nchw, {3, 3, 4, 5}, Memory::Pageable)));
}

TEST(LoadRead, HasDefaults) {
  std::vector<Issue> issues;
  const Load load = read(Json::object(), issues);
  EXPECT_THAT(issues, IsEmpty());
  EXPECT_THAT(load.infer({}),
              ElementsAre(dense(DType::UInt8, Layout::Nhwc, {8, 3, 224, 224}, Memory::Pageable)));
  EXPECT_EQ(load.fit, Fit::Resize);
  EXPECT_EQ(load.on_error, OnError::Fail);
  EXPECT_FALSE(load.shuffle);
}

std::vector<std::string> pointers_of_mistakes(const Json& json) {
  std::vector<Issue> issues;
  read(json, issues);
  std::vector<std::string> pointers;
  for (const auto& issue : issues) pointers.push_back(issue.pointer);
  return pointers;
}

TEST(LoadRead, ReportsMistakes) {
  EXPECT_THAT(pointers_of_mistakes({{"batch", 0}, {"size", {4}}, {"fit", "crob"}, {"paht", "x"}}),
              ElementsAre("/load/batch", "/load/size", "/load/fit", "/load/paht"));
  EXPECT_THAT(pointers_of_mistakes({{"shuffle", 1}, {"seed", -1}}),
              ElementsAre("/load/shuffle", "/load/seed"));
  EXPECT_THAT(pointers_of_mistakes({{"seed", 3}}), ElementsAre("/load/seed"));
  EXPECT_THAT(pointers_of_mistakes({{"storage", "npy"}, {"fit", "resize"}}),
              ElementsAre("/load/fit"));
  EXPECT_THAT(pointers_of_mistakes({{"path", "a"}, {"dataset", "b"}}),
              ElementsAre("/load/dataset"));
  EXPECT_THAT(pointers_of_mistakes({{"shuffle", false}, {"seed", 3}}), IsEmpty());
}

TEST(LoadInfer, TakesNoInput) {
  const TensorDesc input = dense(DType::UInt8, Layout::Nchw, {1, 3, 2, 2}, Memory::Pageable);
  EXPECT_EQ(thrown([&] {
              Load{}.infer({&input, 1});
            }),
            "load takes no input (it starts a variant)");
}

TEST_F(LoadTest, CountsWhatIsDecodedAtASmallerSize) {
  Load load = mixed(OnError::Skip);
  EXPECT_EQ(decoded_smaller(load), 1);  // the JPEG of 6x6; PNGs and broken files do not count
  load.height = load.width = 4;
  EXPECT_EQ(decoded_smaller(load), 0);  // half of 6 pixels is too small
  load.height = load.width = 3;
  load.fit = Fit::Crop;
  EXPECT_EQ(decoded_smaller(load), 0);
  load.shorter = 3;
  EXPECT_EQ(decoded_smaller(load), 1);
}

TEST_F(LoadTest, FolderGivesImagesInNameOrder) {
  for (const char* name : {"b.PNG", "a.jpg", "c.jpeg", "notes.txt", "README.md"}) write(name, {1});
  fs::create_directories(at("d.jpg"));
  write("d.jpg/inner.jpg", {1});
  ASSERT_EQ(mkfifo(at("e.jpg").c_str(), 0600), 0);
  fs::create_symlink(at("a.jpg"), at("f.jpg"));
  fs::create_symlink(at("nowhere"), at("g.jpg"));
  EXPECT_THAT(found("."), ElementsAre("a.jpg", "b.PNG", "c.jpeg", "f.jpg", "g.jpg"));
}

TEST_F(LoadTest, GlobGivesEveryFileItMatches) {
  for (const char* name : {"2.jpg", "1.bin", "x.jpg"}) write(name, {1});
  fs::create_directories(at("3.dir"));
  EXPECT_THAT(found("[0-9].*"), ElementsAre("1.bin", "2.jpg"));
  EXPECT_THAT(found(at("?.jpg")), ElementsAre("2.jpg", "x.jpg"));
}

TEST_F(LoadTest, FolderNamesAreNoPatterns) {
  fs::create_directories(at("set[1]"));
  write("set[1]/a.jpg", {1});
  Load load{.path = "*.jpg"};
  load.resolve({.base_dir = at("set[1]"), .images_dir = {}});
  EXPECT_THAT(load.files, ElementsAre(at("set[1]/a.jpg")));
  EXPECT_THAT(found("set[1]"), ElementsAre("set[1]/a.jpg"));
}

TEST_F(LoadTest, OneFile) {
  write("picture", {1});
  EXPECT_THAT(found("picture"), ElementsAre("picture"));
}

TEST_F(LoadTest, SaysWhatIsMissing) {
  fs::create_directories(at("empty"));
  write("empty/notes.txt", {1});
  EXPECT_EQ(complaint("empty"), "no .jpg, .jpeg, .jpe, .jfif, .png, .webp file in empty");
  EXPECT_EQ(complaint("nowhere"), "no such folder or file: nowhere");
  EXPECT_EQ(complaint("*.png"), "no file matches: *.png");
}

TEST_F(LoadTest, ImagesDirWins) {
  write("a.jpg", {1});
  Load load{.path = "nowhere"};
  load.resolve({.base_dir = "elsewhere", .images_dir = folder_});
  EXPECT_THAT(load.files, ElementsAre(at("a.jpg")));
}

TEST_F(LoadTest, NoPathLeavesNoFiles) {
  Load load;
  load.resolve({.base_dir = folder_, .images_dir = {}});
  EXPECT_THAT(load.files, IsEmpty());
  EXPECT_EQ(thrown([&] { load.walk(); }), "no images given (--images DIR)");
}

TEST_F(LoadTest, FailNamesEveryBrokenFile) {
  Load load = mixed(OnError::Fail);
  const std::string expected =
      "2 of 5 files cannot be read (\"on_error\": \"skip\" goes on without them): b.jpg (empty "
      "file); e.jpg (premature end of JPEG file)";
  EXPECT_EQ(thrown([&] { load.walk(); }), expected);
  load.batch = 1;  // the batch has no broken file, but the load still reports them
  EXPECT_EQ(thrown([&] { load.walk(); }), expected);
  Tensor64 out{{1, 3, 3, 3}, std::vector<double>(27)};
  EXPECT_EQ(thrown([&] { load.reference({}, {&out, 1}, 0, 0); }), expected);
}

TEST_F(LoadTest, SkipLeavesBrokenFilesOut) {
  const Load load = mixed(OnError::Skip);
  EXPECT_THAT(batch_names(load), ElementsAre("a.png", "c.jpg", "d.png", "a.png"));
  EXPECT_THAT(broken_files(load),
              ElementsAre(BrokenFiles{"empty file", 1, {"b.jpg"}},
                          BrokenFiles{"premature end of JPEG file", 1, {"e.jpg"}}));
}

TEST_F(LoadTest, ItemsWalkThroughTheFiles) {
  Load load = mixed(OnError::Skip);
  load.batch = 2;
  EXPECT_THAT(batch_names(load, 0), ElementsAre("a.png", "c.jpg"));
  EXPECT_THAT(batch_names(load, 1), ElementsAre("d.png", "a.png"));
  EXPECT_THAT(batch_names(load, 2), ElementsAre("c.jpg", "d.png"));
  EXPECT_THAT(batch_names(load, 3), ElementsAre("a.png", "c.jpg"));
  load.shuffle = true;
  load.seed = 2;
  std::vector<std::string> names = batch_names(load, 0);
  names.push_back(batch_names(load, 1).front());
  EXPECT_THAT(names, testing::UnorderedElementsAre("a.png", "c.jpg", "d.png"));
}

/// Returns a walk over `count` images with one image per item. Without `seed`, it is not shuffled.
ImageWalk walk_of(std::int64_t count, std::optional<std::uint64_t> seed) {
  return {{""}, std::vector<ImagePlace>(static_cast<std::size_t>(count)), 1, seed};
}

/// Returns the indices of the images in epoch `epoch` of a walk over `count` images, in their
/// order.
std::vector<std::size_t> epoch_of(const ImageWalk& walk, std::int64_t count, std::int64_t epoch) {
  std::vector<std::size_t> numbers;
  for (std::int64_t item = epoch * count; item < (epoch + 1) * count; ++item)
    numbers.push_back(walk.numbers_of(item).front());
  return numbers;
}

TEST(ImageWalkTest, AShuffledEpochHasEveryImageOnce) {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 16, 17, 63, 65, 1000}) {
    std::vector<std::size_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    const ImageWalk walk = walk_of(count, 5);
    for (const std::int64_t epoch : {0, 1, 2, 999})
      EXPECT_THAT(epoch_of(walk, count, epoch), testing::UnorderedElementsAreArray(all));
  }
}

TEST(ImageWalkTest, OrdersGoBySeedAndEpoch) {
  const ImageWalk walk = walk_of(50, 5), same = walk_of(50, 5), other = walk_of(50, 6),
                  named = walk_of(50, {});
  const auto first = epoch_of(walk, 50, 0);
  EXPECT_EQ(first, epoch_of(same, 50, 0));
  EXPECT_NE(first, epoch_of(walk, 50, 1));
  EXPECT_NE(first, epoch_of(other, 50, 0));
  EXPECT_NE(epoch_of(walk, 50, 1), epoch_of(other, 50, 0));  // epoch 1 is not epoch 0 of seed + 1
  EXPECT_NE(first, epoch_of(named, 50, 0));
  EXPECT_EQ(epoch_of(named, 50, 0), epoch_of(named, 50, 1));
}

TEST(ImageWalkTest, EveryImageComesAtEveryPlaceAboutAsOften) {
  constexpr std::int64_t count = 5, epochs = 5000;
  std::array<std::array<int, count>, count> seen{};
  const ImageWalk walk = walk_of(count, 1);
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    const auto order = epoch_of(walk, count, epoch);
    for (std::size_t place = 0; place < order.size(); ++place) ++seen[place][order[place]];
  }
  for (const auto& place : seen)
    for (const int times : place) EXPECT_NEAR(times, epochs / count, 150);  // 5 standard deviations
}

TEST_F(LoadTest, ADatasetIsAFolderOfTheImages) {
  fs::create_directories(at("small"));
  write("small/a.npy", {1});
  write("b.jpg", {1});
  Load load{.dataset = "small", .storage = Storage::Npy};
  load.resolve({.base_dir = folder_, .images_dir = {}});
  EXPECT_THAT(load.files, IsEmpty());
  EXPECT_EQ(load.why_no_files(), "no dataset \"small\" (--images DIR, the folder that it is in)");
  load.resolve({.base_dir = "/", .images_dir = at("small")});
  EXPECT_EQ(load.why_no_files(), "no folder \"small\" in " + at("small"));
  load.resolve({.base_dir = "/", .images_dir = folder_});
  EXPECT_THAT(load.files, ElementsAre(at("small/a.npy")));
  EXPECT_THROW(load.walk(), std::runtime_error);
}

TEST_F(LoadTest, ManifestsTellOfTheirFiles) {
  write("a.raw", Bytes(12));
  Manifest manifest{.tool = "normbench",
                    .version = "1",
                    .form = {SaveFormat::Raw, 2, 2, {}, {}},
                    .images = 1,
                    .seconds = 3.5,
                    .source_bytes = 7,
                    .bytes = 12,
                    .files = {{.name = "a.raw", .images = 1, .bytes = 12, .crc32 = 0}},
                    .sources = {{.name = "a.jpg", .bytes = 7, .crc32 = 0, .psnr_db = 41}}};
  write_manifest(folder_, manifest);
  Load load{.path = ".", .height = 2, .width = 2, .storage = Storage::Raw};
  load.resolve({.base_dir = folder_, .images_dir = {}});
  EXPECT_EQ(load.prepare_seconds, 3.5);
  EXPECT_EQ(load.psnr_db, 41);
  EXPECT_EQ(resolving(load), "");
  Load planes = load;
  planes.layout = Layout::Nchw;
  EXPECT_EQ(resolving(planes),
            "the files hold nhwc pixels, see manifest.json there (remove \"layout\")");
  load.width = 1;
  EXPECT_EQ(resolving(load), "the files hold images of 2x2, not 2x1 (see manifest.json there)");
  load.width = 2;
  write("a.raw", Bytes(24));
  EXPECT_EQ(resolving(load),
            "manifest.json there does not fit: a.raw has another size (prepare it anew, or remove "
            "manifest.json)");
  write("a.raw", Bytes(12));
  write("b.raw", Bytes(12));
  EXPECT_THAT(resolving(load), testing::HasSubstr("b.raw is not in it"));
  fs::rename(folder_ / "a.raw", folder_ / "b.raw");
  fs::copy(folder_ / "b.raw", folder_ / "a.txt");
  EXPECT_THAT(resolving(load), testing::HasSubstr("b.raw is not in it"));
  fs::rename(folder_ / "b.raw", folder_ / "a.raw");
  fs::rename(manifest_path(folder_), unfinished_path(folder_));
  EXPECT_EQ(resolving(load),
            "its preparation is not finished (give the same normbench prepare again)");
}

TEST_F(LoadTest, ImagesOfArraysAreCountedOneByOne) {
  write("a.raw", Bytes(12));
  write("b.raw", Bytes(36));
  write("c.raw", Bytes(13));
  Load load{.path = ".",
            .batch = 3,
            .height = 2,
            .width = 2,
            .storage = Storage::Raw,
            .on_error = OnError::Skip};
  load.resolve({.base_dir = folder_, .images_dir = {}});
  EXPECT_EQ(load.image_count(), 4);
  const ImageWalk walk = load.walk();
  std::vector<std::pair<std::size_t, std::int64_t>> places;
  for (const std::int64_t item : {0, 1})
    for (const ImagePlace& place : walk.places_of(item))
      places.emplace_back(place.file, place.offset);
  using Place = std::pair<std::size_t, std::int64_t>;
  EXPECT_THAT(places, ElementsAre(Place(0, 0), Place(1, 0), Place(1, 12), Place(1, 24), Place(0, 0),
                                  Place(1, 0)));
  EXPECT_TRUE(walk.places()[0].alone);
  EXPECT_FALSE(walk.places()[1].alone);
}

TEST_F(LoadTest, SkipNeedsOneReadableFile) {
  write("a.jpg", {});
  Load load{.path = ".", .on_error = OnError::Skip};
  load.resolve({.base_dir = folder_, .images_dir = {}});
  EXPECT_EQ(thrown([&] { load.walk(); }), "1 of 1 files cannot be read: a.jpg (empty file)");
}

TEST_F(LoadTest, CopiesShareWhatWasTried) {
  const Load load = mixed(OnError::Skip);
  const Load copy = load;
  ASSERT_EQ(broken_files(load).size(), 2);
  fs::remove(at("a.png"));
  EXPECT_EQ(broken_files(copy).size(), 2);
}

TEST(LoadWindow, ResizeTakesTheWholeImage) {
  const Window all = Load{.height = 2, .width = 9}.window(50, 40);
  EXPECT_EQ(std::tuple(all.height, all.width, *all.top, *all.left), std::tuple(50, 40, 0, 0));
}

TEST(LoadWindow, CropTakesTheCentre) {
  const Load load{.height = 20, .width = 40, .fit = Fit::Crop};
  const auto cut = [&](std::int64_t h, std::int64_t w) {
    const Window window = load.window(h, w);
    return std::tuple(window.height, window.width, *window.top, *window.left);
  };
  EXPECT_EQ(cut(30, 61), std::tuple(20, 40, 5, 10));  // large enough: not scaled
  EXPECT_EQ(cut(20, 40), std::tuple(20, 40, 0, 0));
  EXPECT_EQ(cut(10, 60), std::tuple(10, 20, 0, 20));  // too low: doubled
  EXPECT_EQ(cut(40, 10), std::tuple(5, 10, 17, 0));   // too narrow: scaled by four
  EXPECT_EQ(cut(1, 1), std::tuple(1, 1, 0, 0));
}

/// Returns "begin+length, begin+length": the rows and columns of the image from which the loader
/// makes its output.
std::string centre(const Load& load, double height, double width) {
  const auto [rows, columns] = load.centre_of(height, width);
  return fmt::format("{:g}+{:g}, {:g}+{:g}", rows.begin, rows.length, columns.begin,
                     columns.length);
}

TEST(LoadCentre, IsTheCentreOfTheImageWithItsShorterSideResized) {
  const Load load{.height = 224, .width = 224, .fit = Fit::Crop, .shorter = 256};
  EXPECT_EQ(centre(load, 512, 1024), "32+448, 288+448");  // scaled by 1/2: 224 pixels are 448 here
  EXPECT_EQ(centre(load, 128, 128), "8+112, 8+112");      // scaled by 2: 224 pixels are 112 here
  EXPECT_EQ(centre(load, 256, 256), "16+224, 16+224");
  // torchvision resizes 3x5 to 2x3, since int(3.33) is 3. The first column is round((3 - 2) / 2),
  // which is rounded half to even, to 0.
  EXPECT_EQ(centre({.height = 2, .width = 2, .fit = Fit::Crop, .shorter = 2}, 3, 5),
            "0+3, 0+3.33333");
  // 4x14 is resized to 2x7. The first column is round(2.5), which is rounded half to even, to 2.
  // 4x10 is resized to 2x5. The first column is round(1.5), which is 2.
  EXPECT_EQ(centre({.height = 2, .width = 2, .fit = Fit::Crop, .shorter = 2}, 4, 14), "0+4, 4+4");
  EXPECT_EQ(centre({.height = 2, .width = 2, .fit = Fit::Crop, .shorter = 2}, 4, 10), "0+4, 4+4");
}

TEST(LoadCentre, GoesWithACropOfAtMostItsSize) {
  const auto issues = [](const std::string& text) {
    std::vector<Issue> found;
    const Json members = Json::parse(text);
    Reader reader(members, "", found);
    Load::read(reader);
    std::vector<std::string> texts;
    for (const Issue& issue : found) texts.push_back(issue.pointer + ": " + issue.text);
    return texts;
  };
  EXPECT_THAT(issues(R"({"fit": "crop", "shorter": 256})"), IsEmpty());
  EXPECT_THAT(issues(R"({"shorter": 256})"), ElementsAre(R"(/shorter: goes with "fit": "crop")"));
  EXPECT_THAT(issues(R"({"fit": "crop", "shorter": 0})"),
              ElementsAre(testing::StartsWith("/shorter: must be at least 1")));
  EXPECT_THAT(issues(R"({"storage": "raw", "shorter": 256})"),
              ElementsAre(R"(/shorter: goes with "storage": "image" and "fit": "crop")"));
  EXPECT_THAT(issues(R"({"fit": "crop", "shorter": 200, "size": [100, 224]})"),
              ElementsAre("/shorter: is smaller than the size, 100x224 (at least 224)"));
}

TEST_F(LoadTest, ReferenceOfACentreIsAWindowOfTheImageResized) {
  write("a.png", png_file(gradient(12, 7, 3), 12, 7));
  Load load{.path = ".", .batch = 1, .height = 3, .width = 2, .fit = Fit::Crop, .shorter = 5};
  load.resolve({.base_dir = folder_, .images_dir = {}});
  Tensor64 out{{1, 3, 3, 2}, std::vector<double>(18)};
  load.reference({}, {&out, 1}, 0, 0);
  Tensor64 decoded{{1, 3, 12, 7}, {}};
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 12 * 7; ++i)
      decoded.values.push_back(gradient(12, 7, 3)[static_cast<std::size_t>(i * 3 + c)]);
  // The shorter side becomes 5, so 12x7 is resized to 8x5. The first row of the window is
  // (8 - 3) / 2 = 2.5, and its first column is (5 - 2) / 2 = 1.5. Both become 2, because ties are
  // rounded to even.
  const Window window{.height = 3, .width = 2, .top = 2, .left = 2};
  const Tensor64 expected = window.cut(resized(decoded, 8, 5, ResizeFilter::Triangle));
  EXPECT_THAT(out.values, testing::Pointwise(testing::DoubleNear(1e-9), expected.values));
}

TEST_F(LoadTest, ReferenceIsTheDecodedImageResized) {
  const Bytes pixels = gradient(4, 5, 3);
  write("a.png", png_file(pixels, 4, 5));
  write("b.png", png_file({1, 2, 3}, 1, 1));
  Load load{.path = ".", .batch = 3, .height = 2, .width = 2};
  load.resolve({.base_dir = folder_, .images_dir = {}});
  Tensor64 out{{2, 3, 2, 2}, std::vector<double>(24)};
  load.reference({}, {&out, 1}, 1, 0);  // images 1 and 2: b.png, then a.png again
  Tensor64 decoded{{1, 3, 4, 5}, std::vector<double>(60)}, resized{{1, 3, 2, 2}, {}};
  resized.values.resize(12);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t c = 0; c < 3; ++c) decoded.values[20 * c + i] = pixels[3 * i + c];
  Resize{.height = 2, .width = 2}.reference({&decoded, 1}, {&resized, 1}, 0);
  std::vector<double> expected{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  expected.insert(expected.end(), resized.values.begin(), resized.values.end());
  EXPECT_THAT(out.values, testing::Pointwise(testing::DoubleNear(1e-12), expected));
  Tensor64 next{{2, 3, 2, 2}, std::vector<double>(24)};
  load.reference({}, {&next, 1}, 0, 1);  // the next item continues with b.png
  EXPECT_EQ(next.values, out.values);
}

TEST_F(LoadTest, ReferenceOfACropIsTheWindowItself) {
  const Bytes pixels = gradient(6, 7, 3);
  write("a.png", png_file(pixels, 6, 7));
  Load load{.path = ".", .batch = 1, .height = 2, .width = 3, .fit = Fit::Crop};
  load.resolve({.base_dir = folder_, .images_dir = {}});
  Tensor64 out{{1, 3, 2, 3}, std::vector<double>(18)};
  load.reference({}, {&out, 1}, 0, 0);
  std::vector<double> expected;
  for (int c = 0; c < 3; ++c)
    for (int y = 2; y < 4; ++y)
      for (int x = 2; x < 5; ++x) expected.push_back(pixels[3 * (7 * y + x) + c]);
  EXPECT_EQ(out.values, expected);
}

TEST(LoadAccuracy, LeavesHalfAStepOrLess) {
  const Load load{.height = 1, .width = 1};
  const std::vector<Tensor64> exact{{{1, 3, 1, 1}, {100.25, 255, 7.5}}};
  const auto out = load.infer({});
  const Accuracy accuracy = load.accuracy({}, exact, out).front();
  EXPECT_EQ(accuracy.low, 0);
  EXPECT_EQ(accuracy.high, 255);
  EXPECT_EQ(accuracy.errors, Errors(std::vector<double>{0.25, 0, 0.5}));
}

}  // namespace
}  // namespace normbench::load_test
