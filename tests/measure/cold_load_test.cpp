/// Tests of `load` stages whose files are dropped from the page cache before each turn. A turn is
/// the timed iterations of one case in a round.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "image_files.h"
#include "machine/page_cache.h"
#include "measure/contender.h"
#include "measure/run_fixture.h"

namespace normbench::cold_load_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder with `files` raw files, each with 6 images of 64x64.
class RawFiles {
 public:
  RawFiles(const fs::path& parent, int files)
      : folder_(parent /
                fmt::format("cold_load_{}",
                            testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
    for (int i = 0; i < files; ++i) {
      names.push_back(folder_ / fmt::format("{}.raw", i));
      write_file(names.back(), Bytes(6 * 64 * 64 * 3, static_cast<std::uint8_t>(i)));
    }
  }
  ~RawFiles() { fs::remove_all(folder_); }
  RawFiles(const RawFiles&) = delete;
  RawFiles& operator=(const RawFiles&) = delete;
  std::string path() const { return folder_; }

  std::vector<std::string> names;

 private:
  fs::path folder_;
};

struct ColdLoadTest : testing::Test {
  Backends backends = make_backends();
  SystemClock clock;
  Recorder recorder{clock};
  std::mt19937_64 random{1};
  std::optional<Plan> plan;

  Case case_of(const RawFiles& files, const std::string& members, const std::string& options = "") {
    const std::string text = fmt::format(
        R"({{"schema": 1, "name": "cold", "experiments": [{{"name": "e",
            "load": {{"storage": "raw", "page_cache": "cold", "size": [64, 64]{}}},
            "variants": {{"v": {{"stages": [{{"op": "cast", "to": "float32"}}]{}}}}}}}]}})",
        members, options);
    PlanOptions named;
    named.images_dir = files.path();
    plan = make_plan("cold.json", text, backends, named);
    return plan->groups.front().cases.front();
  }
  GroupMemory memory_for(const Case& planned) {
    const Case* const cases[] = {&planned};
    return {cases, plan->measure, backends, 1 << 20};
  }
};

/// For each load by the kernel row that watching() returns: the number of bytes of the `watched`
/// files that were in the page cache before the load.
std::vector<std::int64_t> resident_at_start;
const std::vector<std::string>* watched = nullptr;

Kernel watching(const Kernel& kernel) {
  static const Kernel* real;
  real = &kernel;
  Kernel row = kernel;
  row.prepare = [](const Op& op, const Signature& signature) -> Launch {
    return [launch = real->prepare(op, signature)](Queue& queue, std::span<const View> in,
                                                   std::span<const View> out, View scratch) {
      std::int64_t bytes = 0;
      for (const std::string& file : *watched) bytes += residency(file).resident_bytes;
      resident_at_start.push_back(bytes);
      launch(queue, in, out, scratch);
    };
  };
  return row;
}

TEST_F(ColdLoadTest, EveryTurnFindsNothingInMemory) {
  const RawFiles files(".", 2);
  watched = &files.names;
  for (const char* via : {"read", "mmap"}) {
    Case planned = case_of(files, fmt::format(R"(, "batch": 12, "via": "{}")", via));
    const Kernel row = watching(*planned.stages[0].kernel);
    planned.stages[0].kernel = &row;
    GroupMemory memory = memory_for(planned);
    CaseContender contender(planned, memory, backends, recorder, clock, random, 8);
    for (int turn = 0; turn < 3; ++turn) {
      contender.take_turn({.iterations = 1, .warmup_ns = 1000}, random);
      EXPECT_EQ(resident_at_start.back(), 0) << via << turn;  // the last load is the measured one
    }
    EXPECT_EQ(contender.shape_of_turns(10).iterations, 1);  // a turn reads no image twice
  }
}

TEST_F(ColdLoadTest, PipelinesToo) {
  const RawFiles files(".", 2);
  watched = &files.names;
  Case planned =
      case_of(files, R"(, "batch": 4)", R"(, "in_flight": 2, "items": 3, "submit": "one")");
  const Kernel row = watching(*planned.stages[0].kernel);
  planned.stages[0].kernel = &row;
  GroupMemory memory = memory_for(planned);
  CaseContender contender(planned, memory, backends, recorder, clock, random, 8);
  resident_at_start.clear();
  contender.take_turn({.iterations = 3, .warmup_ns = 0}, random);
  ASSERT_EQ(resident_at_start.size(), 3u);
  EXPECT_EQ(resident_at_start.front(), 0);
}

