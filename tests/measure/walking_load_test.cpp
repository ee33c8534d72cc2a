/// Tests of cases whose items read different files. They test which files an item reads, and that
/// each item is checked against its own reference.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "image_files.h"
#include "measure/contender.h"
#include "measure/run_fixture.h"

namespace normbench::walking_load_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder with three pictures, each of one grey pixel: 10, 100 and 200.
class Pictures {
 public:
  Pictures()
      : folder_(fs::path(testing::TempDir()) /
                fmt::format("walking_{}",
                            testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
    for (const std::uint8_t grey : {10, 100, 200})
      write_file(folder_ / fmt::format("{:03}.png", grey), png_file({grey, grey, grey}, 1, 1));
  }
  ~Pictures() { fs::remove_all(folder_); }
  Pictures(const Pictures&) = delete;
  Pictures& operator=(const Pictures&) = delete;
  std::string path() const { return folder_; }

 private:
  fs::path folder_;
};

/// Functions for loading(). For item i, the kernel row loading<f>() loads the files of item f(i).
std::int64_t as_asked(std::int64_t item) { return item; }
std::int64_t always_the_first(std::int64_t) { return 0; }
std::int64_t wrong_in_the_middle(std::int64_t item) { return item == 3 ? 1 : item; }

template <std::int64_t (*Loaded)(std::int64_t item)>
Kernel loading(const Kernel& kernel) {
  static const Kernel* real;
  real = &kernel;
  Kernel row = kernel;
  row.prepare = [](const Op& op, const Signature& signature) -> Launch {
    return [launch = real->prepare(op, signature)](Queue& queue, std::span<const View> in,
                                                   std::span<const View> out, View scratch) {
      const std::int64_t item = queue.item;
      queue.item = Loaded(item);
      launch(queue, in, out, scratch);
      queue.item = item;
    };
  };
  return row;
}

struct WalkingLoadTest : testing::Test {
  Pictures pictures;
  Backends backends = make_backends();
  SystemClock clock;
  Recorder recorder{clock};
  std::mt19937_64 random{1};
  std::optional<Plan> plan;

  /// Returns the case of variant "v". `members` are added to the config of its `load` stage, and
  /// `options` to the config of the variant.
  Case case_of(const std::string& members, const std::string& options) {
    const std::string text = fmt::format(
        R"({{"schema": 1, "name": "walk", "measure": {{"cache": "hot"}}, "experiments": [{{"name": "e",
            "load": {{"batch": 2, "size": [2, 3]{}}}, "variants": {{"v": {{"stages": [
              {{"op": "cast", "to": "float32"}}]{}}}}}}}]}})",
        members, options);
    PlanOptions named;
    named.images_dir = pictures.path();
    plan = make_plan("walk.json", text, backends, named);
    return plan->groups.front().cases.front();
  }
  GroupMemory memory_for(const Case& planned) {
    const Case* const cases[] = {&planned};
    return {cases, plan->measure, backends, 1 << 20};
  }
  /// Makes a first call, a turn (timed iterations) and a last call. The first call must pass the
  /// check. Returns the outcome of the check after the last call.
  CheckOutcome last_outcome(const Case& planned) {
    GroupMemory memory = memory_for(planned);
    std::unique_ptr<Contender> contender;
    if (planned.pipeline)
      contender =
          std::make_unique<CaseContender>(planned, memory, backends, recorder, clock, random, 8);
    else
      contender =
          std::make_unique<CaseContender>(planned, memory, backends, recorder, clock, random, 8);
    contender->first_call();
    const CheckOutcome first = contender->check();
    EXPECT_TRUE(first.result.ok) << first.reason;
    contender->take_turn({.iterations = planned.pipeline ? planned.pipeline->items : 6}, random);
    contender->last_call();
    return contender->check();
  }
};

constexpr const char* in_flight = R"(, "in_flight": 3, "items": 6)";

