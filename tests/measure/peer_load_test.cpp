/// Tests of peers (processes of other programs) that load files. The output for each item is
/// checked against the images of this item.
#include <gmock/gmock.h>

#include <filesystem>

#include "image_files.h"
#include "measure/contender.h"
#include "measure/peer/contender.h"
#include "measure/peer_fixture.h"

namespace normbench::peer_load_test {
namespace {

namespace fs = std::filesystem;

struct PeerLoadTest : testing::Test {
  PeerLoadTest() {
    fs::create_directories(folder);
    for (const int i : {0, 1, 2}) {  // one image of 2x2 pixels per file
      const auto first = static_cast<std::uint8_t>(50 * i);
      write_file((folder / fmt::format("{}.raw", i)).string(),
                 Bytes{first, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, static_cast<std::uint8_t>(i)});
    }
  }
  ~PeerLoadTest() override { fs::remove_all(folder); }

  /// Runs a peer that loads 3 images in a loop, 2 of them per item. Returns the outcomes of two
  /// checks, one after the first call and one after a turn.
  std::vector<CheckOutcome> outcomes(const std::string& how, const std::string& more_stages = "") {
    PlanOptions named;
    named.images_dir = folder;
    const Plan plan = make_plan("load.json",
                                R"({"schema": 1, "name": "load", "experiments": [
        {"name": "e", "load": {"batch": 2, "size": [2, 2], "storage": "raw"},
         "variants": {"v": {"peer": "tiny", "stages": ["load", {"op": "cast", "to": "float32"})" +
                                    more_stages + R"(]}}}],
        "peers": {"tiny": ["tiny"]}})",
                                backends, named);
    const Case& planned = plan.groups.front().cases.front();
    RunContext context{.backends = backends,
                       .clock = clock,
                       .recorder = recorder,
                       .watchdog = watchdog,
                       .observer = observer,
                       .interrupted = interrupted,
                       .cache_bytes = {},
                       .on_profile = {}};
    const Case* const cases[] = {&planned};
    GroupMemory memory(cases, plan.measure, backends, {});
    PeerContender peer(planned, tiny(how), limits, memory, context);
    peer.prepare();
    peer.first_call();
    std::vector<CheckOutcome> outcomes{peer.check()};
    shape = peer.shape_of_turns(20);
    std::mt19937_64 random;
    // The turn loads 5 items, the items 0 to 4, or the items 1 to 5 if `first` is 1. Item i has the
    // images 2 * i and 2 * i + 1, modulo 3. So item 4 has the images 2 and 0, and item 5 has the
    // images 1 and 2.
    peer.take_turn({.iterations = 5, .first = peer.takes_first() ? 1 : 0}, random);
    outcomes.push_back(peer.check());
    return outcomes;
  }

  const fs::path folder =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  Backends backends = make_backends();
  SystemClock clock;
  Recorder recorder{clock};
  Watchdog watchdog{600, [](std::size_t, const std::string&) {}};
  FakeObserver observer;
  std::atomic<bool> interrupted = false;
  PeerLimits limits;
  TurnShape shape;
};

TEST_F(PeerLoadTest, EveryItemIsHeldToItsImages) {
  for (const CheckOutcome& outcome : outcomes("right")) {
    EXPECT_TRUE(outcome.result.ok) << outcome.reason;
    EXPECT_EQ(outcome.result.max_abs_error, 0);
    EXPECT_EQ(outcome.result.psnr_bound_db, 0);
  }
  EXPECT_GT(shape.iterations, 1);
  EXPECT_FALSE(outcomes("wrong later")[1].result.ok);
}

TEST_F(PeerLoadTest, ATurnMayStartAtAnyItem) {
  for (const CheckOutcome& outcome : outcomes("first")) {
    EXPECT_TRUE(outcome.result.ok) << outcome.reason;
    EXPECT_EQ(outcome.result.max_abs_error, 0);
  }
}

TEST_F(PeerLoadTest, ANetworkGivesWhatItMakesOfTheFirstItem) {
  const auto given = outcomes("right", R"(, {"op": "model", "name": "tiny", "train": true})");
  ASSERT_TRUE(given[0].output && given[1].output);
  EXPECT_EQ(given[0].output->values[1000], 50.0f / 255);  // the second image's first pixel
  EXPECT_EQ(given[0].output->values, given[1].output->values);
}

TEST_F(PeerLoadTest, PixelsThatAreNotDecodedAreHeldOneByOne) {
  try {
    outcomes("psnr 30");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("reports a \"psnr\", but it decodes no images and "
                                                 "resizes none of uint8"));
  }
}

}  // namespace
}  // namespace normbench::peer_load_test
