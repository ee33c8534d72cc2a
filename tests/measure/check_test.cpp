#include "measure/check.h"

#include <cstring>
#include <limits>

#include "measure/prepared_case.h"
#include "measure/run_fixture.h"

namespace normbench::check_test {
namespace {

struct CheckTest : RunTest {
  /// The outcome for an output that the references make and `spoil` changes.
  CheckOutcome outcome(const Case& work, const std::function<void(View)>& spoil = {}) {
    fake->rows[0].then = [&](const FakeCall& call) {
      if (spoil && call.out[0].desc == work.result()) spoil(call.out[0]);
    };
    GroupMemory memory({{&work}}, plan.measure, backends, cache_bytes);
    PreparedCase prepared(work, memory, backends, recorder);
    std::mt19937_64 random(1);
    prepared.place(random);
    prepared.run({});
    const std::vector<View> inputs = prepared.inputs();
    second_image = to_double(inputs.at(0), 1, 1).values;
    return check_output(work, inputs, prepared.outputs(), backends);
  }
  static void set(View view, int index, float value) {
    std::memcpy(view.data + 4 * index, &value, 4);
  }
  Case normalized() {
    return make_case("normalize", {{.op = Cast{}},
                                   {.op = Sub{.mean = {123.675, 116.28, 103.53}}},
                                   {.op = Div{.std = {58.395, 57.12, 57.375}}}});
  }

  std::vector<double> second_image;  // of the source
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
  const Case work = make_case("cast", {{.op = Cast{}}});
  const CheckOutcome got = outcome(work, [](View view) {
    set(view, 3, 1000);
    set(view, 60 + 20 + 2 * 5 + 4, 5000);
  });
  const double expected = second_image[20 + 2 * 5 + 4];
  EXPECT_FALSE(got.result.ok);
  EXPECT_EQ(got.result.max_abs_error, 5000 - expected);
  EXPECT_EQ(got.reason, fmt::format("wrong output: max error {:.2g} at [1, 1, 2, 4], bound 0 "
                                    "(expected {:.6g}, got 5000)",
                                    5000 - expected, expected));
}

TEST_F(CheckTest, NotANumberIsWrong) {
  const CheckOutcome got = outcome(
      normalized(), [](View view) { set(view, 0, std::numeric_limits<float>::quiet_NaN()); });
  EXPECT_FALSE(got.result.ok);
  EXPECT_EQ(got.result.max_abs_error, std::numeric_limits<double>::infinity());
  EXPECT_THAT(got.reason, testing::StartsWith("wrong output: max error inf at [0, 0, 0, 0]"));
  EXPECT_THAT(got.reason, testing::EndsWith("got nan)"));
}

TEST_F(CheckTest, JustOutsideTheBoundIsWrong) {
  const Case work = normalized();
  const double bound = outcome(work).result.bound;
  const auto off_by = [&](double error) {
    return outcome(work,
                   [&](View view) {
                     float value;
                     std::memcpy(&value, view.data, 4);
                     set(view, 0, value + static_cast<float>(error));
                   })
        .result.ok;
  };
  EXPECT_TRUE(off_by(bound / 4));
  EXPECT_FALSE(off_by(bound * 4));
}

TEST_F(CheckTest, ARowOfAnotherFilterIsHeldByItsImages) {
  Case work = make_case("cast", {{.op = Cast{}}});
  Kernel near_to_it = *work.stages[0].kernel;
  near_to_it.psnr_db = 30;
  work.stages[0].kernel = &near_to_it;
  const auto off_by = [&](float error) {
    return outcome(work, [&](View view) {
      for (int i = 60; i < 120; ++i) {  // all of the second image
        float value;
        std::memcpy(&value, view.data + 4 * i, 4);
        set(view, i, value + (i % 2 == 0 ? error : -error));
      }
    });
  };
  EXPECT_TRUE(outcome(work).result.ok);
  EXPECT_GT(outcome(work).result.psnr_db, 100);
  const CheckOutcome near = off_by(8);  // 20 log10(255 / 8) = 30.07
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
  source.shape = {.n = 5, .c = 1, .h = 1000, .w = 1000};  // four images a slab, then one
  const Case work = fake_case(*fake, "cast", source, {{.op = Cast{}}});
  EXPECT_TRUE(outcome(work).result.ok);
  const CheckOutcome got = outcome(work, [](View view) { set(view, 4'999'999, -1); });
  EXPECT_THAT(got.reason, testing::HasSubstr("at [4, 0, 999, 999]"));
}

TEST_F(CheckTest, SaysWhatCannotBeChecked) {
  const CheckOutcome got = outcome(make_case("stream", {{.op = Stream{}}}));
  EXPECT_TRUE(got.result.ok);
  EXPECT_EQ(got.note, "not checked: what stream writes is undefined");
}

}  // namespace
}  // namespace normbench::check_test