TEST_F(WalkingLoadTest, EveryItemIsHeldToItsOwnReference) {
  for (const char* members : {"", R"(, "shuffle": true)", R"(, "shuffle": true, "seed": 9)"})
    for (const char* options :
         {"", in_flight, R"(, "in_flight": 3, "items": 6, "submit": "item")"}) {
      SCOPED_TRACE(fmt::format("{} {}", members, options));
      const CheckOutcome outcome = last_outcome(case_of(members, options));
      EXPECT_TRUE(outcome.result.ok) << outcome.reason;
      EXPECT_EQ(outcome.result.held_to, HeldTo::Reference);
    }
}

TEST_F(WalkingLoadTest, ALoaderThatStaysAtTheFirstItemIsWrong) {
  for (const char* options : {"", in_flight}) {
    Case planned = case_of("", options);
    const Kernel row = loading<always_the_first>(*planned.stages[0].kernel);
    planned.stages[0].kernel = &row;
    const CheckOutcome outcome = last_outcome(planned);
    EXPECT_FALSE(outcome.result.ok);
    EXPECT_THAT(outcome.reason, HasSubstr("(expected 200, got 100)"));
  }
}

TEST_F(WalkingLoadTest, ItemsWithTheSameFilesMustBeEqual) {
  // Only some of the 60 items are compared with their own references. Item 3, which is wrong, is
  // not among them. It is found because it differs from other items with the same files.
  Case planned = case_of("", R"(, "in_flight": 3, "items": 60)");
  const Kernel right = loading<as_asked>(*planned.stages[0].kernel);
  const Kernel wrong = loading<wrong_in_the_middle>(*planned.stages[0].kernel);
  planned.stages[0].kernel = &right;
  EXPECT_TRUE(last_outcome(planned).result.ok);
  planned.stages[0].kernel = &wrong;
  EXPECT_EQ(last_outcome(planned).reason,
            "wrong output: item 3 differs from item 0, although both have the same input");
}

std::set<int> greys_read;

/// The time of the work depends on the images. A lane that is measured alone must therefore not get
/// the same item in every turn.
TEST_F(WalkingLoadTest, ALaneAloneIsFedOtherItemsEachTurn) {
  case_of("", R"(, "in_flight": 1, "items": 6)");
  std::vector<std::set<int>> turns;
  for (Case& part : plan->groups.front().limits) {
    if (!part.pipeline || part.pipeline->part->lane != "cpu") continue;
    Kernel noting = *part.stages[1].kernel;
    noting.prepare = [](const Op&, const Signature&) -> Launch {
      return [](Queue&, std::span<const View> in, std::span<const View>, View) {
        greys_read.insert(static_cast<int>(in[0].data[0]));
      };
    };
    part.stages[1].kernel = &noting;
    GroupMemory memory = memory_for(part);
    CaseContender lane(part, memory, backends, recorder, clock, random, 8);
    for (int turn = 0; turn < 3; ++turn) {
      greys_read.clear();
      lane.take_turn({.iterations = 6}, random);
      turns.push_back(greys_read);
    }
  }
  const std::set<int> first{10}, second{200};  // an item has two images: (10, 100) or (200, 10)
  EXPECT_THAT(turns, testing::AnyOf(testing::ElementsAre(first, second, first),
                                    testing::ElementsAre(second, first, second)));
}

/// When a part of a pipeline is measured alone, the constructor of its engine loads its inputs,
/// before the threads of its lanes exist. So the constructor must throw the error of a failed load.
TEST_F(WalkingLoadTest, APartThatCannotBeFedSaysWhy) {
  case_of("", R"(, "in_flight": 3, "items": 6)");
  int parts = 0;
  for (Case& part : plan->groups.front().limits) {
    if (!part.pipeline || !part.pipeline->part->lane.empty()) continue;
    Kernel broken = *part.stages[0].kernel;
    broken.prepare = [](const Op&, const Signature&) -> Launch {
      return [](Queue&, std::span<const View>, std::span<const View>, View) {
        throw std::runtime_error("the disk is gone");
      };
    };
    part.stages[0].kernel = &broken;
    GroupMemory memory = memory_for(part);
    EXPECT_THAT([&] { CaseContender(part, memory, backends, recorder, clock, random, 8); },
                testing::ThrowsMessage<std::runtime_error>("the disk is gone"));
    ++parts;
  }
  EXPECT_EQ(parts, 1);
}

