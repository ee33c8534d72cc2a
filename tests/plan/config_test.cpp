#include "plan/config.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "fake_backends.h"

namespace normbench::config_test {
namespace {

using fakes::config;
using fakes::mistakes;
using testing::ElementsAre;

const std::string one_variant = R"("variants": {"v": ["copy"]})";

TEST(Config, ReadsTheHead) {
  const Plan plan = fakes::plan(config(
      one_variant,
      R"("about": "why", "measure": {"precision": 0.02, "max_seconds_per_group": 3, "cache": "hot",
         "clock": "device", "seed": 4, "processes": 2, "turn_timeout_seconds": 9,
         "checked_calls": 11},
         "profile": {"skip_first": 1, "wait": 2, "warmup": 3, "active": 4, "repeat": 5,
         "skip_first_wait": 6, "sort_by": "count", "row_limit": -1, "group_by_input_shape": true}, "peers": {"torch": ["python3", "peer.py"]})"));
  EXPECT_EQ(plan.name + ": " + plan.about, "c: why");
  const Measure& m = plan.measure;
  EXPECT_EQ(
      fmt::format("{} {} {} {} {} {} {} {} {}", m.precision, m.max_seconds_per_group, name_of(m.cache),
                  name_of(m.clock), m.seed, m.processes, m.turn_timeout_seconds, m.checked_calls, m.quick),
      "0.02 3 hot device 4 2 9 11 false");
  const ProfileOptions& p = plan.profile;
  EXPECT_EQ(fmt::format("{} {} {} {} {} {} {} {} {} {}", p.skip_first, p.wait, p.warmup, p.active,
                        p.repeat, p.skip_first_wait, p.sort_by, p.row_limit, p.group_by_input_shape,
                        p.enabled),
            "1 2 3 4 5 6 count -1 true true");
}

TEST(Config, AProfileMayRepeatForever) {
  EXPECT_EQ(fakes::plan(config(one_variant, R"("profile": {"repeat": 0})")).profile.repeat, 0);
}

TEST(Config, MistakesInTheProfile) {
  PlanOptions options;
  options.sort_keys = {"count", "device_time", "cuda_time"};
  const auto found = [&](const std::string& profile) {
    return mistakes(config(one_variant, R"("profile": )" + profile), options);
  };
  EXPECT_THAT(
      found(R"({"skip_first": -1, "wait": -1, "warmup": -1, "active": 0, "repeat": -1,
                "skip_first_wait": -1, "sort_by": "calls", "row_limit": -2,
                "group_by_input_shape": 1, "group_by_input_shapes": true})"),
      ElementsAre("/profile/skip_first: must be at least 0, got -1",
                  "/profile/wait: must be at least 0, got -1",
                  "/profile/warmup: must be at least 0, got -1",
                  "/profile/active: must be at least 1, got 0",
                  "/profile/repeat: must be at least 0, got -1",
                  "/profile/skip_first_wait: must be at least 0, got -1",
                  "/profile/sort_by: unknown value \"calls\" (known: count, device_time, "
                  "cuda_time)",
                  "/profile/row_limit: must be at least -1, got -2",
                  "/profile/group_by_input_shape: expected true or false, got 1",
                  "/profile/group_by_input_shapes: unknown key \"group_by_input_shapes\" (did you "
                  "mean \"group_by_input_shape\"?)"));
  EXPECT_THAT(found(R"({"sort_by": "cuda_time"})"), ElementsAre());
}

TEST(Config, QuickBoundsARun) {
  PlanOptions options;
  options.quick = true;
  options.profile = false;
  const Plan plan = fakes::plan(config(one_variant), options);
  EXPECT_EQ(
      fmt::format("{} {} {} {} {}", plan.measure.precision, plan.measure.max_seconds_per_group,
                  plan.measure.quick, plan.profile.active, plan.profile.enabled),
      "0.05 1.5 true 3 false");
}

TEST(Config, MistakesInTheHead) {
  EXPECT_THAT(mistakes("{}"), ElementsAre(": no \"schema\" (write \"schema\": 1)",
                                          ": no \"name\" (it names the folder of results)",
                                          ": no \"experiments\" (a list of at least one)"));
  EXPECT_THAT(mistakes("[]"), ElementsAre(": expected an object, got a list"));
  EXPECT_THAT(
      mistakes(R"({"schema": 2, "name": "a/b", "about": 1, "experiment": [],
        "measure": {"precision": 0.7, "cache": "warm"}, "profile": {"activ": 1},
        "defaults": {"normalise": {}, "cast": 3, "sub": {"meen": 1, "constants": "cached"},
                     "source": {"batch": -1, "size": "$s"}},
        "peers": {"p": "python3"}, "experiments": [{"name": "e", "variants": {"v": ["copy"]}}]})"),
      ElementsAre(
          "/schema: this version reads schema 1 only, not 2",
          "/name: names a folder, so it has letters, digits, \".\", \"_\" and \"-\" only (at most "
          "100, no \".\" in front)",
          "/about: expected a string, got 1", "/measure/precision: must be at most 0.5, got 0.7",
          "/measure/cache: unknown value \"warm\" (known: cold, hot)",
          "/profile/activ: unknown key \"activ\" (did you mean \"active\"?)",
          "/defaults/normalise: unknown op \"normalise\" (did you mean \"normalize\"?)",
          "/defaults/cast: expected an object of parameters, got 3",
          "/defaults/sub/meen: unknown key \"meen\" (did you mean \"mean\"?)",
          "/defaults/source/batch: must be at least 1, got -1",
          "/peers/p: expected a command: a list of strings, program first",
          "/experiment: unknown key \"experiment\" (did you mean \"experiments\"?)",
          "/defaults/source/size: no axis is named \"s\" (none is known here: add it to \"sweep\" "
          "or "
          "\"vary\"; a literal dollar is \"$$\")"));
}

