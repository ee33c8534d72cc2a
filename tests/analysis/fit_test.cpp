#include "analysis/sweep/fit.h"

#include <gmock/gmock.h>

#include "sweep_fixture.h"

namespace normbench::fit_test {
namespace {

using sweeps::along_batch;
using sweeps::constant;
using sweeps::linear;

TEST(FitLine, RecoversAnExactLine) {
  // The points lie on the line t = 2 + bytes / 10.
  const auto fit = fit_line(std::vector<double>{10, 20, 400}, std::vector<double>{3, 4, 42});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->fixed_ns, 2, 1e-9);
  EXPECT_NEAR(fit->ns_per_byte, 0.1, 1e-12);
  EXPECT_NEAR(fit->gb_per_s(), 10, 1e-9);
  EXPECT_NEAR(fit->half_bytes(), 20, 1e-7);  // 2 ns at 10 bytes per ns
  EXPECT_NEAR(fit->worst, 0, 1e-12);
}

TEST(FitLine, WeighsPointsByTheirRelativeErrors) {
  // The fit minimises ((1 - a - b)/1)^2 + ((2 - a - 2b)/2)^2 + ((4 - a - 3b)/4)^2. The weights w =
  // 1/t^2 are 1, 1/4, 1/16. The sums of w, w x, w x^2, w t and w x t are
  // W = 21/16, X = 27/16, XX = 41/16, T = 7/4 and XT = 11/4.
  // a = (41/16 * 7/4 - 27/16 * 11/4) / (21 * 41 - 27 * 27) * 256 = -10 * 4 / 132 < 0, so a = 0 and
  // b = XT / XX = 44/41. The relative residuals are 3/41, 3/41 and 32/164.
  const auto fit = fit_line(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2, 4});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->fixed_ns, 0);
  EXPECT_NEAR(fit->ns_per_byte, 44.0 / 41, 1e-12);
  EXPECT_NEAR(fit->worst, 32.0 / 164, 1e-12);
  // The times 3, 4 and 8 have the weights 1/9, 1/16 and 1/64. Multiplied by 576, these are 64, 36
  // and 9. With these, the same sums are W = 109, X = 163, XX = 289, T = 408 and XT = 696.
  // a = (289 * 408 - 163 * 696) / (109 * 289 - 163^2) = 4464 / 4932, and
  // b = (109 * 696 - 163 * 408) / 4932 = 9360 / 4932.
  const auto other = fit_line(std::vector<double>{1, 2, 3}, std::vector<double>{3, 4, 8});
  ASSERT_TRUE(other);
  EXPECT_NEAR(other->fixed_ns, 4464.0 / 4932, 1e-12);
  EXPECT_NEAR(other->ns_per_byte, 9360.0 / 4932, 1e-12);
  EXPECT_NEAR(other->worst, (8 - (4464.0 + 3 * 9360) / 4932) / 8, 1e-12);
}

TEST(FitLine, NeedsThreeAmountsAndTimesThatGrow) {
  EXPECT_FALSE(fit_line(std::vector<double>{1, 2, 2}, std::vector<double>{1, 2, 2}));
  EXPECT_FALSE(fit_line(std::vector<double>{5, 5, 5}, std::vector<double>{1, 2, 3}));
  EXPECT_FALSE(fit_line(std::vector<double>{1, 2, 3}, std::vector<double>{5, 5, 5}));
  EXPECT_FALSE(fit_line(std::vector<double>{1, 2, 3}, std::vector<double>{5, 4, 3}));
  EXPECT_FALSE(fit_line({}, {}));
}

TEST(Fits, SayTheFixedCostTheRateAndWhereNinetyPercentOfItIsReached) {
  // 1 MB per image in 0.1 ms is 10 GB/s. At this rate, 20 MB take 2 ms, as long as the fixed part.
  // 90 % of the rate is reached at 9 * 20 MB, which are 180 images.
  const Results results = along_batch({1, 8, 64}, {{"fixed", linear(2, 0.1)},
                                                   {"steep", linear(0, 1)},
                                                   {"bent", [](double n) { return n * n; }},
                                                   {"flat", constant(3), 0}});
  const Experiment experiment = experiments(results).at(0);
  const AxisLine line = axis_lines(experiment).at(0);
  const std::vector<AxisFit> list = fits(experiment, line);
  ASSERT_EQ(list.size(), 3u);  // "flat" moves no bytes
  EXPECT_EQ(list[0].variant, "fixed");
  EXPECT_EQ(list[0].points, 3u);
  EXPECT_NEAR(list[0].fitted.fixed_ns, 2e6, 4e4);
  EXPECT_NEAR(list[0].fitted.gb_per_s(), 10, 0.2);
  EXPECT_NEAR(list[0].amount90, 180, 6);
  EXPECT_TRUE(list[0].explains);
  EXPECT_EQ(list[1].variant, "steep");
  EXPECT_NEAR(list[1].fitted.gb_per_s(), 1, 0.01);
  EXPECT_EQ(list[2].variant, "bent");
  EXPECT_FALSE(list[2].explains);
}

}  // namespace
}  // namespace normbench::fit_test