struct WalkingTurns : RunTest {
  Pictures pictures;

  /// Returns a case that loads with kernel row `row` of the fake backend.
  Case load_case(const std::string& variant, int row, std::int64_t batch) {
    Load load{.path = pictures.path(), .batch = batch, .height = 1, .width = 1};
    load.resolve({.base_dir = {}, .images_dir = {}});
    Case planned = make_case(variant, {{.op = Copy{}, .row = row}});
    planned.inputs.clear();
    planned.values.erase(planned.values.begin());
    planned.values[0].desc = load.infer({})[0];
    planned.stages[0].signature = {.in = {}, .out = {planned.values[0].desc}};
    planned.stages[0].op = std::move(load);
    planned.stages[0].in.clear();
    planned.stages[0].out = {0};
    planned.outputs = {0};
    return planned;
  }
  std::vector<std::int64_t> iterations(std::vector<Case> cases) {
    plan.groups.clear();
    add_group(std::move(cases));
    std::vector<std::int64_t> found;
    const Results results = run_plan();
    for (const CaseResult& result : results.groups[0].cases) {
      EXPECT_EQ(result.status, Status::Ok) << result.reason;
      found.push_back(result.iterations);
    }
    return found;
  }
};

TEST_F(WalkingTurns, ReadTheSameFiles) {
  plan.measure.max_seconds_per_group = 1;
  fake->rows[0].cost_ns = 1'000'000;
  fake->rows[1].cost_ns = 250'000;
  fake->rows[2].cost_ns = 100'000;
  EXPECT_THAT(iterations({load_case("slow", 0, 2), load_case("fast", 1, 2), cast_case("cast", 2)}),
              testing::ElementsAre(4, 4, 10));
  // With a batch of 3, each iteration reads all three files, so turns may differ in their number of
  // iterations.
  EXPECT_THAT(iterations({load_case("slow", 0, 3), load_case("fast", 1, 3)}),
              testing::ElementsAre(1, 4));
}

/// Records the items that kernel row 0 of the fake backend loads.
TEST_F(WalkingTurns, GoOnFromRoundToRound) {
  plan.measure.max_seconds_per_group = 1;
  Case planned = load_case("v", 0, 2);
  Kernel noting = *planned.stages[0].kernel;
  static std::vector<std::int64_t>* items;
  std::vector<std::int64_t> loaded;
  items = &loaded;
  static const Kernel* real;
  real = planned.stages[0].kernel;
  noting.prepare = [](const Op& op, const Signature& signature) -> Launch {
    return [launch = real->prepare(op, signature)](Queue& queue, std::span<const View> in,
                                                   std::span<const View> out, View scratch) {
      items->push_back(queue.item);
      launch(queue, in, out, scratch);
    };
  };
  planned.stages[0].kernel = &noting;
  fake->rows[0].cost_ns = 10'000'000;
  EXPECT_THAT(iterations({planned}), testing::ElementsAre(2));
  // A turn has 2 items. The turns of the first rounds load the items 0 and 1, then 2 and 3, then 4
  // and 5.
  for (const std::int64_t item : {1, 2, 3, 4, 5, 20, 21})
    EXPECT_THAT(loaded, testing::Contains(item));
}

/// A turn of 2 iterations takes 3 ms with its warm-up, so 12 rounds of two variants take 72 ms. A
/// tenth of the time limit is reserved.
TEST_F(WalkingTurns, AreAsLongAsTheTimeLimitLets) {
  fake->rows[0].cost_ns = fake->rows[1].cost_ns = 1'000'000;
  plan.measure.max_seconds_per_group = 0.072 / 0.9;
  EXPECT_THAT(iterations({load_case("a", 0, 2), load_case("b", 1, 2)}), testing::ElementsAre(2, 2));
  plan.measure.max_seconds_per_group = 0.05;
  EXPECT_THAT(iterations({load_case("a", 0, 2), load_case("b", 1, 2)}), testing::ElementsAre(1, 1));
}

}  // namespace
}  // namespace normbench::walking_load_test
