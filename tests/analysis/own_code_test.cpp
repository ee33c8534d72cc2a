#include "analysis/own_code.h"

#include <gtest/gtest.h>

#include <limits>

#include "document/batch_shape.h"
#include "example_results.h"

namespace normbench::analysis_own_code_test {
namespace {

CaseResult loader() { return examples::own_code().groups[0].cases[0]; }

std::vector<Headspace> headspaces_of(const Results& results) {
  const GroupResult& group = results.groups[0];
  return headspaces(group, Pairs(MeasuredGroup(group, results)), results);
}

TEST(OwnCode, SaysWhatTheLastStageThatMakesAnArrayGives) {
  CaseResult result = loader();
  EXPECT_EQ(said_to_give(result).value().dtype, DType::UInt8);
  StageResult transform = result.stages[0];
  transform.op = "transform";
  transform.out.dtype = DType::Float16;
  result.stages.insert(result.stages.begin() + 1, transform);
  EXPECT_EQ(said_to_give(result).value().dtype, DType::Float16);
  EXPECT_FALSE(said_to_give(examples::tie().groups[0].cases[0]).has_value());
}

TEST(OwnCode, ComparesWhatIsGivenWithWhatIsSaid) {
  CaseResult result = loader();
  EXPECT_TRUE(unlike_said(result).dtype);  // float32, not uint8
  result.given->dtype = "uint8";
  EXPECT_FALSE(unlike_said(result).any());
  result.given->order = ArrayOrder::ChannelsLast;
  EXPECT_TRUE(unlike_said(result).layout);
  result.stages[0].out.layout = Layout::Nhwc;
  EXPECT_FALSE(unlike_said(result).any());
  const auto [n, c, h, w] = result.stages[0].out.shape.extents();
  result.given->shape = {n, h, w, c};
  EXPECT_TRUE(unlike_said(result).layout);  // a strided array of that shape would be another
  result.given->order = ArrayOrder::Contiguous;
  EXPECT_FALSE(unlike_said(result).any());
  result.given->shape = {n, h, w, c + 1};
  EXPECT_TRUE(unlike_said(result).shape);
  result.given->shape = {n, c * h * w};  // no four axes: only the number of elements counts
  EXPECT_FALSE(unlike_said(result).any());
  result.given->shape = {n, c * h * w + 1};
  EXPECT_TRUE(unlike_said(result).shape);
  result.given->shape = {};
  EXPECT_TRUE(unlike_said(result).shape);
}

TEST(OwnCode, IsNotHeldToWhatTheConfigDoesNotSay) {
  CaseResult result = loader();
  result.stages[0].parameters = Json::object();
  result.given->order = ArrayOrder::Strided;
  EXPECT_FALSE(unlike_said(result).any());
  result.stages[0].parameters = Json();
  EXPECT_FALSE(unlike_said(result).any());
}

TEST(OwnCode, IsNotInPinnedMemoryUnlessItIs) {
  CaseResult result = loader();
  result.given->dtype = "uint8";
  result.stages[0].out.memory = Memory::Pinned;
  EXPECT_TRUE(unlike_said(result).pinned);
  result.given->pinned = true;
  EXPECT_FALSE(unlike_said(result).pinned);
  result.given.reset();
  EXPECT_FALSE(unlike_said(result).any());
}

TEST(OwnCode, AnImageIsABatchOfOne) {
  using testing::ElementsAre;
  const auto shape = [](std::vector<std::int64_t> given) {
    return batch_shape({.dtype = "x", .device = "cpu", .shape = std::move(given)});
  };
  EXPECT_THAT(shape({3, 224, 200}), ElementsAre(1, 3, 224, 200));
  EXPECT_THAT(shape({224, 200, 3}), ElementsAre(1, 224, 200, 3));
  EXPECT_THAT(shape({8, 224, 200}), ElementsAre(8, 224, 200));
  EXPECT_THAT(shape({3, 10}), ElementsAre(3, 10));
  EXPECT_THAT(shape({16, 3, 8, 8}), ElementsAre(16, 3, 8, 8));
}

TEST(OwnCode, BytesAreThoseOfAnElement) {
  EXPECT_EQ(times_uint8(*loader().given), 4);
  EXPECT_EQ(times_uint8({.dtype = "float64", .device = "cpu", .shape = {2, 3}, .bytes = 48}), 8);
  EXPECT_EQ(times_uint8({.dtype = "x", .device = "cpu", .shape = {0}, .bytes = 8}), 8);
}

TEST(OwnCode, OfMoreElementsThanCanBeCountedHasTheMost) {
  const std::int64_t most = std::int64_t{1} << 40;
  const GivenResult given{.dtype = "x", .device = "cpu", .shape = {most, most}, .bytes = 8};
  EXPECT_EQ(given.elements(), std::numeric_limits<std::int64_t>::max());
}

TEST(Headspace, IsTheShareThatLoadingCosts) {
  const Results results = examples::own_code();
  const auto found = headspaces_of(results);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].loader, 0);
  EXPECT_EQ(found[0].cached, 1);
  EXPECT_NEAR(found[0].share.value, 0.4, 0.01);  // 10 ms, and 6 ms without loading
  EXPECT_LT(found[0].share.low, found[0].share.value);
  EXPECT_GT(found[0].share.high, found[0].share.value);
  EXPECT_NEAR(found[0].ns, 10e6, 1e5);
  EXPECT_NEAR(found[0].cached_ns, 6e6, 1e5);
}

TEST(Headspace, IsNeverBelowZero) {
  Results results = examples::own_code();
  std::swap(results.groups[0].cases[0].rounds, results.groups[0].cases[1].rounds);
  ASSERT_EQ(headspaces_of(results).size(), 1u);
  EXPECT_EQ(headspaces_of(results)[0].share, (Interval{0, 0, 0}));
}

TEST(Headspace, NeedsTheSameLoop) {
  Results results = examples::own_code();
  CaseResult& cached = results.groups[0].cases[1];
  cached.stages[1].parameters = {{"x", 1}};
  EXPECT_TRUE(headspaces_of(results).empty());
  cached.stages[1].parameters = results.groups[0].cases[0].stages[1].parameters;
  cached.peer = "another";
  EXPECT_TRUE(headspaces_of(results).empty());
  cached.peer = results.groups[0].cases[0].peer;
  for (const Json& said :
       {Json(), Json{{"cached", false}}, Json{{"cached", 1}}, Json{{"batch", 2}}}) {
    cached.stages[0].parameters = said;
    EXPECT_TRUE(headspaces_of(results).empty()) << said;
  }
}

}  // namespace
}  // namespace normbench::analysis_own_code_test
