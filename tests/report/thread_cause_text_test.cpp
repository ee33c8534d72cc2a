#include "report/cause_text.h"

#include <gmock/gmock.h>

#include "analysis/analysis.h"
#include "example_results.h"

namespace normbench::thread_cause_text_test {
namespace {

using examples::make_case;

/// normalize on one thread in 5.6 ms and on two in 3 ms.
class Threads : public testing::Test {
 protected:
  Threads() : results_(examples::make_results("threads", {GroupResult{}})) {
    group().cases = {make_case({"one", 5.6}), make_case({"two", 3.0})};
    group().cases[1].threads = 2;
    group().baseline = "one";
  }

  GroupResult& group() { return results_.groups[0]; }
  Cause of(Cause (*cause)(const Subject&), int index) {
    const CaseAnalysis analysis = analyse_case(group(), group().cases[index], results_);
    return cause({group(), analysis, index, results_});
  }

  Results results_;
};

TEST_F(Threads, OneIsShownByTheCaseWithMore) {
  const Cause cause = of(one_thread_cause, 0);
  EXPECT_EQ(cause_text(cause).sentence(),
            "one thread. With 2 threads the same stages take 3.0 ms, 46 % of its time less.");
  EXPECT_TRUE(cause.proven);
  EXPECT_FALSE(of(one_thread_cause, 1));
}

TEST_F(Threads, OneIsNoCauseWhereMoreDoNotHelp) {
  group().cases[1].rounds = group().cases[0].rounds;
  EXPECT_FALSE(of(one_thread_cause, 0));
}

TEST_F(Threads, OneIsNoCauseWhereMoreChangesThanThreads) {
  group().cases[1].stages[0].output = OutputPolicy::Fresh;
  EXPECT_FALSE(of(one_thread_cause, 0));
}

TEST_F(Threads, OneIsShownByAStreamWithMore) {
  group().cases.pop_back();
  group().limits = {examples::make_limit("stream, 1 thread", 5.4, DType::Float32)};
  EXPECT_FALSE(of(one_thread_cause, 0));
  group().limits.push_back(examples::make_limit("stream, 2 threads", 3.0, DType::Float32));
  group().limits[1].threads = 2;
  EXPECT_THAT(cause_text(of(one_thread_cause, 0)).sentence(),
              testing::MatchesRegex("one thread\\. It is at 9. % of what one moves; 2 threads move "
                                    "1\\.8.x as much\\."));
  group().limits[0].rounds = examples::make_rounds(2.0, 3);  // not at the limit of one
  EXPECT_FALSE(of(one_thread_cause, 0));
}

TEST(ConstantsCause, IsDecidedByTheCaseThatCachesThem) {
  Results results = examples::constants_reused();
  GroupResult& group = results.groups[0];
  const auto cause = [&] {
    const CaseAnalysis analysis = analyse_case(group, group.cases[0], results);
    return constants_cause({group, analysis, 0, results});
  };
  group.profile = {{.variant = group.cases[0].variant,
                    .rows = {{.name = "constants",
                              .place = Place::Cpu,
                              .shapes = "",
                              .constants = true,
                              .self_cpu_ns = 1,
                              .cpu_ns = 1}}}};
  EXPECT_FALSE(cause());  // whatever the profile says, caching saves nothing
  group.cases[0].rounds = examples::make_rounds(16.2, 4);
  EXPECT_EQ(cause_text(cause()).sentence(),
            "constants. Preparing them on every call takes 33 % of its time; cached, the same ops "
            "take 10.8 ms.");
  EXPECT_TRUE(cause().proven);
}

}  // namespace
}  // namespace normbench::thread_cause_text_test
