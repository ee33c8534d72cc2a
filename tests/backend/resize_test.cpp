#include <gtest/gtest.h>

#include <numeric>

#include "backend/cpu/simd_targets.h"
#include "backend/kernel_testing.h"

namespace normbench::resize_test {
namespace {

struct Sizes {
  std::string name;
  DType dtype;
  Layout layout;
  Shape from;
  std::int64_t height, width;
};

const std::vector<Sizes> kSizes{
    {"PixelsPastABlock", DType::UInt8, Layout::Nhwc, {1, 3, 45, 1031}, 17, 233},
    {"PlanesPastABlock", DType::UInt8, Layout::Nchw, {2, 3, 37, 1025}, 12, 311},
    {"PixelsPastAStrip", DType::UInt8, Layout::Nhwc, {1, 3, 23, 1501}, 9, 301},
    {"PlanesPastAStrip", DType::UInt8, Layout::Nchw, {2, 1, 9, 9001}, 4, 100},
    {"FloatsPastAStrip", DType::Float16, Layout::Nchw, {1, 1, 9, 4099}, 4, 1000},
    {"AlmostTheSameSize", DType::UInt8, Layout::Nchw, {1, 1, 40, 70}, 39, 69},
    {"SameSize", DType::UInt8, Layout::Nhwc, {1, 3, 20, 33}, 20, 33},
    {"ThreeTimesLarger", DType::Float32, Layout::Nhwc, {1, 4, 23, 301}, 69, 903},
    {"TwiceLargerAndOne", DType::Float16, Layout::Nchw, {1, 1, 19, 600}, 39, 1201},
    {"AThird", DType::BFloat16, Layout::Nhwc, {1, 5, 100, 130}, 33, 43},
    {"OneAxisEach", DType::Float32, Layout::Nchw, {1, 2, 64, 50}, 64, 20},
    {"OtherAxis", DType::UInt8, Layout::Nhwc, {1, 3, 50, 64}, 20, 64},
    {"WideToTwoPixels", DType::Float32, Layout::Nhwc, {1, 3, 5, 4000}, 3, 2},
    {"TallToOneRow", DType::Float32, Layout::Nchw, {1, 1, 3000, 21}, 1, 7},
    {"PixelsOfManyChannels", DType::Float16, Layout::Nhwc, {1, 200, 7, 11}, 5, 4},
    {"OnePixelToMany", DType::UInt8, Layout::Nhwc, {1, 3, 1, 1}, 70, 65},
    {"BytesThreeTimesLarger", DType::UInt8, Layout::Nhwc, {1, 4, 23, 301}, 69, 903},
    {"BytesTwiceLargerAndOne", DType::UInt8, Layout::Nchw, {1, 2, 19, 600}, 39, 1201},
    {"TwoChannels", DType::UInt8, Layout::Nhwc, {1, 2, 31, 131}, 11, 47},
    {"FiveChannels", DType::UInt8, Layout::Nhwc, {1, 5, 31, 131}, 11, 47},
    {"BytesOfManyChannels", DType::UInt8, Layout::Nhwc, {1, 200, 7, 11}, 5, 4},
    {"SumsOfColumnsInParts", DType::UInt8, Layout::Nhwc, {1, 3, 5, 4001}, 3, 97},
    {"RowsInSeveralRuns", DType::UInt8, Layout::Nhwc, {1, 3, 1200, 40}, 40, 20},
    {"TooManyRowsForRuns", DType::UInt8, Layout::Nchw, {1, 2, 1000, 33}, 7, 9},
    {"RowsOfSeveralGroups", DType::UInt8, Layout::Nhwc, {2, 3, 203, 75}, 67, 25},
    {"NoWholeNumbers", DType::UInt8, Layout::Nchw, {1, 1, 2, 16411}, 1, 4001},
};

class Resizes : public testing::TestWithParam<std::tuple<Sizes, std::string>> {};

TEST_P(Resizes, KeepToTheReferenceWhateverTheTeam) {
  const auto& [sizes, target] = GetParam();
  const ForcedSimd forced(target);
  const Op op = Resize{.height = sizes.height, .width = sizes.width};
  const TensorDesc from = dense(sizes.dtype, sizes.layout, sizes.from, Memory::Pageable);
  const auto to = infer(op, std::span(&from, 1));
  Guarded in(from, 1);
  fill(in.view());
  std::vector<std::byte> first;
  for (const int threads : {1, 2, 3}) {
    Guarded out(to[0], 3);
    launch(cpu_row("resize", "separable"), op, in.view(), out.view(), threads);
    EXPECT_TRUE(out.guards_intact());
    if (first.empty()) {
      first = out.payload();
      EXPECT_EQ(
          mismatch(expected_of(op, in.view(), to[0]), out.view(), bounds_of(op, in.view(), to[0])),
          std::nullopt);
    }
    EXPECT_TRUE(out.payload() == first) << threads << " threads";
  }
}

/// Resizes lines of `from` bytes to `to` bytes as Pillow does (Resample.c): weights have 22 bits
/// behind the point, and results are rounded to bytes.
std::vector<std::uint8_t> pillow_lines(const std::vector<std::uint8_t>& in, std::int64_t lines,
                                       std::int64_t from, std::int64_t to) {
  constexpr int kBits = 32 - 8 - 2;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(lines * to));
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(scale, 1.0);
  for (std::int64_t x = 0; x < to; ++x) {
    const double centre = (static_cast<double>(x) + 0.5) * scale;
    const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(centre - reach + 0.5));
    const auto end = std::min(from, static_cast<std::int64_t>(centre + reach + 0.5));
    std::vector<double> weights;
    for (std::int64_t p = first; p < end; ++p)
      weights.push_back(
          std::max(0.0, 1 - std::abs((static_cast<double>(p) - centre + 0.5) / reach)));
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::int64_t line = 0; line < lines; ++line) {
      std::int64_t total = std::int64_t{1} << (kBits - 1);
      for (std::int64_t p = first; p < end; ++p)
        total += static_cast<std::int64_t>(
                     weights[static_cast<std::size_t>(p - first)] / sum * (1 << kBits) + 0.5) *
                 in[static_cast<std::size_t>(line * from + p)];
      out[static_cast<std::size_t>(line * to + x)] =
          static_cast<std::uint8_t>(std::clamp<std::int64_t>(total >> kBits, 0, 255));
    }
  }
  return out;
}

