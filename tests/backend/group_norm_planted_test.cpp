/// Plants faults into a group norm kernel. The comparison with the reference must find each fault.
#include <gmock/gmock.h>

#include <algorithm>

#include "backend/group_norm_testing.h"
#include "measure/selftest/selftest.h"
#include "ops/group_statistics.h"
#include "planted_backend.h"

namespace normbench::group_norm_planted_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Fault {
  None,
  ValueLeftOut,  // the last group's sums miss their last value
  NeighboursStatistics,
  DifferenceOfSquares,  // E[x^2] - E[x]^2 in float32
  ImageLeftOut,         // dgamma misses the last image
  WrongTail,            // the last element is not normalized
  PastEnd,
  TeamMatters,  // 3 threads change one bit of the last output
};

using Tensors = std::vector<Tensor64>;

/// Computes y, which is `out[0]`, from the means in `out[1]` and the values 1 / std in `out[2]`.
void normalise(const GroupNorm& op, const Tensors& in, Tensors& out) {
  const GroupNorm::Inputs which = op.inputs();
  out[0] = map_channels(group_scaled(in[which.x], out[1], out[2]), [&](double h, std::int64_t c) {
    return op.affine ? h * value_at(in[which.gamma], c) + value_at(in[which.beta], c) : h;
  });
}

/// Computes the forward pass. `statistics` gets a group's values and the group's number, and
/// returns the mean and the variance to use.
template <class F>
void normalise_by(const GroupNorm& op, const Tensors& in, Tensors& out, const F& statistics) {
  const std::int64_t count = out[1].shape.elements();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto [mean, variance] = statistics(group_of(in[op.inputs().x], op.groups, i), i);
    out[1].values[static_cast<std::size_t>(i)] = mean;
    out[2].values[static_cast<std::size_t>(i)] = 1 / std::sqrt(variance + op.eps);
  }
  normalise(op, in, out);
}

using Statistics = std::pair<double, double>;

Statistics by_the_difference_of_squares(std::span<const double> group) {
  double sum = 0, squares = 0;
  for (const double value : group) sum += value, squares += value * value;
  const auto count = static_cast<double>(group.size());
  const auto mean = static_cast<float>(sum / count);
  return {mean, std::max(0.0F, static_cast<float>(squares / count) - mean * mean)};
}

void leave_a_value_out(const GroupNorm& op, const Tensors& in, Tensors& out) {
  if (op.direction == Direction::Forward)
    return normalise_by(op, in, out, [&](std::span<const double> group, std::int64_t i) {
      const bool shorter = i + 1 == out[1].shape.elements() && group.size() > 1;
      const GroupSpread spread = spread_of(shorter ? group.first(group.size() - 1) : group);
      return Statistics{spread.mean, spread.variance};
    });
  // dx depends on two sums over each group: of g = dy * gamma, and of g * h. This changes dx as if
  // the last value were missing from both sums of the last group.
  const GroupNorm::Inputs which = op.inputs();
  const Tensor64 h = group_scaled(in[which.x], in[which.mean], in[which.rstd]);
  const double gamma = op.affine ? in[which.gamma].values.back() : 1;
  const double g = in[which.dy].values.back() * gamma, rstd = in[which.rstd].values.back();
  const std::size_t size = group_of(h, op.groups, 0).size();
  for (std::size_t i = h.values.size() - size; i < h.values.size(); ++i)
    out[0].values[i] += rstd * g * (1 + h.values[i] * h.values.back()) / static_cast<double>(size);
}

void take_neighbours_statistics(const GroupNorm& op, Tensors in, Tensors& out) {
  const GroupNorm::Inputs which = op.inputs();
  const bool forward = op.direction == Direction::Forward;
  for (Tensor64* one :
       forward ? std::array{&out[1], &out[2]} : std::array{&in[which.mean], &in[which.rstd]})
    std::rotate(one->values.begin(), one->values.begin() + (one->values.size() > 1 ? 1 : 0),
                one->values.end());
  if (forward)
    normalise(op, in, out);
  else
    op.reference(in, out, 0);
}

void leave_an_image_out(const GroupNorm& op, Tensors in, Tensors& out) {
  if (!op.whole_batch()) return;
  Tensor64& dy = in[op.inputs().dy];
  const auto image = static_cast<std::ptrdiff_t>(dy.shape.elements() / dy.shape.n);
  std::fill(dy.values.end() - image, dy.values.end(), 0.0);
  Tensors without(out.size());
  op.reference(in, without, 0);
  out[1] = without[1];
}

void plant(Fault fault, const GroupNorm& op, const Tensors& in, Tensors& out) {
  const bool forward = op.direction == Direction::Forward;
  if (fault == Fault::ValueLeftOut) leave_a_value_out(op, in, out);
  if (fault == Fault::NeighboursStatistics) take_neighbours_statistics(op, in, out);
  if (fault == Fault::DifferenceOfSquares && forward)
    normalise_by(op, in, out, [](std::span<const double> group, std::int64_t) {
      return by_the_difference_of_squares(group);
    });
  if (fault == Fault::ImageLeftOut) leave_an_image_out(op, in, out);
  if (fault == Fault::WrongTail) out[0].values.back() = in[0].values.back();
}

