#include "report/profile_report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "analysis/case_analysis.h"
#include "core/issue.h"
#include "example_results.h"

namespace normbench::profile_report_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

LimitShares shares_of(const Results& results, std::size_t index) {
  const GroupResult& group = results.groups[0];
  return limit_shares(group, analyse(group, results), group.cases[index].variant);
}

TEST(LimitShares, AreThoseOfTheStages) {
  const Results results = examples::blog();
  const auto analysis = analyse(results.groups[0], results);
  const LimitShares shares = shares_of(results, 1);
  ASSERT_TRUE(shares.contains("sub") && shares.contains("div"));
  EXPECT_EQ(shares.at("sub"), analysis.cases[1].stages[0].of_limit->value);
  EXPECT_EQ(shares.at("div"), analysis.cases[1].stages[1].of_limit->value);
}

TEST(LimitShares, AreNotTakenWhereTwoStagesShareALabel) {
  Results results = examples::blog();
  results.groups[0].cases[1].stages[1].label = "sub";
  EXPECT_TRUE(shares_of(results, 1).empty());
}

TEST(LimitShares, AreNothingForACaseThatIsNotThere) {
  const Results results = examples::gpu();
  const GroupResult& group = results.groups[0];
  EXPECT_TRUE(limit_shares(group, analyse(group, results), "none").empty());
}

TEST(ProfileReport, HasATitleForEveryProfile) {
  std::istringstream lines(
      profile_report(Analysed(examples::swept()), TableKind::Stats, TableFormat::Text));
  std::vector<std::string> titles;
  for (std::string line; std::getline(lines, line);)
    if (line.find("Profile of ") != std::string::npos) titles.push_back(line);
  ASSERT_EQ(titles.size(), 9u);
  EXPECT_EQ(titles[0], "example: Profile of eager, batch=1");
  EXPECT_EQ(titles[8], "example: Profile of \"fused, 2 threads [memory=pageable_huge]\", batch=64");
}

TEST(ProfileReport, OfSeveralDocumentsIsOneWithTheirNames) {
  const Analysed both[] = {Analysed(examples::gpu()), Analysed(examples::gpu())};
  const std::vector<std::string> names{"a.json", "b.json"};
  const auto report = [&](TableFormat format) {
    return profile_report(both, names, TableKind::Torch, format);
  };
  const std::string one = profile_report(both[0], TableKind::Torch, TableFormat::Csv);
  const std::string csv = report(TableFormat::Csv);
  EXPECT_THAT(csv, StartsWith("document,experiment,point,variant,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 2 * std::ranges::count(one, '\n') - 1);
  std::vector<Issue> issues;
  const Json json = parse_json(report(TableFormat::Json), issues);
  EXPECT_EQ(json.front().at("document"), "a.json");
  EXPECT_EQ(json.back().at("document"), "b.json");
  const std::string text = profile_report(both[0], TableKind::Torch, TableFormat::Text);
  EXPECT_EQ(report(TableFormat::Text), text + text);
}

TEST(ProfileReport, ShowsPeopleAsManyRowsAsTheConfigSays) {
  Results results = examples::gpu();
  results.config["profile"]["row_limit"] = 2;
  const Analysed document(results);
  for (const TableFormat format : {TableFormat::Text, TableFormat::Markdown})
    EXPECT_THAT(profile_report(document, TableKind::Torch, format), HasSubstr("more rows"));
}

TEST(ProfileReport, GivesScriptsAllRows) {
  Results results = examples::gpu();
  std::size_t rows = 0;
  for (const CaseProfile& profile : results.groups[0].profile) rows += profile.rows.size();
  results.config["profile"]["row_limit"] = 1;
  const std::string csv = profile_report(Analysed(results), TableKind::Torch, TableFormat::Csv);
  EXPECT_THAT(csv, StartsWith("experiment,point,variant,name,place,"));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), rows + 1);

  std::vector<Issue> issues;
  const Json json =
      parse_json(profile_report(Analysed(results), TableKind::Torch, TableFormat::Json), issues);
  ASSERT_EQ(json.size(), 3u);
  EXPECT_EQ(json[2]["variant"], "send u8, GPU fused");
  EXPECT_EQ(json[2]["rows"].size(), results.groups[0].profile[2].rows.size());
}

TEST(ProfileReport, PutsThePointInFront) {
  const std::string csv =
      profile_report(Analysed(examples::swept()), TableKind::Torch, TableFormat::Csv);
  EXPECT_THAT(csv, HasSubstr("\r\nexample,batch=8,fused,normalize,cpu,false,,10,"));
}

TEST(ProfileReport, OfNothing) {
  Results results = examples::tie();
  results.groups[0].profile.clear();
  const Analysed document(results);
  EXPECT_EQ(profile_report(document, TableKind::Torch, TableFormat::Text),
            "Nothing was profiled.\n");
  for (int i = 0; i < 2; ++i) {
    results.groups[0].cases[i].status = Status::Failed;
    results.groups[0].cases[i].reason = "peer bad ended with exit code 3";
  }
  EXPECT_EQ(profile_report(Analysed(results), TableKind::Torch, TableFormat::Text),
            "Nothing was profiled: 2 failed (peer bad ended with exit code 3).\n");
  EXPECT_EQ(profile_report(document, TableKind::Torch, TableFormat::Csv), "");
  EXPECT_EQ(profile_report(document, TableKind::Torch, TableFormat::Json), "[]\n");
}

}  // namespace
}  // namespace normbench::profile_report_test
