#include "ops/op.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/backend.h"
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

/// Returns the signature of `op` on `feeds`, in the first kind of memory that `op` takes. If `op`
/// does not take these inputs, the first input is appended as one more input. Returns nothing if
/// `op` takes the inputs in no kind of memory.
std::optional<Signature> signature_of(const Op& op, const Feeds& feeds) {
  for (const auto& memory : words(Memory{}))
    for (const bool twice : {false, true}) try {
        Signature s;
        for (const Feed& feed : feeds) s.in.push_back(feed.desc);
        if (twice) s.in.push_back(s.in[0]);
        for (TensorDesc& in : s.in) in.memory = memory.value;
        s.out = infer(op, s.in);
        return s;
      } catch (const Invalid&) {
      }
  return std::nullopt;
}

std::size_t elements_of(const TensorDesc& desc) {
  return static_cast<std::size_t>(desc.elements());
}

/// Returns a tensor of whole numbers that are all different.
Tensor64 counted(const TensorDesc& desc) {
  Tensor64 tensor{desc.shape, std::vector<double>(elements_of(desc))};
  std::iota(tensor.values.begin(), tensor.values.end(), 0.0);
  return tensor;
}

/// Returns inputs of floats for the op, and images of YCbCr if it takes them.
std::vector<Feeds> feeds_of(const Op& op, const Shape& shape) {
  std::vector<Feeds> all;
  for (const DType dtype : {DType::Float32, DType::UInt8})
    for (const Feeds& fed : feeds(op, nchw(dtype, shape)))
      if (dtype == DType::Float32 || fed[0].desc.shape.is_ycbcr()) all.push_back(fed);
  return all;
}

TEST(Op, SamplesAreWhatTheirInferAndAccuracySay) {
  const Shape shape{2, 3, 5, 7};
  for (const std::string& name : op_names())
    for (const Op& op : samples(name, shape))
      for (const Feeds& fed : feeds_of(op, shape)) {
        SCOPED_TRACE(name);
        const auto s = signature_of(op, fed);
        if (!s && fed[0].desc.shape.is_ycbcr()) continue;  // begins or ends within a sample
        ASSERT_TRUE(s.has_value());
        std::vector<Tensor64> in, made;
        for (const TensorDesc& desc : s->in) in.push_back(counted(desc));
        for (const TensorDesc& desc : s->out)
          made.push_back({desc.shape, std::vector<double>(elements_of(desc))});
        reference(op, in, made, 0);
        std::vector<Known> known;
        for (const Tensor64& one : in)
          known.push_back({one, {.low = 0, .high = one.values.back()}});
        const std::vector<Accuracy> said = accuracies(op, known, made, s->out);
        ASSERT_EQ(said.size(), s->out.size());
        for (std::size_t i = 0; i < made.size(); ++i) {
          EXPECT_EQ(made[i].shape, s->out[i].shape);
          EXPECT_EQ(made[i].values.size(), elements_of(s->out[i]));
          for (const double value : made[i].values) {
            EXPECT_GE(value, said[i].low - 1e-9);
            EXPECT_LE(value, said[i].high + 1e-9);
          }
        }
      }
}

/// Returns rows [1, 3) of every image.
Tensor64 two_rows(const Tensor64& all) {
  const auto [n, c, h, w] = all.shape.extents();
  Tensor64 rows{{n, c, 2, w}, {}};
  for (std::int64_t plane = 0; plane < n * c; ++plane)
    rows.values.insert(rows.values.end(), all.values.begin() + (plane * h + 1) * w,
                       all.values.begin() + (plane * h + 3) * w);
  return rows;
}

TEST(Op, RowsOfARowWiseOneAreThoseOfItsInput) {
  const Shape shape{2, 3, 5, 100};  // over 256 values in a plane, so that errors come from a table
  std::vector<std::string> row_wise_ones;
  for (const std::string& name : op_names())
    for (const Op& op : samples(name, shape))
      for (const Feeds& fed : feeds(op, nchw(DType::Float32, shape))) {
        if (!row_wise(op)) continue;
        SCOPED_TRACE(name);
        const auto s = signature_of(op, fed);
        ASSERT_TRUE(s.has_value());
        if (s->in.size() > 1) continue;  // signature_of() appended an input
        row_wise_ones.push_back(name);
        Tensor64 in = counted(s->in[0]);
        for (double& value : in.values) value = std::fmod(value, 251);
        const Tensor64 rows = two_rows(in);
        std::vector<Tensor64> whole(1), part(1);
        reference(op, std::span(&in, 1), whole, 0);
        reference(op, std::span(&rows, 1), part, 0);
        EXPECT_EQ(part[0].shape, (Shape{2, 3, 2, 100}));
        EXPECT_EQ(part[0].values, two_rows(whole[0]).values);
        const Accuracy known{.low = 0, .high = 250, .whole = true};
        const Known of_whole{in, known}, of_rows{rows, known};
        const auto all = accuracies(op, std::span(&of_whole, 1), whole, s->out)[0],
                   some = accuracies(op, std::span(&of_rows, 1), part, s->out)[0];
        Tensor64 errors{shape, {}};
        for (std::size_t i = 0; i < elements_of(s->out[0]); ++i)
          errors.values.push_back(all.errors.at(i));
        errors = two_rows(errors);
        for (std::size_t i = 0; i < errors.values.size(); ++i)
          EXPECT_EQ(some.errors.at(i), errors.values[i]) << i;
      }
  const auto end = std::unique(row_wise_ones.begin(), row_wise_ones.end());
  EXPECT_THAT(std::vector(row_wise_ones.begin(), end),
              testing::IsSupersetOf({"cast", "sub", "div", "normalize", "denormalize", "flip",
                                     "layout", "copy", "h2d", "d2h"}));
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
  const Tensor64 x{{1, 1, 1, 2}, {0.4, 300}};
  EXPECT_EQ(accuracies(op, std::vector<Known>{{x, {.low = 0.4, .high = 300}}}, out, {}),
            (std::vector<Accuracy>{
                {.low = 0, .high = 255, .errors = std::vector<double>{0, 0}, .whole = true}}));
}

