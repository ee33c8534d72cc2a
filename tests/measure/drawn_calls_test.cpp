/// Tests that the check draws some calls of a kernel at random and checks the output of each drawn
/// call. The input changes from call to call, so that a kernel that repeats an output is found.
#include "measure/contender.h"
#include "measure/group_memory.h"
#include "measure/measure_group.h"
#include "measure/run_context.h"
#include "measure/run_fixture.h"

namespace normbench::drawn_calls_test {
namespace {

Backends cpu_alone() {
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  return backends;
}

/// Replaces a kernel's work in a call. Returns false if the kernel has to do its own work.
using Instead = std::function<bool(std::int64_t call, const View& out)>;

struct DrawnCallsTest : testing::Test {
  Backends backends = cpu_alone();
  SystemClock clock;
  Recorder recorder{clock};
  Watchdog watchdog{60, nullptr};
  FakeObserver observer;
  std::atomic<bool> interrupted = false;

  std::int64_t checked_calls = Measure{}.checked_calls;
  int side = 18;        // rows of an image; it has side + 1 columns
  double limit = 0.02;  // time limit of the group, in seconds

  /// Returns the result of the group's only case after a short run. The case's kernel calls
  /// `instead` first, and does its own work only if `instead` returns false.
  CaseResult measured(const char* cache, std::int64_t seed, const char* output,
                      const Instead& instead) {
    Plan plan = make_plan("drawn.json",
                          fmt::format(R"({{"schema": 1, "name": "drawn",
        "measure": {{"cache": "{}", "max_seconds_per_group": {}, "seed": {},
                    "checked_calls": {}}},
        "experiments": [{{"name": "e", "source": {{"batch": 2, "channels": 1, "size": [{}, {}]}}, "variants": {{
          "v": [{{"op": "normalize", "mean": [100], "std": [50], "output": "{}"}}]}}}}]}})",
                                      cache, limit, seed, checked_calls, side, side + 1, output),
                          backends, {});
    Stage& stage = plan.groups.front().cases.front().stages.front();
    Kernel row = *stage.kernel;
    const Launch real = row.prepare(stage.op, stage.signature);
    static Launch wrapped;
    wrapped = [real, instead, call = std::make_shared<std::int64_t>(0)](
                  Queue& queue, std::span<const View> in, std::span<const View> out, View scratch) {
      if (!instead((*call)++, out[0])) real(queue, in, out, scratch);
    };
    row.prepare = [](const Op&, const Signature&) { return wrapped; };
    stage.kernel = &row;
    RunContext context{.backends = backends,
                       .clock = clock,
                       .recorder = recorder,
                       .watchdog = watchdog,
                       .observer = observer,
                       .interrupted = interrupted,
                       .cache_bytes = 1 << 16,
                       .on_profile = {}};
    return measure_group(plan, 0, context, 0)->cases.front();
  }
};

TEST_F(DrawnCallsTest, EightOrMoreOfARightKernelAreChecked) {
  for (const char* cache : {"hot", "cold"})
    for (const char* output : {"reuse", "fresh"}) {
      const CaseResult result =
          measured(cache, 1, output, [](std::int64_t, const View&) { return false; });
      EXPECT_EQ(result.status, Status::Ok) << result.reason;
      EXPECT_GE(result.check.calls, checked_calls) << cache << " " << output;
    }
}

TEST_F(DrawnCallsTest, OnlyTheFirstAndTheLastWhereNoMoreAreAskedFor) {
  checked_calls = 2;
  const CaseResult result =
      measured("hot", 1, "reuse", [](std::int64_t, const View&) { return false; });
  EXPECT_EQ(result.check.calls, 2) << result.reason;
}

TEST_F(DrawnCallsTest, OneThatComputesEveryOtherCallIsFound) {
  for (const char* cache : {"hot", "cold"})
    for (std::int64_t seed = 0; seed < 10; ++seed)
      for (const std::int64_t odd : {0, 1}) {
        const CaseResult result =
            measured(cache, seed, "reuse", [odd](std::int64_t call, const View& out) {
              // In call 0, the kernel does its own work. Its output is always checked, so a mistake
              // there would be found without a draw.
              if (call == 0 || call % 2 != odd) return false;
              std::memset(out.data, 0, static_cast<std::size_t>(out.desc.bytes()));
              return true;
            });
        EXPECT_EQ(result.status, Status::Failed) << cache << " " << seed << " " << odd;
        EXPECT_THAT(result.reason, testing::HasSubstr("wrong output"));
      }
}

/// A fresh output must be checked before the call frees its memory.
TEST_F(DrawnCallsTest, OneThatLeavesAFreshOutputAsItIsAtEveryOtherCallIsFound) {
  side = 2100;  // smaller outputs use recycled memory, which may hold an old output
  limit = 4;    // time for enough checks
  for (const std::int64_t odd : {0, 1}) {
    const CaseResult result = measured("hot", odd, "fresh", [odd](std::int64_t call, const View&) {
      return call > 0 && call % 2 == odd;
    });
    EXPECT_EQ(result.status, Status::Failed) << odd;
    EXPECT_THAT(result.reason, testing::HasSubstr("wrong output"));
  }
  const CaseResult right =
      measured("hot", 1, "fresh", [](std::int64_t, const View&) { return false; });
  EXPECT_EQ(right.status, Status::Ok) << right.reason;
  EXPECT_GT(right.check.calls, 2);  // a slow build has time for a few checks only
}

TEST_F(DrawnCallsTest, OneThatRemembersItsFirstResultIsFound) {
  for (std::int64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::byte> first;
    const std::byte* written = nullptr;  // output of call 0
    const CaseResult result =
        measured("cold", seed, "reuse", [&](std::int64_t call, const View& out) {
          const auto bytes = static_cast<std::size_t>(out.desc.bytes());
          if (call == 0) written = out.data;
          if (call == 1) first.assign(written, written + bytes);
          if (call == 0) return false;
          std::memcpy(out.data, first.data(), bytes);
          return true;
        });
    EXPECT_EQ(result.status, Status::Failed) << seed;
  }
}

TEST(MovedOn, MovesThePixelsOfEveryImage) {
  for (const Layout layout : {Layout::Nchw, Layout::Nhwc}) {
    const TensorDesc desc = dense(DType::Float16, layout, {2, 3, 2, 5}, Memory::Pageable);
    std::vector<std::uint16_t> from(60), to(60);
    std::iota(from.begin(), from.end(), std::uint16_t{0});
    moved_on({reinterpret_cast<std::byte*>(from.data()), desc},
             reinterpret_cast<std::byte*>(to.data()), 13);
    for (std::size_t n = 0; n < 2; ++n)
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t p = 0; p < 10; ++p) {
          const auto at = [&](std::size_t pixel) {
            return layout == Layout::Nchw ? (n * 3 + c) * 10 + pixel : (n * 10 + pixel) * 3 + c;
          };
          EXPECT_EQ(to[at((p + 13) % 10)], from[at(p)]);
        }
  }
}

}  // namespace
}  // namespace normbench::drawn_calls_test
