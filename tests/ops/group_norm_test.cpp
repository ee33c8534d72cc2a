#include "ops/group_norm.h"

#include <cmath>
#include <random>

#include "ops/group_statistics.h"
#include "ops/op.h"
#include "ops/op_testing.h"

namespace normbench::group_norm_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

const Shape shape{2, 6, 3, 5};

Tensor64 normal(const Shape& of, double mean, double std, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> distribution(mean, std);
  Tensor64 tensor{.shape = of, .values = {}};
  for (std::int64_t i = 0; i < of.elements(); ++i) tensor.values.push_back(distribution(random));
  return tensor;
}

std::vector<Tensor64> empty(std::size_t count) { return std::vector<Tensor64>(count); }

/// Returns the outputs of a forward pass.
std::vector<Tensor64> forward(const GroupNorm& op, const Tensor64& x, const Tensor64& gamma,
                              const Tensor64& beta) {
  auto out = empty(3);
  op.reference(std::vector{x, gamma, beta}, out, 0);
  return out;
}

TEST(GroupNorm, ReadsItsParametersAndNamesWhatIsWrong) {
  EXPECT_THAT(mistakes("group_norm", R"({"eps": 0, "direction": "up"})"),
              testing::UnorderedElementsAre(HasSubstr("no \"groups\""), HasSubstr("above 0"),
                                            HasSubstr("forward, backward")));
  EXPECT_THAT(mistakes("group_norm", R"({"groups": 2, "accumulate": true})"),
              ElementsAre(HasSubstr("\"direction\": \"backward\"")));
}

TEST(GroupNorm, SaysWhichTensorsItNeeds) {
  const TensorDesc x = nchw(DType::Float32, shape);
  const TensorDesc channels = nchw(DType::Float32, {1, 6, 1, 1});
  const TensorDesc groups = nchw(DType::Float32, {2, 3, 1, 1});
  const GroupNorm op{.groups = 3};
  EXPECT_THAT(op.infer(std::vector{x, channels, channels}), ElementsAre(x, groups, groups));
  EXPECT_THAT(infer_error(op, {x}), HasSubstr("needs 3 inputs (x, gamma, beta), got 1"));
  EXPECT_THAT(infer_error(op, {x, groups, channels}),
              HasSubstr("gamma must be 1x6x1x1 float32, got 2x3x1x1 float32"));
  EXPECT_THAT(infer_error(GroupNorm{.groups = 4}, {x, channels, channels}),
              HasSubstr("6 channels cannot be in 4 equal groups"));
  const GroupNorm backward{.groups = 3, .direction = Direction::Backward, .accumulate = true};
  EXPECT_THAT(backward.infer(std::vector{x, x, channels, groups, groups, x, channels, channels}),
              ElementsAre(x, channels, channels));
}

TEST(GroupNorm, OfOneGroupIsTheTextbooksNormalisation) {
  const Tensor64 x{.shape = {1, 2, 1, 2}, .values = {1, 3, 5, 7}};
  const Tensor64 gamma{.shape = {1, 2, 1, 1}, .values = {2, 1}};
  const Tensor64 beta{.shape = {1, 2, 1, 1}, .values = {0, 10}};
  const auto out = forward({.groups = 1, .eps = 4}, x, gamma, beta);  // variance 5, rstd 1 / 3
  EXPECT_THAT(out[0].values, Pointwise(DoubleNear(1e-12), {-2.0, -2 / 3.0, 10 + 1 / 3.0, 11.0}));
  EXPECT_THAT(out[1].values, ElementsAre(4));
  EXPECT_THAT(out[2].values, Pointwise(DoubleNear(1e-12), {1 / 3.0}));
}

/// The loss is sum(y * dy). Its derivative by one value of an input is that value's gradient.
TEST(GroupNorm, GradientsAreTheSlopesOfTheForwardPass) {
  const GroupNorm op{.groups = 3, .eps = 0.1};
  const GroupNorm gradients{.groups = 3, .eps = 0.1, .direction = Direction::Backward};
  std::vector<Tensor64> in{normal(shape, 3, 2, 1), normal({1, 6, 1, 1}, 1, 0.5, 2),
                           normal({1, 6, 1, 1}, 0, 1, 3)};
  const Tensor64 dy = normal(shape, 0, 1, 4);
  const auto statistics = forward(op, in[0], in[1], in[2]);
  auto found = empty(3);
  gradients.reference(std::vector{dy, in[0], in[1], statistics[1], statistics[2]}, found, 0);
  const auto loss = [&] {
    const auto out = forward(op, in[0], in[1], in[2]);
    double sum = 0;
    for (std::size_t i = 0; i < dy.values.size(); ++i) sum += dy.values[i] * out[0].values[i];
    return sum;
  };
  constexpr double step = 1e-5;
  for (std::size_t tensor = 0; tensor < in.size(); ++tensor)
    for (std::size_t i = 0; i < in[tensor].values.size(); ++i) {
      double& value = in[tensor].values[i];
      const double was = value;
      value = was + step;
      const double above = loss();
      value = was - step;
      const double below = loss();
      value = was;
      EXPECT_NEAR(found[tensor].values[i], (above - below) / (2 * step), 1e-6)
          << "input " << tensor << ", element " << i;
    }
}