/// Returns the names of the ops for which `holds` returns true.
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
              ElementsAre("batches", "model", "transform", "step", "stream", "first_touch"));
  EXPECT_THAT(ops_where(is_peer_only), ElementsAre("batches", "model", "transform", "step"));
  EXPECT_THAT(ops_where(is_own_code), ElementsAre("batches", "transform", "step"));
}

TEST(Op, OnlyCallsThatLeaveTheirInputAlonePassItThrough) {
  EXPECT_THAT(ops_where(passes_through),
              ElementsAre("step", "register", "unregister", "launch", "sync", "compute", "save"));
}

/// Returns the names of the ops whose roles make `holds` return true.
std::vector<std::string> ops_with(bool (*holds)(const Roles&)) {
  std::vector<std::string> names;
  for (const std::string& name : op_names())
    if (holds(roles_named(name))) names.push_back(name);
  return names;
}

TEST(Op, RolesAreTheSameByNameAndByOp) {
  const Json json = Json::object();
  for (const std::string& name : op_names()) {
    std::vector<Issue> issues;
    Reader reader(json, "", issues);
    const Op op = *read_op(name, reader);
    EXPECT_EQ(roles_of(op), roles_named(name)) << name;
    EXPECT_EQ(load_of(op) != nullptr, roles_of(op).files == FileUse::Reads) << name;
  }
  EXPECT_EQ(roles_named("cast"), Roles());
  EXPECT_EQ(roles_named("an op of a later version"), Roles());
  EXPECT_EQ(roles_named(""), Roles());
}

TEST(Op, RolesAreWhatTheOpsSay) {
  EXPECT_THAT(ops_with([](const Roles& it) { return it.starts; }),
              ElementsAre("source", "load", "batches"));
  EXPECT_THAT(ops_with([](const Roles& it) { return it.given; }), ElementsAre("source"));
  EXPECT_THAT(ops_with([](const Roles& it) { return it.files == FileUse::Writes; }),
              ElementsAre("save"));
  EXPECT_THAT(ops_with([](const Roles& it) { return it.link != LinkUse::None; }),
              ElementsAre("h2d", "d2h", "exchange"));
  EXPECT_THAT(ops_with([](const Roles& it) { return it.locks != PageLocking::None; }),
              ElementsAre("pin", "register", "unregister"));
  EXPECT_THAT(ops_with([](const Roles& it) { return it.runs == Runs::Call; }),
              ElementsAre("h2d", "d2h", "exchange", "pin", "register", "unregister", "sync"));
  EXPECT_THAT(ops_with([](const Roles& it) { return it.limit.has_value(); }),
              ElementsAre("stream", "first_touch", "launch"));
  EXPECT_THAT(ops_with([](const Roles& it) { return it.waits; }), ElementsAre("sync"));
  EXPECT_THAT(ops_with([](const Roles& it) { return it.stands_for_work; }), ElementsAre("compute"));
}

TEST(Op, OneThatMayBeWrittenOverDependsOnSingleElements) {
  EXPECT_THAT(ops_where(is_elementwise),
              ElementsAre("cast", "sub", "div", "normalize", "denormalize"));
  EXPECT_FALSE(is_elementwise(Normalize{.flip = Flip::Vertical}));
  EXPECT_FALSE(is_elementwise(Normalize{.crop = {Window{.height = 1, .width = 1}}}));
}

TEST(Op, OnlyWhatASavingOpWroteHasAFile) {
  EXPECT_EQ(saved_file(Op(Save{.format = SaveFormat::Png}), "/x/2-0", 7), "/x/2-0-7.png");
  EXPECT_EQ(saved_file(Op(Copy()), "/x/2-0", 7), "");
}

TEST(Op, AShareOfMultiprocessorsIsMisplacedOnTheCpu) {
  const Op op = Compute{.ms = 1, .fill = 0.5};
  EXPECT_EQ(misplaced(op, Place::Cpu).value().member, "fill");
  EXPECT_EQ(misplaced(op, Place::Cuda), std::nullopt);
  EXPECT_EQ(misplaced(Op(Compute{.ms = 1}), Place::Cpu), std::nullopt);
}

TEST(Op, OpsThatTakeAnInputHaveSamples) {
  std::vector<std::string> without;
  for (const std::string& name : op_names()) {
    const auto ops = samples(name, {1, 3, 5, 7});
    for (const Op& op : ops) EXPECT_EQ(name_of(op), name);
    if (ops.empty()) without.push_back(name);
  }
  EXPECT_THAT(without,
              ElementsAre("source", "load", "batches", "model", "transform", "step", "save"));
}

}  // namespace
}  // namespace normbench::op_test
