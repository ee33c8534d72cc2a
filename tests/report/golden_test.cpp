#include "golden.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "analysis/analysis.h"
#include "core/text.h"
#include "example_results.h"
#include "report/experiment_lines.h"
#include "report/findings_markdown.h"
#include "report/profile_report.h"
#include "report/report.h"
#include "report/reproduction_text.h"
#include "source_dir.h"

namespace normbench::golden_test {
namespace {

struct Golden {
  std::string file;  // name in tests/golden
  std::string (*render)(const Analysed&);
  Results (*results)();
};

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) list.push_back(line);
  return list;
}

/// Returns what a run shows on a terminal with `width` columns.
template <std::size_t width = 100, bool colour = false>
std::string on(const Analysed& document) {
  return terminal(document, Screen{.width = width, .colour = colour});
}

class GoldenTest : public testing::TestWithParam<Golden> {};
class TerminalTest : public GoldenTest {};

TEST_P(GoldenTest, RendersAsKept) {
  const std::string actual = GetParam().render(Analysed(GetParam().results()));
  EXPECT_EQ(actual, golden(GetParam().file, actual));
}

TEST_P(GoldenTest, ADocumentReadBackRendersTheSame) {
  const Analysed written(GetParam().results());
  std::vector<Issue> issues;
  const Analysed read(
      read_results(parse_json(report_named("json").render(written, Screen{}), issues)));
  EXPECT_THAT(issues, testing::IsEmpty());
  EXPECT_EQ(GetParam().render(read), GetParam().render(written));
  EXPECT_EQ(document(read).dump(), document(written).dump());
}

