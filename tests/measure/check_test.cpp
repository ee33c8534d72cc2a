#include "measure/check.h"

#include <cstring>
#include <limits>

#include "document/note.h"
#include "measure/engine.h"
#include "measure/output_check.h"
#include "measure/run_fixture.h"

namespace normbench::check_test {
namespace {

struct CheckTest : RunTest {
  /// Computes the output of `planned` by the references of its ops and lets `spoil` change it.
  /// Returns the outcome of the output's check. The check calls `is_over` between pieces of the
  /// output, and leaves out the remaining pieces once it returns true.
  CheckOutcome outcome(const Case& planned, const std::function<void(View)>& spoil = {},
                       const std::function<bool()>& is_over = {}) {
    fake->rows[0].then = [&](const FakeCall& call) {
      if (spoil && call.out[0].desc == planned.result()) spoil(call.out[0]);
    };
    GroupMemory memory({{&planned}}, plan.measure, backends, cache_bytes);
    std::mt19937_64 random(1);
    Engine prepared(planned, memory, backends, recorder, clock, random);
    prepared.iterate({});
    const std::vector<View> inputs = prepared.item().inputs();
    second_image = to_double(inputs.at(0), 1, 1).values;
    return check_output(planned, inputs, prepared.item().outputs(), backends, 0, 0, {}, is_over);
  }
  static void set(View view, int index, float value) {
    std::memcpy(view.data + 4 * index, &value, 4);
  }
  Case normalized() {
    return make_case("normalize", {{.op = Cast{}},
                                   {.op = Sub{.mean = {123.675, 116.28, 103.53}}},
                                   {.op = Div{.std = {58.395, 57.12, 57.375}}}});
  }