/// Returns the planes [rows, columns] as planes [columns, rows].
std::vector<std::uint8_t> turned(const std::vector<std::uint8_t>& in, std::int64_t rows,
                                 std::int64_t columns) {
  std::vector<std::uint8_t> out;
  const std::int64_t plane = rows * columns;
  for (std::int64_t begin = 0; begin < std::ssize(in); begin += plane)
    for (std::int64_t x = 0; x < columns; ++x)
      for (std::int64_t y = 0; y < rows; ++y)
        out.push_back(in[static_cast<std::size_t>(begin + y * columns + x)]);
  return out;
}

/// Returns the planes resized as Pillow does, first each row and then each column, or the other way
/// round. Pillow up to 12 begins with the rows. Pillow 13 begins with the columns where that takes
/// less time.
std::vector<std::uint8_t> pillow(const std::vector<std::uint8_t>& in, const Sizes& sizes,
                                 bool rows_first) {
  const std::int64_t h = sizes.from.h, w = sizes.from.w, planes = sizes.from.n * sizes.from.c;
  if (rows_first) {
    const auto narrow = turned(pillow_lines(in, planes * h, w, sizes.width), h, sizes.width);
    return turned(pillow_lines(narrow, planes * sizes.width, h, sizes.height), sizes.width,
                  sizes.height);
  }
  const auto low =
      turned(pillow_lines(turned(in, h, w), planes * w, h, sizes.height), w, sizes.height);
  return pillow_lines(low, planes * sizes.height, w, sizes.width);
}

std::vector<std::uint8_t> bytes_of(const View& view) {
  const Tensor64 values = to_double(view, 0, view.desc.shape.n);
  return {values.values.begin(), values.values.end()};
}

/// Fills a view with black and white pixels. Long runs of them keep a mean near 0 or 255.
void fill_extremes(const View& view) {
  std::mt19937 random(5);
  Tensor64 values{.shape = view.desc.shape, .values = {}};
  for (std::int64_t i = 0; i < view.desc.elements(); ++i)
    values.values.push_back(i / 97 % 2 == 0 ? 255 : random() % 2 * 255);
  from_double(values, view, 0);
}

/// Pillow's results are at most 1 from the exact ones, since they are rounded after both passes.
/// So a result that is hardly more than 0.5 from the exact one is at most 1 from Pillow's.
TEST_P(Resizes, BytesAreWithinOneOfPillow) {
  const auto& [sizes, target] = GetParam();
  if (sizes.dtype != DType::UInt8) return;
  const ForcedSimd forced(target);
  const Op op = Resize{.height = sizes.height, .width = sizes.width};
  const TensorDesc from = dense(sizes.dtype, sizes.layout, sizes.from, Memory::Pageable);
  const auto to = infer(op, std::span(&from, 1));
  for (const bool extreme : {false, true}) {
    Guarded in(from, 1), out(to[0], 3);
    extreme ? fill_extremes(in.view()) : fill(in.view());
    launch(cpu_row("resize", "separable"), op, in.view(), out.view(), 1);
    const std::vector<std::uint8_t> bytes = bytes_of(in.view()), got = bytes_of(out.view());
    for (const bool rows_first : {true, false}) {
      const std::vector<std::uint8_t> expected = pillow(bytes, sizes, rows_first);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_LE(std::abs(got[i] - expected[i]), 1)
            << "element " << i << ", rows first: " << rows_first;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cpu, Resizes, testing::Combine(testing::ValuesIn(kSizes), testing::ValuesIn(simd_targets())),
    [](const auto& info) { return std::get<0>(info.param).name + "_" + std::get<1>(info.param); });

}  // namespace
}  // namespace normbench::resize_test