std::string reason(const std::function<void()>& run) try {
  run();
  return "";
} catch (const CannotRunHere& why) {
  return why.what();
}

TEST_F(ColdLoadTest, FilesInMemoryCannotBeCold) {
  const RawFiles files("/dev/shm", 1);
  const Case planned = case_of(files, R"(, "batch": 3)");
  GroupMemory memory = memory_for(planned);
  CaseContender contender(planned, memory, backends, recorder, clock, random, 8);
  EXPECT_THAT(reason([&] { contender.first_call(); }),
              HasSubstr("in memory although it was asked to drop them"));
}

TEST_F(ColdLoadTest, ATurnIsAnEpochUnlessThatIsLong) {
  const RawFiles files(".", 1);
  const Case planned = case_of(files, R"(, "batch": 4)");
  EXPECT_EQ(iterations_of_an_epoch(planned, 1e6), 2);  // 6 images, 4 in an iteration
  EXPECT_EQ(iterations_of_an_epoch(case_of(files, R"(, "batch": 1)"), 1e6), 6);
  EXPECT_EQ(iterations_of_an_epoch(planned, 1.4e9), 2);
  EXPECT_EQ(iterations_of_an_epoch(planned, 1.6e9), 1);
  EXPECT_EQ(iterations_of_an_epoch(planned, 60e9), 1);
}

TEST_F(ColdLoadTest, ImagesThatWouldBeReadTwiceAreTooFew) {
  const RawFiles files(".", 1);
  const auto prepare = [&](const Case& planned) {
    GroupMemory memory = memory_for(planned);
    return reason([&] {
      if (planned.pipeline)
        CaseContender(planned, memory, backends, recorder, clock, random, 2);
      else
        CaseContender(planned, memory, backends, recorder, clock, random, 8);
    });
  };
  EXPECT_EQ(prepare(case_of(files, R"(, "batch": 6)")), "");
  EXPECT_EQ(prepare(case_of(files, R"(, "batch": 7)")),
            "6 images are too few for a cold batch of 7: it would read some of them twice");
  EXPECT_EQ(prepare(case_of(files, R"(, "batch": 3)", R"(, "in_flight": 2, "items": 3)")),
            "6 images are too few for 3 cold items of 3: some would be read twice");
}

/// All loaders of a group have the same number of iterations per turn. The cold loader limits this
/// number, because it must not read a file twice.
TEST_F(ColdLoadTest, AWarmLoaderBesideItDoesNotMakeItReadTwice) {
  const RawFiles cold(".", 2), warm("/dev/shm", 2);  // 12 images each
  const std::string text = fmt::format(
      R"({{"schema": 1, "name": "cold", "measure": {{"max_seconds_per_group": 0.1}},
          "defaults": {{"load": {{"storage": "raw", "size": [64, 64], "batch": 3}}}},
          "experiments": [{{"name": "e", "variants": {{
            "cold": [{{"op": "load", "path": "{}", "page_cache": "cold"}}],
            "warm": [{{"op": "load", "path": "{}"}}]}}}}]}})",
      fs::absolute(cold.path()).string(), warm.path());
  plan = make_plan("cold.json", text, backends, {});
  Watchdog watchdog{600, [](std::size_t, const std::string&) {}};
  FakeObserver observer;
  std::atomic<bool> interrupted = false;
  RunContext context{.backends = backends,
                     .clock = clock,
                     .recorder = recorder,
                     .watchdog = watchdog,
                     .observer = observer,
                     .interrupted = interrupted,
                     .cache_bytes = {},
                     .on_profile = {}};
  const Results results = run(*plan, context).results;
  for (const CaseResult& result : results.groups.at(0).cases) {
    EXPECT_EQ(result.status, Status::Ok) << result.reason;
    EXPECT_LE(result.iterations, 4) << result.variant;  // 4 iterations of 3 images read all 12
  }
}

}  // namespace
}  // namespace normbench::cold_load_test