TEST(GroupNorm, AccumulatesIntoEveryGradient) {
  const GroupNorm op{.groups = 2, .direction = Direction::Backward};
  GroupNorm with_old = op;
  with_old.accumulate = true;
  std::vector<Tensor64> in{normal(shape, 0, 1, 1), normal(shape, 0, 1, 2),
                           normal({1, 6, 1, 1}, 1, 1, 3), normal({2, 2, 1, 1}, 0, 1, 4),
                           normal({2, 2, 1, 1}, 1, 0.1, 5)};
  auto fresh = empty(3), added = empty(3);
  op.reference(in, fresh, 0);
  in.insert(in.end(),
            {normal(shape, 5, 1, 6), normal({1, 6, 1, 1}, 5, 1, 7), normal({1, 6, 1, 1}, 5, 1, 8)});
  with_old.reference(in, added, 0);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < fresh[i].values.size(); ++j)
      EXPECT_DOUBLE_EQ(added[i].values[j], fresh[i].values[j] + in[5 + i].values[j]);
}

/// The chain of single ops must give what the fused op gives, forward and backward.
TEST(GroupChain, GivesWhatTheFusedOpGives) {
  const Tensor64 x = normal(shape, 100, 2, 1), gamma = normal({1, 6, 1, 1}, 1, 1, 2),
                 beta = normal({1, 6, 1, 1}, 0, 1, 3), dy = normal(shape, 0, 1, 4);
  const auto y = forward({.groups = 3}, x, gamma, beta);
  auto moments = empty(2), h = empty(1), scaled = empty(1), dh = empty(1), dx = empty(1);
  Moments{.groups = 3}.reference(std::vector{x}, moments, 0);
  ScaleShift{.over = Over::Group}.reference(std::vector{x, moments[0], moments[1]}, h, 0);
  ScaleShift{.over = Over::Channel}.reference(std::vector{h[0], gamma, beta}, scaled, 0);
  EXPECT_THAT(scaled[0].values, Pointwise(DoubleNear(1e-12), y[0].values));

  auto gradients = empty(3), products = empty(1), dgamma = empty(1), dbeta = empty(1);
  const GroupNorm backward{.groups = 3, .direction = Direction::Backward};
  backward.reference(std::vector{dy, x, gamma, moments[0], moments[1]}, gradients, 0);
  Mul{}.reference(std::vector{dy, gamma}, dh, 0);
  BatchNormBackward{}.reference(std::vector{dh[0], x, moments[0], moments[1]}, dx, 0);
  Mul{}.reference(std::vector{dy, h[0]}, products, 0);
  Sum{}.reference(std::vector{products[0]}, dgamma, 0);
  Sum{}.reference(std::vector{dy}, dbeta, 0);
  EXPECT_THAT(dx[0].values, Pointwise(DoubleNear(1e-12), gradients[0].values));
  EXPECT_THAT(dgamma[0].values, Pointwise(DoubleNear(1e-12), gradients[1].values));
  EXPECT_THAT(dbeta[0].values, Pointwise(DoubleNear(1e-12), gradients[2].values));
}

using Statistics = std::pair<float, float>;  // mean and variance

Statistics in_two_passes(const std::vector<double>& x) {
  float sum = 0, squares = 0;
  const auto count = static_cast<float>(x.size());
  for (const double value : x) sum += static_cast<float>(value);
  const float mean = sum / count;
  for (const double value : x) {
    const float centred = static_cast<float>(value) - mean;
    squares += centred * centred;
  }
  return {mean, squares / count};
}

Statistics by_the_difference_of_squares(const std::vector<double>& x) {
  float sum = 0, squares = 0;
  const auto count = static_cast<float>(x.size());
  for (const double value : x) {
    const auto one = static_cast<float>(value);
    sum += one;
    squares += one * one;
  }
  const float mean = sum / count;
  return {mean, squares / count - mean * mean};
}

/// The errors of y if a given algorithm computes the statistics. `share` is the largest ratio of an
/// error to its bound. `largest_bound` is the largest of the bounds.
struct Shares {
  double share = 0, largest_bound = 0;
};
Shares shares_of(Tensor64 x, Statistics (*statistics)(const std::vector<double>&)) {
  for (double& value : x.values) value = static_cast<float>(value);
  const GroupNorm op{.groups = 1, .affine = false};
  auto exact = empty(3);
  op.reference(std::vector{x}, exact, 0);
  const TensorDesc desc = nchw(DType::Float32, x.shape);
  const Known known{x};
  const Errors bounds =
      op.accuracy(std::span(&known, 1), exact, op.infer(std::vector{desc}))[0].errors;
  const auto [mean, variance] = statistics(x.values);
  const float rstd = 1 / std::sqrt(variance + 1e-5f);
  Shares shares{.largest_bound = bounds.largest()};
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double y = (static_cast<float>(x.values[i]) - mean) * rstd;
    const double share = std::abs(y - exact[0].values[i]) / bounds.at(i);
    shares.share = std::max(shares.share, std::isnan(share) ? INFINITY : share);
  }
  return shares;
}

TEST(GroupNorm, BoundsAdmitTwoPassesAndNoDifferenceOfSquares) {
  const Tensor64 plain = normal({1, 4, 16, 16}, 0, 1, 1),
                 shifted = normal({1, 4, 16, 16}, 1e4, 1, 1);
  const Shares near = shares_of(plain, &in_two_passes), far = shares_of(shifted, &in_two_passes);
  EXPECT_LT(near.share, 1);
  EXPECT_LT(near.largest_bound, 3e-5);
  EXPECT_LT(far.share, 1);
  EXPECT_LT(far.largest_bound, 0.2);
  EXPECT_GT(shares_of(shifted, &by_the_difference_of_squares).share, 1);
}

TEST(GroupNorm, BoundsDoNotAdmitAMissingValue) {
  const Shares shares =
      shares_of(normal({1, 4, 16, 16}, 0, 1, 1), [](const std::vector<double>& all) {
        return in_two_passes({all.begin(), all.end() - 1});
      });
  EXPECT_GT(shares.share, 10);
}

}  // namespace
}  // namespace normbench::group_norm_test
