#include "ops/source.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <limits>

#include "ops/op_testing.h"

namespace normbench::source_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

/// A tensor that owns its bytes.
struct Owned {
  explicit Owned(const TensorDesc& desc)
      : bytes(static_cast<std::size_t>(desc.bytes())), view{.data = bytes.data(), .desc = desc} {}

  std::vector<std::byte> bytes;
  View view;
};

std::vector<double> filled(const Source& source, std::uint64_t seed) {
  Owned owned(source.desc());
  source.fill(owned.view, seed);
  return to_double(owned.view, 0, source.shape.n).values;
}

TEST(Source, ReadsItsParameters) {
  const Source s = made<Source>(
      R"({"dtype": "float16", "batch": 2, "size": [5, 7], "channels": 4, "layout": "nhwc",
          "memory": "pinned"})");
  EXPECT_EQ(s.desc(), dense(DType::Float16, Layout::Nhwc, {2, 4, 5, 7}, Memory::Pinned));
  EXPECT_THAT(made<Source>("{}").infer({}), ElementsAre(nchw(DType::UInt8, {10, 3, 720, 1280})));
  EXPECT_EQ(infer_error(Source{}, {Source{}.desc()}), "takes no input");
}

TEST(Source, PointsAtMistakes) {
  EXPECT_THAT(
      mistakes("source", R"({"batch": -1, "channels": 0, "size": [1]})"),
      ElementsAre("/batch: must be at least 1, got -1", "/channels: must be at least 1, got 0",
                  "/size: must be 2 whole numbers, [height, width]"));
  EXPECT_THAT(mistakes("source", R"({"batch": 2147483647, "size": [2147483647, 2147483647]})"),
              ElementsAre(": shape overflows: 2147483647x3x2147483647x2147483647 uint8 "
                          "(must be under 2^62 bytes)"));
}

TEST(Source, HoldsAllBytesAboutEquallyOften) {
  const Source source{.shape = {1, 3, 256, 256}};
  std::array<int, 256> counts{};
  for (const double value : filled(source, 7)) ++counts[static_cast<std::size_t>(value)];
  // Each byte value is expected 768 times, with a standard deviation of 27.7.
  EXPECT_THAT(counts, Each(testing::AllOf(testing::Gt(600), testing::Lt(940))));
}

TEST(Source, IsTheSameInEveryDtypeAndLayout) {
  const Shape odd{2, 3, 5, 7};
  const auto expected = filled({.shape = odd}, 7);
  for (const auto& dtype : words(DType{}))
    for (const auto& layout : words(Layout{})) {
      const Source source{.dtype = dtype.value, .layout = layout.value, .shape = odd};
      const double bound =
          source.accuracy({}, {}, {})[0].errors.at(0);  // 0 if the dtype represents all bytes
      EXPECT_THAT(filled(source, 7), testing::Pointwise(testing::DoubleNear(bound), expected))
          << dtype.name << " " << layout.name;
    }
}

TEST(Source, FillsStridedAndMirroredViews) {
  const Source source{.shape = {2, 3, 5, 7}};
  Owned larger(nchw(DType::UInt8, {2, 3, 8, 9}));
  const View view = flip_view(crop_view(larger.view, 1, 1, 5, 7), Flip::Both);
  source.fill(view, 7);
  EXPECT_EQ(to_double(view, 0, 2).values, filled(source, 7));
  EXPECT_EQ(larger.bytes[0], std::byte{0});
}

TEST(Source, SeedsDiffer) {
  const Source source{.shape = {1, 3, 8, 8}};
  EXPECT_NE(filled(source, 1), filled(source, 2));
  EXPECT_EQ(filled(source, 2), filled(source, 2));
}

TEST(Source, ReferenceIsThePartAskedFor) {
  const Source source{.shape = {3, 3, 5, 7}};
  const auto all = filled(source, Source::default_seed);
  std::vector<Tensor64> out{{{2, 3, 5, 7}, {}}};
  source.reference({}, out, 1);
  EXPECT_THAT(out[0].values, ElementsAreArray(all.begin() + 105, all.end()));
  EXPECT_EQ(source.accuracy({}, {}, {}).at(0), (Accuracy{.low = 0, .high = 255, .whole = true}));
}

/// Returns a .npy file: magic, version, length of the dict, the dict, and the data.
std::string npy(int version, const std::string& dict, const std::string& data) {
  std::string bytes("\x93NUMPY");
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(dict.size() >> (8 * i) & 0xFF);
  return bytes + dict + data;
}

