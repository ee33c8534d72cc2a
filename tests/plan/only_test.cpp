#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::only_test {
namespace {

using testing::ElementsAre;

const std::string two = R"({"schema": 1, "name": "c", "experiments": [
  {"name": "place", "sweep": {"n": [1, 2]}, "source": {"batch": "$n"}, "baseline": "base",
   "variants": {"fast": ["copy"], "base": ["copy"], "slow": ["copy"]},
   "published": [{"variant": "fast", "wall_ms": 1}, {"variant": "slow", "wall_ms": 1}],
   "claims": [{"text": "t", "expects": ["fast", "<", "base"]},
              {"text": "u", "expects": ["fast", "<", "slow"]}]},
  {"name": "memory", "vary": {"m": ["pageable", "pageable_huge"]}, "source": {"memory": "$m"},
   "variants": {"fast": ["copy"]}}]})";

PlanOptions only(std::vector<std::string> globs) {
  PlanOptions options;
  options.only = std::move(globs);
  return options;
}

std::vector<std::string> kept(std::vector<std::string> globs) {
  std::vector<std::string> lines;
  for (const Group& group : fakes::plan(two, only(std::move(globs))).groups) {
    std::string line = group.experiment + group.point.dump() + ":";
    for (const Case& one : group.cases) line += " " + one.variant;
    lines.push_back(line + fmt::format(" {} {} {}", group.published.size(), group.claims.size(),
                                       group.limits.size()));
  }
  return lines;
}

TEST(Only, KeepsWhatMatchesAndTheBaseline) {
  EXPECT_THAT(kept({"place"}), ElementsAre("place{\"n\":1}: fast base slow 2 2 2",
                                           "place{\"n\":2}: fast base slow 2 2 2"));
  EXPECT_THAT(kept({"place/f*"}),
              ElementsAre("place{\"n\":1}: fast base 1 1 2", "place{\"n\":2}: fast base 1 1 2"));
  EXPECT_THAT(kept({"slow", "fast [m=pageable]"}),
              ElementsAre("place{\"n\":1}: base slow 1 0 2", "place{\"n\":2}: base slow 1 0 2",
                          "memory{}: fast [m=pageable] 0 0 2"));
  EXPECT_THAT(kept({"memory/fast"}),
              ElementsAre("memory{}: fast [m=pageable] fast [m=pageable_huge] 0 0 4"));
}

TEST(Only, AGlobWithoutAMatchIsAMistake) {
  EXPECT_THAT(fakes::mistakes(two, only({"plaice", "fast"})),
              ElementsAre(": --only plaice: nothing matches (there are place: fast, base, slow; "
                          "memory: fast)"));
}

TEST(Only, NamesThatAreSuggestedCanBePastedIntoAShell) {
  EXPECT_THAT(
      fakes::mistakes(fakes::config(R"("variants": {"eager, reused": ["copy"], "a": ["copy"]})"),
                      only({"eager reused"})),
      ElementsAre(": --only 'eager reused': nothing matches (there are e: 'eager, reused', a)"));
}

}  // namespace
}  // namespace normbench::only_test