TEST(Config, DefaultsOfUnusedOpsNeedNotBeWhole) {
  EXPECT_THAT(
      mistakes(config(one_variant, R"("defaults": {"normalize": {"constants": "cached"}})")),
      ElementsAre());
}

TEST(Config, TextThatIsNoConfig) {
  EXPECT_THAT(mistakes(""), testing::SizeIs(1));
  EXPECT_THAT(mistakes("{\n  \"a\": }"), ElementsAre(testing::StartsWith(": line 2, column 8: ")));
  EXPECT_THAT(mistakes(std::string(100'000, '[')),
              ElementsAre(testing::HasSubstr("nested deeper than 64 levels")));
  EXPECT_THAT(mistakes(config(R"("variants": {"v": ["copy"], "v": ["copy"]})")),
              ElementsAre("/experiments/0/variants/v: duplicate key (the first one counts; remove "
                          "one)"));
}

TEST(Config, ControlCharactersAreNoText) {
  EXPECT_THAT(mistakes(config(R"("question": "a\u001b[31mred?", "variants": {"v\n": ["copy"]})",
                              R"("peers": {"p": ["python3", "-c", "import sys\nimport os"]})")),
              ElementsAre("/experiments/0/question: holds a control character (a line break, an "
                          "escape, …)",
                          "/experiments/0/variants: has a name with a control character"));
}

TEST(Config, NamesThatNobodySees) {
  EXPECT_THAT(mistakes(config(R"("variants": {"": ["copy"], " ": ["copy"], " a": ["copy"],
                                 "b ": ["copy"], "a b": ["copy"]})")),
              testing::UnorderedElementsAre(
                  "/experiments/0/variants: the name \"\" is empty (tables and sentences name it)",
                  "/experiments/0/variants: the name \" \" is empty (tables and sentences name it)",
                  "/experiments/0/variants: the name \" a\" begins or ends with a blank",
                  "/experiments/0/variants: the name \"b \" begins or ends with a blank"));
  EXPECT_THAT(
      mistakes(
          R"({"schema": 1, "name": "c", "experiments": [{"name": " ", "variants": {"v": ["copy"]}}]})"),
      ElementsAre("/experiments/0/name: is empty (tables and sentences name it)"));
}

TEST(Config, FilesThatCannotBeRead) {
  const auto mistake = [](const std::string& file) -> std::string {
    try {
      make_plan(file, fakes::without_gpu(), {});
    } catch (const BadInput& bad) {
      return bad.issues.at(0).text;
    }
    return "none";
  };
  const std::string folder = testing::TempDir();
  const std::string file = folder + "/config_test.json";
  std::ofstream(file) << config(one_variant);
  EXPECT_EQ(mistake(file), "none");
  std::ofstream(file, std::ios::trunc).close();
  EXPECT_EQ(mistake(file), "is empty (expected JSON)");
  EXPECT_EQ(mistake(folder), "is a directory (give a file)");
  EXPECT_EQ(mistake(folder + "/none.json"), "no such file (check the path)");
  std::filesystem::resize_file(file, 50'000'000);
  EXPECT_EQ(mistake(file), "is larger than 16.0 MB");
  std::filesystem::remove(file);
}

PlanOptions set(std::vector<std::pair<std::string, std::string>> values) {
  PlanOptions options;
  options.set = std::move(values);
  return options;
}

TEST(Set, ChangesWhatIsThere) {
  const Plan plan = fakes::plan(config(one_variant, R"("about": "a")"),
                                set({{"precision", "0.03"},
                                     {"cache", "hot"},
                                     {"/about", "plain text"},
                                     {"/experiments/0/source", R"({"batch": 3})"},
                                     {"/experiments/0/source/channels", "1"}}));
  EXPECT_EQ(plan.measure.precision, 0.03);
  EXPECT_EQ(plan.measure.cache, Cache::Hot);
  EXPECT_EQ(plan.about, "plain text");
  EXPECT_EQ(describe(plan.groups.at(0).cases.at(0).values.at(0).desc),
            "3x1x720x1280 uint8 nchw pageable");
  EXPECT_EQ(plan.config.at("measure").dump(), R"({"precision":0.03,"cache":"hot"})");
}

TEST(Set, Mistakes) {
  EXPECT_THAT(
      mistakes(config(one_variant), set({{"precison", "1"},
                                         {"zzzzzzzz", "1"},
                                         {"/experiments/4/name", "x"},
                                         {"/a~", "1"},
                                         {"/experiments/x", "1"},
                                         {"seed", "\xff"},
                                         {"seed", R"({"a":1,"a":2})"},
                                         {"precision", "much"}})),
      ElementsAre(
          ": --set precison=1: unknown name \"precison\" (did you mean \"precision\"?), threads, "
          "OP.FIELD=value or /json/pointer=value",
          ": --set zzzzzzzz=1: unknown name \"zzzzzzzz\" (known: precision, max_seconds_per_group, "
          "cache, clock, seed, processes, turn_timeout_seconds, checked_calls), threads, "
          "OP.FIELD=value or "
          "/json/pointer=value",
          ": --set /experiments/4/name=x: the config has no such member",
          ": --set /a~=1: is no JSON pointer (write /experiments/0/source/batch, for example)",
          ": --set /experiments/x=1: the config has no such member",
          ": --set seed=\xff: the value is not UTF-8",
          ": --set seed={\"a\":1,\"a\":2}: the value has a key twice",
          ": --set precision=much: expected a number, got \"much\""));
}

}  // namespace
}  // namespace normbench::config_test
