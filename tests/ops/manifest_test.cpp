#include "ops/images/manifest.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/issue.h"

namespace normbench::manifest_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::string_view text = R"({
 "schema": 1,
 "tool": {
  "name": "normbench",
  "version": "1.2.3"
 },
 "storage": "npy",
 "height": 2,
 "width": 5,
 "quality": null,
 "shards": 2,
 "layout": "nhwc",
 "dtype": "uint8",
 "images": 2,
 "seconds": 1.5,
 "source_bytes": 30,
 "bytes": 316,
 "files": [
  {
   "name": "shard-0000-of-0002.npy",
   "images": 2,
   "bytes": 188,
   "crc32": "0000beef"
  },
  {
   "name": "shard-0001-of-0002.npy",
   "images": 0,
   "bytes": 128,
   "crc32": "ffffffff"
  }
 ],
 "sources": [
  {
   "name": "a.jpg",
   "bytes": 10,
   "crc32": "00000001"
  },
  {
   "name": "größer.png",
   "bytes": 20,
   "crc32": "00000000"
  }
 ],
 "left_out": [
  {
   "name": "c.jpg",
   "bytes": 0,
   "why": "empty file"
  }
 ]
}
)";

const Manifest manifest{
    .tool = "normbench",
    .version = "1.2.3",
    .form = {.storage = SaveFormat::Npy, .height = 2, .width = 5, .quality = {}, .shards = 2},
    .images = 2,
    .seconds = 1.5,
    .source_bytes = 30,
    .bytes = 316,
    .files = {{"shard-0000-of-0002.npy", 2, 188, 0xBEEF},
              {"shard-0001-of-0002.npy", 0, 128, 0xFFFFFFFF}},
    .sources = {{"a.jpg", 10, 1}, {"größer.png", 20, 0}},
    .left_out = {{"c.jpg", 0, "empty file"}}};

class ManifestFile : public testing::Test {
 protected:
  ManifestFile()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ManifestFile() override { fs::remove_all(folder_); }

  /// Reads a manifest that is `text` with `was` replaced by `is`. Returns the error, or "".
  std::string complaint(std::string_view was, std::string_view is) const try {
    std::string changed(text);
    const auto at = changed.find(was);
    EXPECT_NE(at, changed.npos) << was;
    std::ofstream(folder_ / "manifest.json") << changed.replace(at, was.size(), is);
    read_manifest(folder_);
    return "";
  } catch (const Invalid& mistake) {
    const std::string what = mistake.what(), path = (folder_ / "manifest.json").string() + ": ";
    EXPECT_TRUE(what.starts_with(path)) << what;
    return what.substr(path.size());
  }

  const fs::path folder_;
};

TEST_F(ManifestFile, IsWrittenAsDocumentedAndReadBack) {
  write_manifest(folder_, manifest);
  std::ifstream in(folder_ / "manifest.json", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
  EXPECT_EQ(read_manifest(folder_), manifest);
}

TEST_F(ManifestFile, HasTheClassesOfItsImages) {
  Manifest classes = manifest;
  classes.sources = {{"cat/a.jpg", 10, 1},
                     {.name = "dog/old/a.jpg", .bytes = 20, .remarks = {Remark::Repaired}}};
  classes.left_out = {{"eel/c.jpg", 0, "empty file"}};
  write_manifest(folder_, classes);
  EXPECT_EQ(read_manifest(folder_), classes);
  std::ifstream in(folder_ / "manifest.json");
  const Json json = Json::parse(in);
  EXPECT_EQ(json.at("classes"), Json({"cat", "dog", "eel"}));
  EXPECT_EQ(json.at("sources").at(0).at("class"), "cat");
  EXPECT_EQ(json.at("sources").at(1).at("class"), "dog");
  EXPECT_EQ(json.at("sources").at(1).at("remarks"), Json::array({"repaired"}));
}

TEST_F(ManifestFile, OfImagesOfTheirOwnSizesIsReadBack) {
  Manifest own = manifest;
  own.form = {.storage = SaveFormat::Jpeg, .height = {}, .width = {}, .quality = 90, .shards = {}};
  own.left_out = {};
  write_manifest(folder_, own);
  EXPECT_EQ(read_manifest(folder_), own);
}

TEST_F(ManifestFile, IsNothingWhereThereIsNone) {
  EXPECT_EQ(read_manifest(folder_), std::nullopt);
  EXPECT_EQ(read_manifest(folder_ / "absent"), std::nullopt);
}

TEST_F(ManifestFile, IsNothingWhereItIsAnotherPrograms) {
  for (const char* text : {"{}", "[]", R"({"name": "an app", "icons": []})", R"({"tool": "x"})",
                           R"({"tool": {"name": "x"}})"}) {
    std::ofstream(folder_ / "manifest.json") << text;
    EXPECT_EQ(read_manifest(folder_), std::nullopt) << text;
  }
}

TEST_F(ManifestFile, ThatIsDamagedSaysWhere) {
  EXPECT_EQ(complaint("", ""), "");
  EXPECT_THAT(complaint("\"seconds\": 1.5,", "\"seconds\": 1.5"),
              HasSubstr("line 16, column 2: unexpected \"source_bytes\" (expected ',' or '}')"));
  EXPECT_EQ(complaint("\"schema\": 1", "\"schema\": 2"),
            "/schema: 2 is newer than this version of normbench reads (1)");
  EXPECT_EQ(complaint("\"schema\": 1", "\"schema\": 0"), "/schema: expected 1");
  EXPECT_THAT(complaint("\"npy\"", "\"npz\""), HasSubstr("/storage: unknown value \"npz\""));
  EXPECT_THAT(complaint("\"height\": 2", "\"height\": 0"),
              HasSubstr("/height: must be at least 1"));
  EXPECT_THAT(complaint("\"nhwc\"", "\"nchw\""), HasSubstr("expected layout nhwc"));
  EXPECT_EQ(complaint("0000beef", "beef"), "/files/0/crc32: expected 8 hexadecimal digits");
  EXPECT_EQ(complaint("0000beef", "0000beeg"), "/files/0/crc32: expected 8 hexadecimal digits");
  EXPECT_EQ(complaint("\"bytes\": 20", "\"byte\": 20"), "/sources/1/bytes: is missing");
  EXPECT_EQ(complaint("\"images\": 2", "\"images\": 3"), "/images: is 3, but its lists add up to 2");
  EXPECT_EQ(complaint("\"bytes\": 316", "\"bytes\": 3"), "/bytes: is 3, but its lists add up to 316");
  EXPECT_EQ(complaint("\"source_bytes\": 30", "\"source_bytes\": 31"),
            "/source_bytes: is 31, but its lists add up to 30");
  EXPECT_EQ(complaint("\"images\": 0", "\"images\": 1"), "/images: is 2, but its lists add up to 3");
  EXPECT_EQ(complaint("\"name\": \"a.jpg\"", "\"name\": \"cat/a.jpg\""),
            "/sources/0/class: is not the first folder of the name");
  EXPECT_EQ(complaint("\"left_out\"", "\"classes\": [\"cat\"], \"left_out\""),
            "/classes: are not those of its sources");
  EXPECT_THAT(complaint("\"left_out\"", "\"left\""), HasSubstr("/left_out: expected a list"));
}

}  // namespace
}  // namespace normbench::manifest_test
