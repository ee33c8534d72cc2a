/// Tests of cases that save files: which files exist after each step, and that a case with wrong
/// files fails.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "core/scratch_folder.h"
#include "measure/contender.h"
#include "plan/plan.h"

namespace normbench::saved_files_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// The mistake that is planted in a kernel row: it saves no image (Nothing), or it saves the first
/// image in place of the other images (FirstImageTwice).
enum class Planted { Nothing, FirstImageTwice };

template <Planted What>
Kernel planted(const Kernel& kernel) {
  static const Kernel* real;
  real = &kernel;
  Kernel row = kernel;
  row.prepare = [](const Op& op, const Signature& signature) -> Launch {
    return [launch = real->prepare(op, signature)](Queue& queue, std::span<const View> in,
                                                   std::span<const View> out, View scratch) {
      if (What == Planted::Nothing) return;
      View first = in[0];
      first.desc.strides.n = 0;
      launch(queue, {&first, 1}, out, scratch);
    };
  };
  return row;
}

struct SavedFilesTest : testing::Test {
  Backends backends = make_backends();
  SystemClock clock;
  Recorder recorder{clock};
  std::mt19937_64 random{1};
  std::optional<Plan> plan;
  std::optional<ScratchFolder> scratch;

  SavedFilesTest() {
    scratch.emplace("");
    backends.at(Place::Cpu)->scratch = scratch->path();
  }

  Case case_of(const std::string& save, const std::string& options) {
    const std::string text = fmt::format(
        R"({{"schema": 1, "name": "save", "measure": {{"cache": "hot"}}, "experiments": [{{"name": "e",
            "source": {{"batch": 2, "size": [5, 7]}}, "variants": {{"v": {{"stages": [
              {{"op": "layout", "to": "nhwc"}}, {{"op": "save"{}}}]{}}}}}}}]}})",
        save, options);
    plan = make_plan("save.json", text, backends, {});
    return plan->groups.front().cases.front();
  }
  GroupMemory memory_for(const Case& planned) {
    const Case* const cases[] = {&planned};
    return {cases, plan->measure, backends, 1 << 20};
  }
  std::unique_ptr<Contender> contender(const Case& planned, GroupMemory& memory) {
    if (planned.pipeline)
      return std::make_unique<CaseContender>(planned, memory, backends, recorder, clock, random, 8);
    return std::make_unique<CaseContender>(planned, memory, backends, recorder, clock, random, 8);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(scratch->path()))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
};

constexpr const char* three_in_flight = R"(, "in_flight": 3, "items": 7)";

TEST_F(SavedFilesTest, EveryFormatIsCheckedAndNoFileOutlivesItsCase) {
  for (const char* format : {"jpeg", "png", "raw", "npy"})
    for (const char* options : {"", three_in_flight}) {
      SCOPED_TRACE(fmt::format("{} {}", format, options));
      const Case planned = case_of(fmt::format(R"(, "format": "{}")", format), options);
      GroupMemory memory = memory_for(planned);
      const auto saves = contender(planned, memory);
      saves->first_call();
      EXPECT_TRUE(saves->check().result.ok) << saves->check().reason;
      EXPECT_THAT(files(),
                  ElementsAre(fmt::format("1-0-0.{}", format), fmt::format("1-0-1.{}", format)));
      saves->take_turn({.iterations = 7}, random);
      saves->last_call();
      const CheckOutcome outcome = saves->check();
      EXPECT_TRUE(outcome.result.ok) << outcome.reason;
      EXPECT_THAT(files(), SizeIs(planned.pipeline ? 6 : 2));  // 2 files per item in flight
    }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(SavedFilesTest, AFileOfBeforeDoesNotPassForANewOne) {
  for (const char* options : {"", three_in_flight}) {
    Case planned = case_of("", options);
    GroupMemory memory = memory_for(planned);
    {
      const auto saves = contender(planned, memory);
      saves->first_call();
      const fs::path kept = fs::path(scratch->path()) / "kept";
      for (const std::string& name : files()) {
        fs::create_directories(kept);
        fs::copy_file(fs::path(scratch->path()) / name, kept / name);
      }
    }
    for (const auto& entry : fs::directory_iterator(fs::path(scratch->path()) / "kept"))
      fs::copy_file(entry.path(), fs::path(scratch->path()) / entry.path().filename());
    fs::remove_all(fs::path(scratch->path()) / "kept");
    const Kernel nothing = planted<Planted::Nothing>(*planned.stages[1].kernel);
    planned.stages[1].kernel = &nothing;
    const auto saves_nothing = contender(planned, memory);
    saves_nothing->first_call();
    const CheckOutcome outcome = saves_nothing->check();
    EXPECT_FALSE(outcome.result.ok);
    EXPECT_THAT(outcome.reason, HasSubstr("wrong file 1-0-0.jpeg: No such file or directory"));
  }
}

TEST_F(SavedFilesTest, AFileOfAnotherImageIsWrong) {
  for (const char* options : {"", three_in_flight}) {
    Case planned = case_of(R"(, "format": "png")", options);
    const Kernel twice = planted<Planted::FirstImageTwice>(*planned.stages[1].kernel);
    planned.stages[1].kernel = &twice;
    GroupMemory memory = memory_for(planned);
    const auto saves = contender(planned, memory);
    saves->first_call();
    const CheckOutcome outcome = saves->check();
    EXPECT_FALSE(outcome.result.ok);
    EXPECT_THAT(outcome.reason, HasSubstr("wrong file 1-0-1.png: byte 0 is"));
  }
}

TEST_F(SavedFilesTest, AFolderThatVanishesEndsTheCaseWithItsReason) {
  for (const char* options : {"", three_in_flight}) {
    const Case planned = case_of("", options);
    GroupMemory memory = memory_for(planned);
    const auto saves = contender(planned, memory);
    saves->first_call();
    fs::remove_all(scratch->path());
    EXPECT_THAT([&] { saves->last_call(); },
                testing::ThrowsMessage<std::runtime_error>(
                    testing::MatchesRegex("cannot save 1-.-..jpeg: No such file or directory")));
    fs::create_directories(scratch->path());
  }
}

TEST_F(SavedFilesTest, WithoutAFolderNothingIsSaved) {
  backends.at(Place::Cpu)->scratch = "";
  const Case planned = case_of("", "");
  GroupMemory memory = memory_for(planned);
  EXPECT_THAT([&] { contender(planned, memory)->first_call(); },
              testing::ThrowsMessage<std::runtime_error>(
                  "there is no folder to save files in: only a run has one"));
}

}  // namespace
}  // namespace normbench::saved_files_test