template <Fault F>
Launch prepare(const GroupNorm& op, const Signature&) {
  return [op](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    Tensors from, to(out.size());
    for (const View& view : in) from.push_back(to_double(view, 0, view.desc.shape.n));
    op.reference(from, to, 0);
    plant(F, op, from, to);
    for (std::size_t i = 0; i < out.size(); ++i) from_double(to[i], out[i], 0);
    if (F == Fault::PastEnd) out[0].data[out[0].desc.bytes()] = std::byte{0};
    if (F == Fault::TeamMatters && queue.threads == 3) out.back().data[0] ^= std::byte{1};
  };
}

bool accepts(const GroupNorm&, const Signature&) { return true; }

template <Fault F>
Kernel planted() {
  return row<GroupNorm, accepts, prepare<F>>("planted");
}

constexpr RandomValues standard{Distribution::Normal, 0, 1},
    far_from_zero{Distribution::Normal, 1e4, 1};

/// Returns the failures of the forward pass and of both backward passes, with "" for a pass without
/// a failure. The input x has 588 elements in 6 groups of 98, so the last group starts at element
/// 490 (in NCHW order).
std::vector<std::string> found(const Kernel& row, const RandomValues& values, Layout layout) {
  return failures_of(
      row, GroupNormPasses({.x = dense(DType::Float32, layout, {2, 6, 7, 7}, Memory::Pageable),
                            .groups = 3,
                            .values = values}));
}

class PlantedGroupNorm : public testing::TestWithParam<Layout> {};

TEST_P(PlantedGroupNorm, IsRightWithoutAFault) {
  for (const RandomValues& values : {standard, far_from_zero})
    EXPECT_THAT(found(planted<Fault::None>(), values, GetParam()), ElementsAre("", "", ""));
}

TEST_P(PlantedGroupNorm, MissesAValueOfAGroup) {
  const auto wrong = HasSubstr(": output 0, element 490: ");
  EXPECT_THAT(found(planted<Fault::ValueLeftOut>(), standard, GetParam()),
              ElementsAre(wrong, wrong, wrong));
}

TEST_P(PlantedGroupNorm, TakesItsNeighboursStatistics) {
  const auto wrong = HasSubstr(": output 0, element 0: ");
  EXPECT_THAT(found(planted<Fault::NeighboursStatistics>(), standard, GetParam()),
              ElementsAre(wrong, wrong, wrong));
}

TEST_P(PlantedGroupNorm, HasTheDifferenceOfSquaresWhichIsRightNearZero) {
  const Kernel row = planted<Fault::DifferenceOfSquares>();
  EXPECT_THAT(found(row, standard, GetParam()), ElementsAre("", "", ""));
  EXPECT_THAT(found(row, far_from_zero, GetParam()),
              ElementsAre(HasSubstr(": output 0, element 0: "), "", ""));
}

TEST_P(PlantedGroupNorm, MissesAnImageInDgamma) {
  const auto wrong = HasSubstr(": output 1, element 0: ");
  EXPECT_THAT(found(planted<Fault::ImageLeftOut>(), standard, GetParam()),
              ElementsAre("", wrong, wrong));
}

TEST_P(PlantedGroupNorm, HasAWrongTail) {
  const auto wrong = HasSubstr(": output 0, element 587: ");
  EXPECT_THAT(found(planted<Fault::WrongTail>(), standard, GetParam()),
              ElementsAre(wrong, wrong, wrong));
}

TEST_P(PlantedGroupNorm, WritesPastItsEnd) {
  const auto wrong = HasSubstr(": wrote past the end of the output 0 (byte 1 after it)");
  EXPECT_THAT(found(planted<Fault::PastEnd>(), standard, GetParam()),
              ElementsAre(wrong, wrong, wrong));
}

TEST_P(PlantedGroupNorm, DependsOnTheTeam) {
  const auto wrong =
      testing::ContainsRegex(": element 0: .+, but .+ in the first run, .*3 threads");
  EXPECT_THAT(found(planted<Fault::TeamMatters>(), standard, GetParam()),
              ElementsAre(wrong, wrong, wrong));
}

INSTANTIATE_TEST_SUITE_P(Cpu, PlantedGroupNorm, testing::Values(Layout::Nchw, Layout::Nhwc),
                         [](const auto& info) { return std::string(name_of(info.param)); });

/// Runs the self-test, which makes its own inputs, on a kernel row. Returns the failure that the
/// self-test finds, or "".
std::string selftest_finds(const Kernel& row) {
  Backends backends;
  backends.list.push_back(std::make_unique<PlantedBackend>(std::vector{row}));
  return selftest::run(backends, {.quick = true}).places.at(0).rows.at(0).failure;
}

TEST(PlantedGroupNormRow, IsFoundByTheSelfTest) {
  EXPECT_EQ(selftest_finds(planted<Fault::None>()), "");
  EXPECT_NE(selftest_finds(planted<Fault::ValueLeftOut>()), "");
  EXPECT_NE(selftest_finds(planted<Fault::NeighboursStatistics>()), "");
  EXPECT_NE(selftest_finds(planted<Fault::ImageLeftOut>()), "");
  EXPECT_NE(selftest_finds(planted<Fault::WrongTail>()), "");
  EXPECT_NE(selftest_finds(planted<Fault::PastEnd>()), "");
  EXPECT_NE(selftest_finds(planted<Fault::TeamMatters>()), "");
}

}  // namespace
}  // namespace normbench::group_norm_planted_test
