#include "ops/npy_header.h"

#include <array>
#include <span>

#include "ops/op_testing.h"

namespace normbench::npy_header_test {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// Returns a .npy file with `dict` as its header and without data.
std::string file_of(const std::string& dict, int version = 1, int minor = 0) {
  std::string bytes("\x93NUMPY");
  bytes += static_cast<char>(version);
  bytes += static_cast<char>(minor);
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(dict.size() >> (8 * i) & 0xFF);
  return bytes + dict;
}

NpyHeader parsed(const std::string& file) { return parse_npy(std::as_bytes(std::span(file))); }

std::string mistake_of(const std::string& file) {
  try {
    parsed(file);
  } catch (const Invalid& mistake) {
    return mistake.what();
  }
  return "no mistake";
}

std::string with_descr(const std::string& descr) {
  return file_of("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2, 3), }\n");
}

/// Returns why an array of type `descr` is refused as `dtype`, or "".
std::string refused(const std::string& descr, DType dtype) {
  const auto mistakes = npy_mistakes(parsed(with_descr("'" + descr + "'")), dtype);
  return mistakes.empty() ? "" : mistakes.front();
}

TEST(NpyHeader, IsWhatNumPyWrites) {
  EXPECT_EQ(npy_header("<f4", std::array<std::int64_t, 4>{2, 3, 4, 5}),
            "\x93NUMPY\x01\x00\x76\x00"s +
                "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4, 5), }" +
                std::string(52, ' ') + "\n");
  EXPECT_EQ(npy_header("|u1", std::array<std::int64_t, 1>{7}),
            "\x93NUMPY\x01\x00\x76\x00"s +
                "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }" + std::string(60, ' ') +
                "\n");
}

TEST(NpyHeader, EndsAtAMultipleOf64Bytes) {
  for (std::int64_t extent = 1; extent < 1'000'000'000'000'000'000; extent *= 10) {
    const std::array<std::int64_t, 4> shape{extent, extent, 1, 1};
    const std::string text = npy_header("<u2", shape);
    EXPECT_EQ(text.size() % 64, 0u);
    const NpyHeader header = parsed(text);
    EXPECT_EQ(header.offset, text.size());
    EXPECT_EQ(header.descr, "<u2");
    EXPECT_FALSE(header.fortran_order);
    EXPECT_THAT(header.shape, testing::ElementsAreArray(shape));
  }
}

/// NumPy 1.22 and 2.4 read each spelling in a list below as the dtype that is given with the list,
/// on a little-endian machine.
TEST(NpyType, HasManySpellings) {
  for (const char* descr :
       {"u1", "|u1", "<u1", ">u1", "=u1", "B", "|B", "<B", ">B", "=B", "uint8", "ubyte"})
    EXPECT_EQ(refused(descr, DType::UInt8), "") << descr;
  for (const char* descr : {"f4", "|f4", "<f4", "=f4", "f", "|f", "<f", "=f", "float32", "single"})
    EXPECT_EQ(refused(descr, DType::Float32), "") << descr;
  for (const char* descr : {"f2", "|f2", "<f2", "=f2", "e", "<e", "=e", "float16", "half"})
    EXPECT_EQ(refused(descr, DType::Float16), "") << descr;
  // bfloat16 is stored as unsigned 16-bit numbers, or as two raw bytes, as NumPy saves the bfloat16
  // of ml_dtypes.
  for (const char* descr :
       {"u2", "|u2", "<u2", "=u2", "H", "<H", "uint16", "ushort", "V2", "|V2", "<V2", "=V2", ">V2"})
    EXPECT_EQ(refused(descr, DType::BFloat16), "") << descr;
  EXPECT_EQ(npy_mistakes(parsed(with_descr("u'|u1'")), DType::UInt8).size(), 0u);  // from Python 2
}

TEST(NpyType, OthersAreRefusedByNamesThatPeopleKnow) {
  const std::vector<std::pair<const char*, const char*>> types{
      {"|b1", "bool"},
      {"?", "bool"},
      {"bool", "bool"},
      {"<i8", "int64"},
      {"<u2", "uint16"},
      {"<f8", "float64"},
      {"double", "float64"},
      {"<f16", "float128"},
      {"<c8", "complex64"},
      {">f2", "big-endian float16"},
      {"|O", "Python objects (save a plain array)"},
      {"|S5", "byte strings"},
      {"<U5", "strings"},
      {"<M8[ns]", "dates (datetime64)"},
      {"<m8[us]", "time spans (timedelta64)"},
      {"<V2", "two raw bytes an element (as ml_dtypes saves bfloat16)"},
      {"<V1", "raw bytes (\"<V1\")"},
      {"i1,i1", "a structured type (save one field of it)"},
      {"Float32", "\"Float32\""},
      {"<float32", "\"<float32\""},
      {"u1 ", "\"u1 \""},
      {"", "\"\""}};
  for (const auto& [descr, name] : types)
    EXPECT_EQ(refused(descr, DType::Float32), "holds "s + name + ", expected float32");
  EXPECT_EQ(refused(">f4", DType::Float32),
            R"(holds big-endian float32, expected float32 (save it .astype("<f4")))");
  EXPECT_EQ(refused(">u2", DType::BFloat16),
            "holds big-endian uint16, expected bfloat16 (as ml_dtypes saves it, or its bits as "
            "uint16)");
  EXPECT_EQ(refused("<V4", DType::BFloat16),
            "holds raw bytes (\"<V4\"), expected bfloat16 (as ml_dtypes saves it, or its bits as "
            "uint16)");
}

TEST(NpyType, StructuredTypesAndArraysOfElementsAreNamed) {
  const auto first = [](const std::string& descr) {
    return npy_mistakes(parsed(with_descr(descr)), DType::Float32).front();
  };
  const std::string structured = "holds a structured type (save one field of it), expected float32";
  EXPECT_EQ(first("[('a', '<f4'), ('b)', '|u1', (2, 3))]"), structured);
  EXPECT_EQ(first("[('', '<f4')]"), structured);
  EXPECT_EQ(first("('<f4', (3,))"),
            "holds arrays as elements (save a plain array), expected float32");
  EXPECT_EQ(parsed(with_descr("[('a', '<f4')]")).descr, "[('a', '<f4')]");
  EXPECT_THAT(mistake_of(with_descr("[('a', '<f4')")), HasSubstr("a bracket does not close"));
}

TEST(NpyHeader, AllMistakesAreSaid) {
  const NpyHeader header =
      parsed(file_of("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }"));
  EXPECT_THAT(npy_mistakes(header, DType::Float32),
              ElementsAre("holds float64, expected float32",
                          "is in Fortran order (save numpy.ascontiguousarray of it)"));
}

TEST(NpyHeader, ReadsWhatNumPyReads) {
  for (const char* dict :
       {"{'shape':(2,3),'descr':'|u1','fortran_order':False}",
        "  {'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }",
        "{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (2, 3)}",
        "{'descr': '|u1',\n 'fortran_order': False,\n 'shape': ( 2 , 3 , )\n}\n\n",
        "{u'descr': u'|u1', 'fortran_order': False, 'shape': (2L, 3L), }"}) {
    const NpyHeader header = parsed(file_of(dict));
    EXPECT_EQ(header.descr, "|u1");
    EXPECT_THAT(header.shape, ElementsAre(2, 3)) << dict;
  }
  EXPECT_THAT(parsed(file_of("{'descr': '|u1', 'fortran_order': False, 'shape': (6L,), }")).shape,
              ElementsAre(6));
  EXPECT_THAT(parsed(file_of("{'descr': '|u1', 'fortran_order': False, 'shape': (), }")).shape,
              testing::IsEmpty());
  const std::string wide = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }" +
                           std::string(70'000, ' ') + "\n";
  EXPECT_EQ(parsed(file_of(wide, 2)).offset, 12 + wide.size());
  EXPECT_EQ(parsed(file_of(wide, 3)).offset, 12 + wide.size());
}

TEST(NpyHeader, RefusesWhatNumPyRefuses) {
  const auto shape = [](const std::string& text) {
    return mistake_of(file_of("{'descr': '|u1', 'fortran_order': False, 'shape': " + text + "}"));
  };
  EXPECT_EQ(shape("(6)"), "broken .npy header: shape is a number, no tuple (a comma is missing)");
  EXPECT_EQ(shape("[2, 3]"), "broken .npy header: expected '(' in the dict");
  EXPECT_EQ(shape("(-1, 3)"), "broken .npy header: shape must hold whole numbers");
  EXPECT_EQ(shape("(2,, 3)"), "broken .npy header: shape must hold whole numbers");
  EXPECT_EQ(shape("(2, 3)\0"s), "broken .npy header: expected '}' in the dict");
  EXPECT_EQ(shape("(2, 3), 'x': 1"), "broken .npy header: key \"x\" is unknown or there twice");
  const std::string good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }";
  for (const auto& [version, minor] : {std::pair{1, 1}, {2, 1}, {0, 0}, {4, 0}})
    EXPECT_THAT(mistake_of(file_of(good, version, minor)), HasSubstr("is unknown (1.0, 2.0 and"));
}

}  // namespace
}  // namespace normbench::npy_header_test
