#include "plan/publications.h"

#include <gmock/gmock.h>

#include <string>

#include "core/issue.h"

namespace normbench::publications_test {
namespace {

using testing::ElementsAre;

/// Returns the mistakes in `text` as "pointer: text".
std::vector<std::string> mistakes(std::string_view text) {
  std::vector<std::string> found;
  try {
    read_publications("p.json", text);
  } catch (const BadInput& bad) {
    for (const Issue& issue : bad.issues) found.push_back(issue.pointer + ": " + issue.text);
  }
  return found;
}

TEST(ReadPublications, TakesTheExperimentsOfAllInOrder) {
  const auto all = read_publications("p.json", R"({"schema": 1, "publications": [
      {"name": "post", "origin": "a post", "says": "It casts.",
       "experiments": [{"id": "B1", "about": "cast"}, {"id": "B2", "about": "send", "missing": "no"}]},
      {"name": "talk", "origin": "a talk", "says": "It sends.",
       "experiments": [{"id": "A1", "about": "all"}]}]})");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].id, "B1");
  EXPECT_EQ(all[0].missing, "");
  EXPECT_EQ(all[1].about, "send");
  EXPECT_EQ(all[1].missing, "no");
  EXPECT_EQ(all[2].source, (Publication{"talk", "a talk", "It sends."}));
  EXPECT_THAT(publications_of(all), ElementsAre(all[0].source, all[2].source));
}

TEST(ReadPublications, SaysEveryMistakeAndWhereItIs) {
  EXPECT_THAT(mistakes("{"),
              ElementsAre(": line 1, column 2: the text ends in the middle of a value"));
  EXPECT_THAT(mistakes("[]"), testing::Contains(testing::HasSubstr("expected an object")));
  EXPECT_THAT(mistakes(R"({"schema": 2})"),
              ElementsAre("/schema: this version reads schema 1 only, not 2",
                          ": no \"publications\" (a list of publications)"));
  EXPECT_THAT(
      mistakes(R"({"schema": 1, "publications": [
          {"name": "post", "origin": "", "says": 3, "experiment": [],
           "experiments": [{"id": "A1", "about": "x"}, {"id": "A1", "abuot": "x"}, 7]},
          {"name": "A1", "origin": "a talk", "says": "It sends."}]})"),
      ElementsAre(
          "/publications/0/origin: is empty", "/publications/0/says: expected a string, got 3",
          "/publications/0/experiments/1/id: \"A1\" is there twice (expected another word)",
          "/publications/0/experiments/1: no \"about\" (what it measures)",
          "/publications/0/experiments/1/abuot: unknown key \"abuot\" (did you mean \"about\"?)",
          "/publications/0/experiments/2: expected an object, got 7",
          "/publications/0/experiment: unknown key \"experiment\" (did you mean \"experiments\"?)",
          "/publications/1/name: \"A1\" is there twice (expected another word)",
          "/publications/1: no \"experiments\" (a list of experiments)"));
}

TEST(ReadPublications, SaysThatThereIsNoFile) {
  try {
    read_publications("/nowhere/p.json");
    FAIL();
  } catch (const BadInput& bad) {
    EXPECT_STREQ(bad.what(), "/nowhere/p.json: no such file (check the path)");
  }
}

}  // namespace
}  // namespace normbench::publications_test
