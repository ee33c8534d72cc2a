/// Tests HTML pages: charts against goldens, names with markup in them, and the size of pages.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <regex>

#include "example_results.h"
#include "golden.h"
#include "report/html/charts.h"
#include "report/html/page.h"
#include "report/html/report_html.h"
#include "report/html/scale.h"

namespace normbench::html_test {
namespace {

using html::Markup;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Returns the markup with one tag per line, so that differences are easy to see.
std::string lines_of(const Markup& markup) {
  return std::regex_replace(markup.source(), std::regex("><"), ">\n<") + "\n";
}

using GroupChart = Markup (*)(const GroupResult&, const GroupAnalysis&, const Results&);

Markup of_first(const Results& results, GroupChart chart) {
  return chart(results.groups[0], analyse(results.groups[0], results), results);
}

Markup sweeps(const Results& results) {
  const std::vector<Experiment> list = experiments(results);
  Markup all;
  for (const AxisLine& line : axis_lines(list[0])) all += html::sweep_chart(list[0], line);
  return all;
}

/// Returns the swept example with a second axis of two values.
Results on_two_axes() {
  Results results = examples::swept();
  const std::size_t count = results.groups.size();
  for (std::size_t g = 0; g < count; ++g) {
    GroupResult other = results.groups[g];
    results.groups[g].point["memory"] = "pageable";
    other.point["memory"] = "pinned";
    results.groups.push_back(std::move(other));
  }
  return results;
}

/// Returns the pipelines example with a profile of three items of one pipeline. Each item is loaded
/// while the previous item is saved.
Results in_flight() {
  Results results = examples::pipelines();
  const auto ms = [](double value) { return static_cast<std::int64_t>(value * 1e6); };
  std::vector<LaneWork> work;
  for (std::int64_t item = -1; item < 3; ++item) {
    const double start = 12.0 * static_cast<double>(item);
    work.push_back({item + 4, 0, 0, ms(start), ms(start + 12)});
    work.push_back({item + 4, 1, 1, ms(start + 12), ms(start + 12.5)});
    work.push_back({item + 4, 2, 2, ms(start + 12.5), ms(start + 18.5)});
  }
  std::erase_if(work, [](const LaneWork& one) { return one.end_ns <= 0; });
  for (LaneWork& one : work) one.start_ns = std::max<std::int64_t>(one.start_ns, 0);
  std::ranges::sort(work, {}, &LaneWork::start_ns);
  results.groups[0].profile = {
      {.variant = "three in flight", .steps = 3, .rows = {}, .lane_work = work}};
  return results;
}

struct Drawn {
  std::string file;
  Markup (*draw)();
};

class HtmlGoldenTest : public testing::TestWithParam<Drawn> {};

TEST_P(HtmlGoldenTest, IsDrawnAsKept) {
  const std::string actual = lines_of(GetParam().draw());
  EXPECT_EQ(actual, golden(GetParam().file, actual));
}

const Drawn drawings[] = {
    {"ratios.html", [] { return of_first(examples::blog(), &html::ratio_table); }},
    {"ratios_gpu.html", [] { return of_first(examples::gpu(), &html::ratio_table); }},
    {"bytes.html", [] { return of_first(examples::blog(), &html::bytes_chart); }},
    {"stages.html",
     [] {
       return of_first(examples::blog(), [](const auto& group, const auto& analysis, const auto&) {
         return html::stage_chart(group, analysis);
       });
     }},
    {"lanes.html",
     [] {
       return of_first(examples::pipelines(),
                       [](const auto& group, const auto& analysis, const auto&) {
                         return html::lane_chart(group, analysis);
                       });
     }},
    {"flow.html",
     [] {
       return of_first(in_flight(), [](const auto& group, const auto& analysis, const auto&) {
         return html::flow_chart(group, analysis);
       });
     }},
    {"published.html",
     [] {
       return of_first(
           examples::published(), [](const auto& group, const auto& analysis, const auto&) {
             return html::published_chart(group, analysis) + html::noise_ledger(group, analysis);
           });
     }},
    {"wrong_outputs.html", [] { return html::wrong_outputs(examples::failed().groups[0]); }},
    {"sweep.html", [] { return sweeps(examples::swept()); }},
    {"winners.html", [] {
       const Results results = on_two_axes();
       return html::winner_map(experiments(results)[0]);
     }}};

INSTANTIATE_TEST_SUITE_P(Html, HtmlGoldenTest, testing::ValuesIn(drawings),
                         [](const testing::TestParamInfo<Drawn>& info) {
                           return info.param.file.substr(0, info.param.file.find('.'));
                         });

TEST(Html, TextStaysText) {
  EXPECT_EQ(html::words("a<b & \"c\" 'd'").source(), "a&lt;b &amp; &quot;c&quot; 'd'");
  const html::Element link{"a", {{"href", "\"><script>"}}};
  EXPECT_EQ(link(html::words("</a>")).source(),
            "<a href=\"&quot;&gt;&lt;script&gt;\">&lt;/a&gt;</a>");
}

std::string with_names(const std::string& name) {
  Results results = examples::blog();
  GroupResult& group = results.groups[0];
  results.name = results.about = group.experiment = group.question = name;
  group.baseline = group.cases[0].variant = name;
  group.cases[0].stages[0].label = name;
  group.cases[0].notes = {name};
  results.environment["cpu"]["model"] = name;
  return html_report(Analysed(results));
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Html, NamesCannotBreakOut) {
  const std::string plain = with_names("plain");
  for (const std::string name :
       {"</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "]]>", "<!--",
        "' onload='x", "\xe2\x80\xae\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "\xff\xfe broken"}) {
    const std::string page = with_names(name);
    EXPECT_EQ(count(page, "<script"), 1u) << name;
    EXPECT_EQ(count(page, "<img"), 0u) << name;
    EXPECT_EQ(count(page, "<"), count(plain, "<")) << name;
  }
}

TEST(Html, APageAsksForNothing) {
  const std::string page = html_report(Analysed(examples::blog()));
  EXPECT_THAT(page, testing::StartsWith("<!DOCTYPE html>\n<html lang=\"en\">"));
  for (const char* what : {"http://", "https://", "src=", "@import", "//cdn"})
    EXPECT_THAT(page, Not(HasSubstr(what)));
  EXPECT_EQ(count(page, "url("), count(page, "url(#hatch)"));
}

TEST(Html, EveryKindOfDocumentIsAPage) {
  for (Results (*example)() :
       {&examples::blog_no_counters, &examples::skipped_gpu, &examples::failed, &examples::unfair,
        &examples::tie, &examples::busy, &examples::inconclusive, &examples::quick,
        &examples::interrupted, &examples::traced, &examples::decoding, &examples::labelled,
        &examples::gpu, &examples::gpu_device_clock, &examples::constants, &examples::pinning,
        &examples::peers, &examples::pipelines, &examples::published, &examples::swept}) {
    const Results results = example();
    const std::string page = html_report(Analysed(results));
    for (const GroupResult& group : results.groups)
      for (const CaseResult& result : group.cases)
        EXPECT_THAT(page, HasSubstr(html::words(result.variant).source()));
    const std::string body =
        page.substr(page.find("<body"), page.rfind("<script") - page.find("<body"));
    EXPECT_FALSE(std::regex_search(body, std::regex("\\b(inf|nan)\\b"))) << results.name;
  }
  EXPECT_THAT(html_report(Analysed(Results{})), testing::EndsWith("</html>\n"));
}

TEST(Html, TheVerdictComesFirst) {
  const std::string page = html_report(Analysed(examples::blog()));
  EXPECT_LT(page.find("Fastest: "), page.find("<table"));
}

TEST(Html, SeveralDocumentsAreOnOnePage) {
  const Analysed documents[] = {Analysed(examples::blog()), Analysed(examples::swept())};
  const std::string page = html_report(documents);
  EXPECT_EQ(count(page, "<h1>"), 1u);
  EXPECT_EQ(count(page, "id=\"e1\""), 1u);
  EXPECT_EQ(count(page, "id=\"e2\""), 1u);
}

TEST(Html, WhatIsTooLargeIsLeftOutAndSaid) {
  Results results = examples::swept();
  const std::size_t groups = results.groups.size();
  for (int copy = 0; copy < 200; ++copy)
    for (std::size_t g = 0; g < groups; ++g) {
      GroupResult group = results.groups[g];
      group.point["copy"] = copy;
      results.groups.push_back(std::move(group));
    }
  const std::string page = html_report(Analysed(results));
  EXPECT_LE(page.size(), 3'000'000u);
  EXPECT_THAT(page, HasSubstr("would make this page too large"));
}

TEST(Html, AxesHaveRoundLabels) {
  EXPECT_THAT(html::Scale::logarithmic(1, 1000).ticks(5), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(html::Scale::logarithmic(0.1, 40).ticks(9),
              ElementsAre(0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50));
  EXPECT_THAT(html::Scale::logarithmic(0.98, 1.02).ticks(5),
              testing::Each(testing::AllOf(testing::Gt(0.97), testing::Lt(1.03))));
  EXPECT_THAT(html::Scale::logarithmic(0.98, 1.02).ticks(5), Not(IsEmpty()));
  EXPECT_THAT(html::Scale::linear(7).ticks(4), ElementsAre(0, 2, 4, 6));
}

TEST(Html, AxesHaveEndsWhateverIsMeasured) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] :
       {std::pair(1.0, infinite), std::pair(0.0, 1.0), std::pair(-1.0, 0.0),
        std::pair(infinite, infinite), std::pair(std::nan(""), 3.0)}) {
    const html::Scale scale = html::Scale::logarithmic(low, high);
    EXPECT_THAT(scale.ticks(5), testing::SizeIs(testing::Le(5u))) << low << " " << high;
    EXPECT_LT(scale.low(), scale.high());
  }
}

TEST(Html, RoundsThatTookNoTimeAreNoMistake) {
  Results results = examples::swept();
  for (GroupResult& group : results.groups)
    for (Round& round : group.cases[0].rounds) round.wall_ns = 0;
  EXPECT_THAT(html_report(Analysed(results)), testing::EndsWith("</html>\n"));
}

TEST(Html, WhatIsOutsideOfAnAxisLiesAtItsEnd) {
  const html::Scale scale = html::Scale::logarithmic(1, 100);
  EXPECT_EQ(scale.at(0), 0);
  EXPECT_EQ(scale.at(-1), 0);
  EXPECT_EQ(scale.at(1e9), html::drawing_width);
  EXPECT_NEAR(scale.at(10), html::drawing_width / 2, 1e-9);
}

}  // namespace
}  // namespace normbench::html_test