TEST_P(TerminalTest, Fits) {
  const Analysed document(GetParam().results());
  for (const TableKind kind : {TableKind::Torch, TableKind::Stats}) {
    const auto all = lines(terminal(document, kind));
    EXPECT_LE(all.size(), 39u);  // the program adds a line, "Wrote ..."
    for (const std::string& line : all) {
      EXPECT_LE(display_width(line), 100u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

/// Returns true if the line has at most one word, so that it cannot be wrapped.
bool is_one_word(const std::string& line) {
  const auto first = line.find_first_not_of(' ');
  return first == line.npos || line.find(' ', first) == line.npos;
}

TEST_P(TerminalTest, FitsNarrowAndWideScreens) {
  const Analysed document(GetParam().results());
  for (const std::size_t width : {40, 60, 80, 100, 200})
    for (const bool colour : {false, true}) {
      const std::string text = terminal(document, Screen{.width = width, .colour = colour});
      for (const std::string& line : lines(text)) {
        EXPECT_TRUE(display_width(line) <= width || is_one_word(line)) << width << ": " << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
      }
      EXPECT_EQ(text.find('\033') != text.npos, colour);
    }
}

TEST(Terminal, LanesMayBeCalledLikeColumns) {
  Results results = examples::pipelines();
  for (CaseResult& result : results.groups[0].cases) {
    result.pipeline->lanes[0].name = "variant";
    result.pipeline->lanes[1].name = "±";
    result.pipeline->lanes[2].name = "p99";
  }
  const Analysed document(results);
  for (const std::size_t width : {60, 70, 80, 90, 100}) {
    const std::string text = terminal(document, Screen{.width = width});
    EXPECT_THAT(text, testing::HasSubstr("\n  in turn  (baseline)")) << width;
    EXPECT_THAT(text, testing::HasSubstr("0.3 %")) << width;
    EXPECT_EQ(text.find("item's latency") == text.npos, width < 90) << width;
  }
}

TEST_P(TerminalTest, ColoursChangeNothingElse) {
  const Analysed document(GetParam().results());
  std::string coloured = terminal(document, Screen{.colour = true});
  EXPECT_NE(coloured.find('\033'), coloured.npos);
  for (std::size_t at = 0; (at = coloured.find('\033', at)) != coloured.npos;)
    coloured.erase(at, coloured.find('m', at) + 1 - at);
  EXPECT_EQ(coloured, terminal(document));
}

std::string terminal_with_stats(const Analysed& document) {
  return terminal(document, TableKind::Stats);
}

/// Passes to `render` how the document reproduces each published experiment whose id begins with
/// "A" or is "C5". Returns the text that `render` makes of it.
template <class Render>
std::string rendered(const Analysed& document, Render render) {
  std::vector<Reproduction> all;
  for (const PublishedExperiment& one :
       read_publications(publications_file(source_dir() + "/configs")))
    if (one.id.starts_with('A') || one.id == "C5") all.push_back({one, reproduced(document, one.id)});
  return render(all);
}

std::string reproductions(const Analysed& document) {
  return rendered(document, [](const std::vector<Reproduction>& all) {
    return reproduction_text(all) + "\n" + reproduction_markdown(all);
  });
}

std::string findings(const Analysed& document) {
  const KeptDocument kept[] = {{"results/a folder/published.json", Analysed(document.results())}};
  return rendered(kept[0].analysed, [&](const std::vector<Reproduction>& all) {
    return findings_markdown(all, kept, "normbench reproduce --from …");
  });
}

template <TableKind kind, TableFormat format>
std::string profiles(const Analysed& document) {
  return profile_report(document, kind, format);
}

std::string test_name(const testing::TestParamInfo<Golden>& info) {
  return info.param.file.substr(0, info.param.file.find('.'));
}

const auto terminals = testing::Values(
    Golden{"blog.txt", &on<>, &examples::blog},
    Golden{"blog_no_counters.txt", &on<>, &examples::blog_no_counters},
    Golden{"swept.txt", &on<>, &examples::swept},
    Golden{"swept_table.txt", &table, &examples::swept},
    Golden{"pipelines_table.txt", &table, &examples::pipelines},
    Golden{"skipped_gpu.txt", &on<>, &examples::skipped_gpu},
    Golden{"failed.txt", &on<>, &examples::failed}, Golden{"unfair.txt", &on<>, &examples::unfair},
    Golden{"own_code.txt", &on<>, &examples::own_code}, Golden{"tie.txt", &on<>, &examples::tie},
    Golden{"busy.txt", &on<>, &examples::busy},
    Golden{"inconclusive.txt", &on<>, &examples::inconclusive},
    Golden{"quick.txt", &on<>, &examples::quick},
    Golden{"interrupted.txt", &on<>, &examples::interrupted},
    Golden{"traced.txt", &on<>, &examples::traced},
    Golden{"decoding.txt", &on<>, &examples::decoding},
    Golden{"constants.txt", &on<>, &examples::constants},
    Golden{"constants_reused.txt", &on<>, &examples::constants_reused},
    Golden{"pinning.txt", &on<>, &examples::pinning}, Golden{"peers.txt", &on<>, &examples::peers},
    Golden{"why_slow.txt", &on<>, &examples::why_slow},
    Golden{"blog_stats.txt", &terminal_with_stats, &examples::blog},
    Golden{"gpu.txt", &on<>, &examples::gpu}, Golden{"pipelines.txt", &on<>, &examples::pipelines},
    Golden{"gpu_stats.txt", &terminal_with_stats, &examples::gpu},
    Golden{"gpu_device_clock.txt", &on<>, &examples::gpu_device_clock});

INSTANTIATE_TEST_SUITE_P(Terminal, GoldenTest, terminals, test_name);
INSTANTIATE_TEST_SUITE_P(Terminal, TerminalTest, terminals, test_name);
INSTANTIATE_TEST_SUITE_P(
    Screens, GoldenTest,
    testing::Values(Golden{"blog_60.txt", &on<60>, &examples::blog},
                    Golden{"blog_80.txt", &on<80>, &examples::blog},
                    Golden{"blog_200.txt", &on<200>, &examples::blog},
                    Golden{"gpu_60.txt", &on<60>, &examples::gpu},
                    Golden{"swept_60.txt", &on<60>, &examples::swept},
                    Golden{"pipelines_60.txt", &on<60>, &examples::pipelines},
                    Golden{"pipelines_200.txt", &on<200>, &examples::pipelines},
                    Golden{"failed_colour.txt", &on<100, true>, &examples::failed}),
    test_name);
INSTANTIATE_TEST_SUITE_P(Table, GoldenTest,
                         testing::Values(Golden{"blog_table.txt", &table, &examples::blog},
                                         Golden{"skipped_gpu_table.txt", &table,
                                                &examples::skipped_gpu},
                                         Golden{"failed_table.txt", &table, &examples::failed},
                                         Golden{"peers_table.txt", &table, &examples::peers},
                                         Golden{"labelled_table.txt", &table, &examples::labelled},
                                         Golden{"gpu_table.txt", &table, &examples::gpu}),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Reproduction, GoldenTest,
                         testing::Values(Golden{"reproduction.txt", &reproductions,
                                                &examples::published},
                                         Golden{"findings.md", &findings, &examples::published}),
                         test_name);
INSTANTIATE_TEST_SUITE_P(
    Profiles, GoldenTest,
    testing::Values(
        Golden{"gpu_profiles.txt", &profiles<TableKind::Torch, TableFormat::Text>, &examples::gpu},
        Golden{"swept_profiles.md", &profiles<TableKind::Stats, TableFormat::Markdown>,
               &examples::swept},
        Golden{"gpu_profiles.csv", &profiles<TableKind::Stats, TableFormat::Csv>, &examples::gpu}),
    [](const testing::TestParamInfo<Golden>& info) {
      std::string name = info.param.file;
      std::ranges::replace(name, '.', '_');
      return name;
    });

TEST(Terminal, ARunThatCouldNotBeKeptWasNotInterrupted) {
  Results results = examples::interrupted();
  results.unkept = true;
  EXPECT_TRUE(terminal(Analysed(results))
                  .ends_with("\nEnded early, its journal could not be written: 1 of 3 groups is "
                             "missing: example at batch=64.\n"));
  EXPECT_THAT(table(Analysed(results)),
              testing::HasSubstr("interrupted no, ended early: its journal could "
                                 "not be written\n"));
}

/// Returns the report's sentence about the missing groups `missing`. The document has the first two
/// points of a sweep.
std::string told_of(std::optional<std::vector<MissingGroup>> missing) {
  Results results = examples::interrupted();
  results.config["measure"]["processes"] = 3;
  results.missing = std::move(missing);
  return missing_text(results);
}

/// Returns examples::busy() with a claim of the published experiment "A1" about two of its cases.
Results claimed_of_a_busy_case() {
  Results results = examples::busy();
  GroupResult& group = results.groups[0];
  group.published.clear();
  group.claims = {{.text = "one is faster",
                   .left = group.cases[0].variant,
                   .relation = Relation::Less,
                   .right = group.cases[1].variant,
                   .ids = {"A1"}}};
  return results;
}

TEST(Reproductions, CountAsRunIfTheyWereMeasuredButNotDecided) {
  Results results = claimed_of_a_busy_case();
  const std::string text = reproductions(Analysed(results));
  EXPECT_THAT(text, testing::HasSubstr("A1: other programs had the processors\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n  1 of 9 experiments ran here.\n"));
  results.groups[0].cases[1].status = Status::Skipped;
  EXPECT_THAT(reproductions(Analysed(results)),
              testing::HasSubstr("\n  0 of 9 experiments ran here.\n"));
}

TEST(Terminal, AnInterruptedRunTellsWhatIsMissing) {
  EXPECT_EQ(told_of({}),
            "groups that were not begun are missing, others may lack the rounds of some "
            "processes");
  Results whole = examples::interrupted();
  whole.missing.reset();
  EXPECT_EQ(missing_text(whole), "groups that were not finished are missing");
  EXPECT_EQ(told_of({{}}), "all groups were measured, but not all were profiled");
  EXPECT_EQ(told_of({{{"example", {{"batch", 1}}, 2}}}),
            "example at batch=1 has only the rounds of 2 of 3 processes");
  std::vector<MissingGroup> many(7, {"other"});
  many.push_back({"example", {{"batch", 1}}, 2});
  EXPECT_EQ(
      told_of(many),
      "7 of 9 groups are missing: other, other, other, other and 3 more; example at batch=1 has "
      "only the rounds of 2 of 3 processes");
}

TEST(Terminal, APointThatWasReachedAloneIsNamed) {
  Results results = examples::interrupted();
  results.groups.pop_back();
  const std::string text = terminal(Analysed(results), {.width = 200});
  EXPECT_THAT(text, testing::HasSubstr("Fastest: fused at batch=1; "));
  EXPECT_THAT(text, testing::HasSubstr("Claim \"threads pay\": contradicted at batch=1 ("));
}

TEST(Terminal, PointsThatWereNotReachedAreCounted) {
  Results results = examples::interrupted();
  results.groups[1] = results.groups[0];
  results.groups[1].point["batch"] = 2;
  EXPECT_THAT(terminal(Analysed(results), {.width = 200}),
              testing::HasSubstr("Fastest: fused at all 2 points that were reached, of 3; "));
}

TEST(Terminal, AnOutputThatWasNeverComparedIsNotCalledWrong) {
  Results results = examples::blog();
  CaseResult& late = results.groups[0].cases[0];
  late.status = Status::Failed;
  late.reason = "a turn took more than 60 s";
  late.rounds = {};
  late.check = {};
  EXPECT_THAT(terminal(Analysed(results)), testing::HasSubstr("5 of 5 outputs correct"));
  EXPECT_THAT(terminal(Analysed(results)), testing::HasSubstr(", 1 output not checked"));
  EXPECT_THAT(table(Analysed(results)), testing::HasSubstr("  not checked\n"));
  EXPECT_THAT(table(Analysed(results)), testing::Not(testing::HasSubstr("not correct")));
}

TEST(Terminal, ValuesThatCouldNotBeCheckedAreCounted) {
  Results results = examples::blog();
  results.groups[0].cases[1].check.unchecked_values = 12'000;
  EXPECT_THAT(terminal(Analysed(results)), testing::HasSubstr("12,000 values in them not checked"));
  EXPECT_THAT(table(Analysed(results)),
              testing::HasSubstr("  correct, 12,000 values not checked  "));
}

TEST(Terminal, OutputsHeldToNothingAreNotCalledCorrect) {
  Results results = examples::blog();
  for (CaseResult& result : results.groups[0].cases)
    result.check = {.ok = true, .held_to = HeldTo::Nothing};
  EXPECT_THAT(terminal(Analysed(results)), testing::HasSubstr("\n  6 outputs not checked"));
  results.groups[0].cases[1].check = {.ok = true,
                                      .max_abs_error = 1e-3,
                                      .bound = 0.1,
                                      .held_to = HeldTo::Variant,
                                      .variant = results.groups[0].cases[0].variant};
  EXPECT_THAT(
      terminal(Analysed(results)),
      testing::HasSubstr("\n  1 of 1 output correct (max error 1.0e-3), 5 outputs not checked"));
  EXPECT_THAT(table(Analysed(results)), testing::HasSubstr("  not checked\n"));
  EXPECT_THAT(table(Analysed(results)), testing::HasSubstr("  correct, compared with "));
}

TEST(Terminal, NoErrorIsShownWhereNoOutputIsCorrect) {
  Results results = examples::failed();
  for (GroupResult& group : results.groups)
    for (CaseResult& result : group.cases) result.status = Status::Failed;
  EXPECT_THAT(terminal(Analysed(results)), testing::HasSubstr("  0 of 3 outputs correct\n"));
}

}  // namespace
}  // namespace normbench::golden_test