std::string dict(const std::string& descr, const std::string& shape, const char* order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + shape +
         "), }   \n";
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Writes a file and returns a source that reads it. The source has one image of 2 channels, 1 row
/// and 2 columns.
Source from_file(const std::string& name, const std::string& bytes, DType dtype,
                 Layout layout = Layout::Nchw) {
  write_file(name, bytes);
  return {.dtype = dtype, .layout = layout, .shape = {1, 2, 1, 2}, .path = name};
}

std::string resolve_error(Source source) {
  try {
    source.resolve({.base_dir = testing::TempDir(), .images_dir = {}});
  } catch (const Invalid& mistake) {
    return mistake.what();
  }
  return "no error";
}

/// Resolves the source and returns the values of its file.
std::vector<double> read_back(Source source) {
  source.resolve({.base_dir = testing::TempDir(), .images_dir = {}});
  EXPECT_TRUE(std::filesystem::path(source.path).is_absolute());
  std::vector<Tensor64> out{{source.shape, {}}};
  source.reference({}, out, 0);
  EXPECT_EQ(filled(source, 3), out[0].values);
  return out[0].values;
}

TEST(SourceFile, ReadsNpyOfEveryVersion) {
  for (const int version : {1, 2, 3})
    EXPECT_THAT(read_back(from_file("ok.npy", npy(version, dict("|u1", "1, 2, 1, 2"), "\1\2\3\xFF"),
                                    DType::UInt8)),
                ElementsAre(1, 2, 3, 255));
}

TEST(SourceFile, ReadsFloatsAndNhwc) {
  const auto f4 = npy(1, dict("<f4", "1, 1, 2, 2"), raw<float>({1.5f, 2, -3, 4}));
  EXPECT_THAT(read_back(from_file("f4.npy", f4, DType::Float32, Layout::Nhwc)),
              ElementsAre(1.5, -3, 2, 4));
  const auto f2 = npy(1, dict("<f2", "1, 2, 1, 2"), raw<std::uint16_t>({0x3C00, 0, 0xC000, 1}));
  EXPECT_THAT(read_back(from_file("f2.npy", f2, DType::Float16)), ElementsAre(1, 0, -2, 0x1p-24));
}

TEST(SourceFile, ReadsTheBitsOfBFloat16FromNpy) {
  const auto bits =
      npy(1, dict("<u2", "1, 2, 1, 2"), raw<std::uint16_t>({0x3F80, 0, 0xC000, 0x4049}));
  EXPECT_THAT(read_back(from_file("bf16.npy", bits, DType::BFloat16)),
              ElementsAre(1, 0, -2, 3.140625));
}

TEST(SourceFile, ReadsKeysInAnyOrder) {
  const std::string text = R"({"shape":(1,2,1,2),"descr":"|u1","fortran_order":False})";
  EXPECT_THAT(read_back(from_file("order.npy", npy(1, text, "\1\2\3\4"), DType::UInt8)),
              ElementsAre(1, 2, 3, 4));
}

TEST(SourceFile, ReadsRaw) {
  EXPECT_THAT(read_back(from_file("u8.raw", "\1\2\3\4", DType::UInt8)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read_back(from_file("bf16.raw", raw<std::uint16_t>({0x3F80, 0, 0xC000, 0x4049}),
                                  DType::BFloat16)),
              ElementsAre(1, 0, -2, 3.140625));
}

TEST(SourceFile, IsCopiedIntoOtherLayouts) {
  Source source = from_file("u8.raw", "\1\2\3\4", DType::UInt8);
  source.resolve({.base_dir = testing::TempDir(), .images_dir = {}});
  Owned owned(dense(DType::Float32, Layout::Nhwc, source.shape, Memory::Pageable));
  source.fill(owned.view, 1);
  EXPECT_THAT(to_double(owned.view, 0, 1).values, ElementsAre(1, 2, 3, 4));
}

TEST(SourceFile, FloatsAreBoundedByTheirRange) {
  Source source = from_file("range.raw", raw<float>({1.5f, 2, -3, 4}), DType::Float32);
  source.resolve({.base_dir = testing::TempDir(), .images_dir = {}});
  EXPECT_EQ(source.accuracy({}, {}, {}).at(0), (Accuracy{.low = -3, .high = 4}));
}

TEST(SourceFile, SaysWhatIsWrong) {
  const std::string good = dict("|u1", "1, 2, 1, 2");
  const std::vector<std::pair<std::string, std::string>> broken{
      {"", "is empty"},
      {"PNG", "not a .npy file (does not start with \\x93NUMPY)"},
      {"\x93NUMPY\1", "broken .npy header: the file ends in it"},
      {npy(1, good, "").substr(0, 30), "broken .npy header: the file ends in it"},
      {npy(4, good, "\1\2\3\4"), ".npy version 4.0 is unknown (1.0, 2.0 and 3.0 are known)"},
      {npy(1, good, "\1\2\3"), "3 bytes of data, but 1x2x1x2 uint8 nchw pageable needs 4"},
      {npy(1, good, "\1\2\3\4\5"), "5 bytes of data, but 1x2x1x2 uint8 nchw pageable needs 4"},
      {npy(1, dict("<f4", "1, 2, 1, 2"), ""), "the file holds float32, expected uint8"},
      {npy(1, dict(">i8", "1, 2, 1, 2"), ""), "the file holds big-endian int64, expected uint8"},
      {npy(1, dict("|u1", "1, 2, 1, 2", "True"), ""),
       "the file is in Fortran order (save numpy.ascontiguousarray of it)"},
      {npy(1, dict("|u1", "1, 1, 2, 2"), ""),
       "the file has the shape (1, 1, 2, 2), expected (1, 2, 1, 2) as nchw"},
      {npy(1, dict("|u1", "4,"), ""), "the file has the shape (4), expected (1, 2, 1, 2) as nchw"},
      {npy(1, dict("<f8", "4,", "True"), ""),
       "the file holds float64, expected uint8; it is in Fortran order (save "
       "numpy.ascontiguousarray of it); it has the shape (4), expected (1, 2, 1, 2) as nchw"},
      {npy(1, dict("|u1", "4", "Maybe"), ""),
       "broken .npy header: fortran_order must be True or False"},
      {npy(1, dict("|u1", "-4"), ""), "broken .npy header: shape must hold whole numbers"},
      {npy(1, dict("|u1", "99999999999999999999"), ""),
       "broken .npy header: shape must hold whole numbers"},
      {npy(1, "{'descr': '|u1'}", ""), "broken .npy header: needs descr, fortran_order and shape"},
      {npy(1, "{'descr': '|u1', 'descr': '|u1'}", ""),
       "broken .npy header: key \"descr\" is unknown or there twice"},
      {npy(1, "{'descr': '|u1", ""), "broken .npy header: a string does not end"},
      {npy(1, "{'descr' '|u1'}", ""), "broken .npy header: expected ':' in the dict"},
      {npy(1, good + "x", ""), "broken .npy header: something follows the dict"}};
  for (const auto& [bytes, text] : broken)
    EXPECT_THAT(resolve_error(from_file("broken.npy", bytes, DType::UInt8)),
                testing::EndsWith("broken.npy: " + text));
}

TEST(SourceFile, SaysWhatIsWrongWithRawFiles) {
  EXPECT_THAT(resolve_error(from_file("short.raw", "\1\2\3", DType::UInt8)),
              HasSubstr("short.raw: 3 bytes of data, but 1x2x1x2 uint8 nchw pageable needs 4"));
  EXPECT_THAT(
      resolve_error(from_file("b.npy", npy(1, dict("<f4", "1, 2, 1, 2"), ""), DType::BFloat16)),
      HasSubstr("b.npy: the file holds float32, expected bfloat16 (as ml_dtypes saves it, or its "
                "bits as uint16)"));
  EXPECT_THAT(
      resolve_error(from_file("u2.npy", npy(1, dict("<u2", "1, 2, 1, 2"), ""), DType::UInt8)),
      HasSubstr("u2.npy: the file holds uint16, expected uint8"));
  for (const float value :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    EXPECT_THAT(resolve_error(from_file("nan.raw", raw<float>({1, value, 2, 3}), DType::Float32)),
                HasSubstr("the file holds values that are not finite"));
}

TEST(SourceFile, SaysWhatCannotBeRead) {
  EXPECT_THAT(resolve_error({.path = "absent.npy"}),
              testing::EndsWith("/absent.npy: No such file or directory"));
  std::filesystem::create_directories(testing::TempDir() + "folder.npy");
  EXPECT_THAT(resolve_error({.path = "folder.npy"}),
              testing::EndsWith("folder.npy: is a directory (give a file)"));
  EXPECT_EQ(resolve_error({.path = "/dev/null"}), "/dev/null: is not a regular file");
  EXPECT_EQ(resolve_error({}), "no error");
}

}  // namespace
}  // namespace normbench::source_test