  std::vector<double> second_image;  // values of the source's second image
};

TEST_F(CheckTest, PassesWhatTheReferencesMake) {
  const CheckOutcome got = outcome(normalized());
  EXPECT_TRUE(got.result.ok);
  EXPECT_GT(got.result.bound, 0);
  EXPECT_LT(got.result.bound, 1e-4);
  EXPECT_LE(got.result.max_abs_error, got.result.bound);
  EXPECT_EQ(got.reason + got.note, "");
}

TEST_F(CheckTest, NamesTheElementFarthestOff) {
  const Case planned = make_case("cast", {{.op = Cast{}}});
  const CheckOutcome got = outcome(planned, [](View view) {
    set(view, 3, 1000);
    set(view, 60 + 20 + 2 * 5 + 4, 5000);
  });
  const double expected = second_image[20 + 2 * 5 + 4];
  EXPECT_FALSE(got.result.ok);
  EXPECT_EQ(got.result.max_abs_error, 5000 - expected);
  EXPECT_EQ(got.reason, fmt::format("wrong output: error {:.2g} at [1, 1, 2, 4], bound 0 "
                                    "(expected {:.6g}, got 5000)",
                                    5000 - expected, expected));
}

TEST_F(CheckTest, RowsOfALargeImageAreCheckedByThemselves) {
  Source source = small_source();
  // An image is checked in parts of 16 rows. It has 101 rows, so its last part has 5 rows.
  source.shape = {.n = 2, .c = 3, .h = 101, .w = 307};
  const Case planned = fake_case(*fake, "cast", source, {{.op = Cast{}}});
  EXPECT_TRUE(outcome(planned).result.ok);
  for (const auto& [plane, row, column] : {std::array{0, 0, 0}, std::array{4, 57, 306},
                                           std::array{5, 100, 1}, std::array{5, 100, 306}}) {
    const auto spoil = [&, at = (plane * 101 + row) * 307 + column](View view) {
      set(view, at, 777);
    };
    const CheckOutcome got = outcome(planned, spoil);
    EXPECT_FALSE(got.result.ok);
    EXPECT_THAT(got.reason, testing::HasSubstr(fmt::format(" at [{}, {}, {}, {}], bound 0 (",
                                                           plane / 3, plane % 3, row, column)));
    EXPECT_THAT(got.reason, testing::EndsWith(", got 777)"));
    EXPECT_GT(got.result.bound_share, 1);
  }
}

TEST_F(CheckTest, WhatOverflowsTheDtypeMayBeInfinite) {
  // (255 - 0) / 1e-3 overflows float16, 0 / 1e-3 does not.
  const Case planned =
      make_case("f16", {{.op = Normalize{.mean = {0}, .std = {1e-3}, .to = DType::Float16}}});
  std::vector<std::size_t> finite;
  const auto outcome_with = [&](std::uint16_t bits) {
    return outcome(planned, [&](View view) {
      finite.clear();
      for (std::size_t i = 0; i < 120; ++i) {
        std::uint16_t value;
        std::memcpy(&value, view.data + 2 * i, 2);
        if ((value & 0x7FFF) != 0x7C00) finite.push_back(i);
        if ((value & 0x7FFF) == 0x7C00 && bits != 0) std::memcpy(view.data + 2 * i, &bits, 2);
      }
    });
  };
  EXPECT_TRUE(outcome_with(0).result.ok) << outcome_with(0).reason;
  EXPECT_LT(finite.size(), 120U);
  EXPECT_FALSE(outcome_with(0xFC00).result.ok);  // -infinity instead of infinity
  EXPECT_FALSE(outcome_with(0x7BFF).result.ok);  // 65504, the largest finite number
}

TEST_F(CheckTest, NotANumberIsWrong) {
  const CheckOutcome got = outcome(
      normalized(), [](View view) { set(view, 0, std::numeric_limits<float>::quiet_NaN()); });
  EXPECT_FALSE(got.result.ok);
  EXPECT_EQ(got.result.max_abs_error, std::numeric_limits<double>::infinity());
  EXPECT_THAT(got.reason, testing::StartsWith("wrong output: error inf at [0, 0, 0, 0]"));
  EXPECT_THAT(got.reason, testing::EndsWith("got nan)"));
}

TEST_F(CheckTest, JustOutsideTheBoundIsWrong) {
  const Case planned = normalized();
  const auto off_by = [&](double error) {
    return outcome(planned,
                   [&](View view) {
                     float value;
                     std::memcpy(&value, view.data, 4);
                     set(view, 0, value + static_cast<float>(error));
                   })
        .result;
  };
  const double bound = off_by(1).bound;  // bound of the changed value
  EXPECT_TRUE(off_by(bound / 4).ok);
  EXPECT_FALSE(off_by(bound * 4).ok);
}

TEST_F(CheckTest, ARowOfAnotherFilterIsHeldByItsImages) {
  Case planned = make_case("cast", {{.op = Cast{}}});
  Kernel near_to_it = *planned.stages[0].kernel;
  near_to_it.psnr_db = 30;
  planned.stages[0].kernel = &near_to_it;
  const auto off_by = [&](float error) {
    return outcome(planned, [&](View view) {
      for (int i = 60; i < 120; ++i) {  // all values of the second image
        float value;
        std::memcpy(&value, view.data + 4 * i, 4);
        set(view, i, value + (i % 2 == 0 ? error : -error));
      }
    });
  };
  EXPECT_TRUE(outcome(planned).result.ok);
  EXPECT_GT(outcome(planned).result.psnr_db, 100);
  const CheckOutcome near = off_by(8);  // PSNR: 20 log10(255 / 8) = 30.07 dB
  EXPECT_TRUE(near.result.ok);
  EXPECT_NEAR(near.result.psnr_db, 30.07, 0.01);
  EXPECT_EQ(near.result.psnr_bound_db, 30);
  EXPECT_NEAR(near.result.max_abs_error, 8, 1e-4);
  const CheckOutcome far = off_by(8.2F);
  EXPECT_FALSE(far.result.ok);
  EXPECT_EQ(far.reason,
            "wrong output: image 1 keeps 29.9 dB of the exact one, expected 30 dB or more");
  EXPECT_FALSE(off_by(std::numeric_limits<float>::quiet_NaN()).result.ok);
}

TEST_F(CheckTest, SlabsCoverEveryImage) {
  Source source;
  source.shape = {.n = 5, .c = 1, .h = 1000, .w = 1000};  // each image is checked by itself
  const Case planned = fake_case(*fake, "cast", source, {{.op = Cast{}}});
  EXPECT_TRUE(outcome(planned).result.ok);
  const CheckOutcome got = outcome(planned, [](View view) { set(view, 4'999'999, -1); });
  EXPECT_THAT(got.reason, testing::HasSubstr("at [4, 0, 999, 999]"));
}

TEST_F(CheckTest, WhatThereIsNoTimeForIsLeftOutAndCounted) {
  Source source = small_source();
  source.shape = {.n = 2, .c = 3, .h = 101, .w = 307};  // 7 parts per image, the last of 5 rows
  const Case planned = fake_case(*fake, "cast", source, {{.op = Cast{}}});
  const std::int64_t values = 2 * 3 * 101 * 307;
  const CheckOutcome first = outcome(planned, {}, [] { return true; });
  EXPECT_TRUE(first.result.ok);
  EXPECT_EQ(first.result.held_to, HeldTo::Reference);
  EXPECT_GT(first.share, 0);
  EXPECT_LT(first.share, 1);
  EXPECT_GE(first.result.unchecked_values, values / 2);
  EXPECT_LT(first.result.unchecked_values, values);
  EXPECT_EQ(first.note, sentence({.kind = Note::Kind::ChecksInTime}));
  const CheckOutcome all = outcome(planned, {}, [] { return false; });
  EXPECT_EQ(all.share, 1);
  EXPECT_EQ(all.result.unchecked_values, 0);
  EXPECT_EQ(all.note, "");
}

TEST_F(CheckTest, SaysWhatCannotBeChecked) {
  const CheckOutcome got = outcome(make_case("stream", {{.op = Stream{}}}));
  EXPECT_TRUE(got.result.ok);
  EXPECT_EQ(got.note, "not checked: what stream writes is undefined");
}

TEST_F(CheckTest, WhatEvenZerosWouldKeepIsNotCorrect) {
  // float32 cannot hold the exact output -3e38 / 0.5, so the error bound is infinite and any value
  // passes.
  const Case planned = make_case("normalize", {{.op = Normalize{.mean = {3e38}, .std = {0.5}}}});
  for (const float value : {0.0F, 7.0F}) {
    const CheckOutcome got = outcome(planned, [&](View view) {
      for (int i = 0; i < 120; ++i) set(view, i, value);
    });
    EXPECT_TRUE(got.result.ok);
    EXPECT_EQ(got.result.held_to, HeldTo::Nothing);
    EXPECT_EQ(got.result.unchecked_values, 120);
    EXPECT_EQ(got.note, "not checked: rounding alone may be as large as the values");
  }
}

TEST_F(CheckTest, CountsWhatCouldNotBeChecked) {
  // The first of three channels overflows float32, so its values cannot be checked.
  const Case planned =
      make_case("normalize", {{.op = Normalize{.mean = {3e38, 1, 1}, .std = {0.5, 1, 1}}}});
  const CheckOutcome got = outcome(planned);
  EXPECT_TRUE(got.result.ok);
  EXPECT_EQ(got.result.held_to, HeldTo::Reference);
  EXPECT_EQ(got.result.unchecked_values, 40);
  EXPECT_EQ(got.note, "");
  EXPECT_FALSE(outcome(planned, [](View view) { set(view, 20, 300); }).result.ok);
}

/// Compares `got` with exact values and their bounds, and returns the check.
OutputCheck compared(std::vector<double> exact, std::vector<double> bounds,
                     std::vector<double> got) {
  const Shape shape{1, 1, 1, static_cast<std::int64_t>(exact.size())};
  OutputCheck check;
  check.compare({.values = {shape, std::move(exact)}, .accuracy = {.errors = std::move(bounds)}},
                {shape, std::move(got)});
  return check;
}

TEST(OutputCheck, HasTheValueFarthestBeyondItsBound) {
  const Worst worst = compared({1, 2, 3}, {1, 0.1, 0.1}, {1.9, 2.05, 3.3}).worst();
  EXPECT_EQ(worst.index, 2);
  EXPECT_NEAR(worst.share(), 3, 1e-9);
  EXPECT_TRUE(worst.is_wrong());
  EXPECT_FALSE(compared({1, 2, 3}, {1, 0.1, 0.5}, {1.9, 2.05, 3.3}).worst().is_wrong());
  const Worst exact = compared({1, 2, 3}, {0, 0, 0.5}, {3, 9, 3}).worst();
  EXPECT_EQ(exact.index, 1);  // the largest error of all values with bound 0
  EXPECT_EQ(exact.error, 7);
  EXPECT_EQ(compared({1, 2}, {1, 1}, {1, NAN}).worst().error, INFINITY);
  EXPECT_EQ(compared({1, 2}, {1, 1}, {1, 2}).worst().share(), 0);
}

TEST(OutputCheck, CannotTellWhereABoundIsAsWideAsTheValuesAreLarge) {
  EXPECT_EQ(compared({1, -4, 2}, {3.9, 4, 5}, {1, -4, 2}).unchecked(), 2);
  EXPECT_FALSE(compared({1, -4, 2}, {3.9, 4, 5}, {1, -4, 2}).is_checked());
  EXPECT_EQ(compared({1, 2}, {INFINITY, NAN}, {7, 7}).unchecked(), 2);
  EXPECT_EQ(compared({0, 0}, {1e-9, 1}, {0, 0}).unchecked(), 0);  // checked: a value of 2 is wrong
  EXPECT_TRUE(compared({0, 0}, {1e-9, 1}, {0, 2}).worst().is_wrong());
  OutputCheck later;
  const auto add = [&](double value) {
    later.compare({.values = {{1, 1, 1, 1}, {value}}, .accuracy = {.errors = 5}},
                  {{1, 1, 1, 1}, {value}});
  };
  add(1);
  EXPECT_EQ(later.unchecked(), 1);
  add(10);  // a later part, with a value larger than its bound of 5
  EXPECT_EQ(later.unchecked(), 0);
}

}  // namespace
}  // namespace normbench::check_test
