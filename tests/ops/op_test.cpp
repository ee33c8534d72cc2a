#include "ops/op.h"

#include <algorithm>

#include "ops/op_testing.h"

namespace normbench::op_test {
namespace {

using testing::ElementsAre;

TEST(Op, EveryOneHasANameOfItsOwn) {
  std::vector<std::string> names = op_names();
  ASSERT_EQ(names.size(), std::variant_size_v<Op>);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

/// What `op` makes of one or two inputs of any kind of memory that it takes.
std::optional<TensorDesc> output_of(const Op& op, TensorDesc in) {
  for (const auto& memory : words(Memory{}))
    for (const std::size_t inputs : {1, 2}) try {
        in.memory = memory.value;
        return infer(op, std::vector(inputs, in)).at(0);
      } catch (const Invalid&) {
      }
  return std::nullopt;
}

TEST(Op, SamplesAreWhatTheirInferAndAccuracySay) {
  const Shape shape{2, 3, 5, 7};
  for (const std::string& name : op_names())
    for (const Op& op : samples(name, shape)) {
      const auto out = output_of(op, nchw(DType::Float32, shape));
      ASSERT_TRUE(out.has_value()) << name;
      Tensor64 in{shape, std::vector<double>(static_cast<std::size_t>(shape.elements()))};
      for (std::size_t i = 0; i < in.values.size(); ++i) in.values[i] = static_cast<double>(i);
      std::vector<Tensor64> made{
          {out->shape, std::vector<double>(static_cast<std::size_t>(out->elements()))}};
      reference(op, std::vector{in}, made, 0);
      EXPECT_EQ(made[0].shape, out->shape) << name;
      EXPECT_EQ(std::ssize(made[0].values), out->elements()) << name;
      const Accuracy known{.low = 0, .high = static_cast<double>(shape.elements() - 1)};
      const Accuracy said = accuracy(op, std::vector{known}, std::vector{*out});
      for (const double value : made[0].values) {
        EXPECT_GE(value, said.low - 1e-9) << name;
        EXPECT_LE(value, said.high + 1e-9) << name;
      }
    }
}

TEST(Op, ReadsEveryOpByItsName) {
  const Json json = Json::object();
  for (const std::string& name : op_names()) {
    std::vector<Issue> issues;
    Reader reader(json, "", issues);
    const auto op = read_op(name, reader);
    ASSERT_TRUE(op.has_value()) << name;
    EXPECT_EQ(name_of(*op), name);
  }
}

TEST(Op, AnUnknownNameIsNothingAndNoIssue) {
  const Json json = Json::object();
  std::vector<Issue> issues;
  Reader reader(json, "", issues);
  EXPECT_EQ(read_op("normalise", reader), std::nullopt);
  EXPECT_TRUE(issues.empty());
}

TEST(Op, FreeFunctionsReachTheOp) {
  const Op op = Cast{.to = DType::UInt8};
  const TensorDesc in = nchw(DType::Float32, {1, 1, 1, 2});
  EXPECT_THAT(infer(op, std::vector{in}), ElementsAre(nchw(DType::UInt8, {1, 1, 1, 2})));
  std::vector<Tensor64> out(1);
  reference(op, std::vector{Tensor64{{1, 1, 1, 2}, {0.4, 300}}}, out, 0);
  EXPECT_THAT(out[0].values, ElementsAre(0, 255));
  EXPECT_EQ(accuracy(op, std::vector{Accuracy{.low = 0.4, .high = 300}}, {}),
            (Accuracy{.low = 0, .high = 255, .whole = true}));
}

/// The names of the ops of which `holds` is true.
std::vector<std::string> ops_where(bool (*holds)(const Op&)) {
  const Json json = Json::object();
  std::vector<std::string> names;
  for (const std::string& name : op_names()) {
    std::vector<Issue> issues;
    Reader reader(json, "", issues);
    if (holds(*read_op(name, reader))) names.push_back(name);
  }
  return names;
}

TEST(Op, OnlyOpsOfUndefinedOutputAndThoseOfPeersHaveNoReference) {
  EXPECT_THAT(ops_where([](const Op& op) { return !has_reference(op); }),
              ElementsAre("model", "stream", "first_touch"));
  EXPECT_THAT(ops_where(is_peer_only), ElementsAre("model"));
}

TEST(Op, OnlyCallsThatLeaveTheirInputAlonePassItThrough) {
  EXPECT_THAT(ops_where(passes_through), ElementsAre("register", "unregister", "launch", "sync"));
}

TEST(Op, OpsThatTakeAnInputHaveSamples) {
  std::vector<std::string> without;
  for (const std::string& name : op_names()) {
    const auto ops = samples(name, {1, 3, 5, 7});
    for (const Op& op : ops) EXPECT_EQ(name_of(op), name);
    if (ops.empty()) without.push_back(name);
  }
  EXPECT_THAT(without, ElementsAre("source", "load", "model"));
}

}  // namespace
}  // namespace normbench::op_test
