#include "report/comparison.h"

#include <gmock/gmock.h>

#include <sstream>

#include "compared.h"
#include "core/issue.h"
#include "core/text.h"
#include "golden.h"

namespace normbench::comparison_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<double> ten(double from, double to) {
  std::vector<double> ratios;
  for (int i = 0; i < 10; ++i) ratios.push_back(from + (to - from) * i / 9);
  return ratios;
}

/// Returns a comparison with every verdict, with findings and cautions, and with cases that exist
/// on one side only.
Comparison everything() {
  examples::Pairs pairs = examples::timed_pairs({{"same", ten(0.995, 1.005)},
                                                 {"improved | by *much*", ten(0.48, 0.52)},
                                                 {"inconclusive", ten(0.95, 1.2)},
                                                 {"regressed", ten(1.09, 1.11)},
                                                 {"failed <now>", ten(1, 1)},
                                                 {"skipped", ten(1, 1)},
                                                 {"skipped before too", ten(1, 1)},
                                                 {"gone", ten(1, 1)}});
  for (Results& results : pairs.now) {
    auto& cases = results.groups[0].cases;
    cases[1].stages[0].link_bytes = 14'700'000;
    cases[1].stages[0].kernel = "lut";
    cases[4].status = Status::Failed;
    cases[4].reason = "element 7 is off by 0.5";
    cases[5].status = cases[6].status = Status::Skipped;
    cases[5].reason = cases[6].reason = "no CUDA device";
    cases[6].rounds.clear();
    cases[7].variant = "came";
    results.environment["kernel"] = "Linux 7.0";
  }
  for (Results& results : pairs.base) {
    results.groups[0].cases[6] = pairs.now[0].groups[0].cases[6];
    results.environment["kernel"] = "Linux 6.0";
  }
  return compare(pairs.base, pairs.now, {});
}

/// Returns a comparison of six runs per side. The regression of "a" is in doubt, because "a" is
/// much slower in only one pair of runs, and because "b" is noisy.
Comparison doubtful() {
  examples::Pairs pairs = examples::timed_pairs({{"a", {1.03, 1.03, 1.04, 1.03, 1.05, 2}},
                                                 {"b", {0.93, 1.12, 0.93, 1.12, 0.93, 1.12}},
                                                 {"c", {1, 1, 1, 1, 1, 1}},
                                                 {"d", {1, 1, 1, 1, 1, 1}}});
  for (Results& results : pairs.now) results.tool["compiler"] = "GNU 13";
  return compare(pairs.base, pairs.now, {});
}

/// Returns a comparison of runs on a machine that changes its speed. The limit "stream 1:4", a case
/// that measures the machine, shows these changes. Relative to the limit, the case "slower" is 5 %
/// slower in NEW (the later runs).
Comparison over_limits() {
  const std::vector<double> machine{1, 1.25, 0.8, 1.1, 0.9, 1.3};
  std::vector<double> slower;
  for (const double factor : machine) slower.push_back(1.05 * factor);
  examples::Pairs pairs =
      examples::timed_pairs({{"slower", slower}, {"same", machine}, {"stream 1:4", machine}});
  for (auto* side : {&pairs.base, &pairs.now})
    for (Results& results : *side) {
      GroupResult& group = results.groups[0];
      group.limits = {group.cases.back()};
      group.cases.pop_back();
    }
  return compare(pairs.base, pairs.now, {});
}

/// Returns a comparison of one run of BASE with one run of NEW.
Comparison of_rounds() {
  std::vector<std::int64_t> rounds;
  for (int i = 0; i < 20; ++i) rounds.push_back(1'000'000 + 1000 * (7 * i % 20));
  return compare({examples::timed_run({{"fused", rounds}})},
                 {examples::timed_run({{"fused", rounds}}, 1)}, {});
}

struct Kept {
  std::string file, format;
  Comparison (*comparison)();
  Screen screen = {};
};

class ComparisonGolden : public testing::TestWithParam<Kept> {};

TEST_P(ComparisonGolden, RendersAsKept) {
  const std::string actual =
      comparison_report_named(GetParam().format).render(GetParam().comparison(), GetParam().screen);
  EXPECT_EQ(actual, golden(GetParam().file, actual));
}

INSTANTIATE_TEST_SUITE_P(
    Comparison, ComparisonGolden,
    testing::Values(Kept{"compare.txt", "text", &everything},
                    Kept{"compare_60.txt", "text", &everything, {.width = 60}},
                    Kept{"compare_colour.txt", "text", &everything, {.width = 200, .colour = true}},
                    Kept{"compare.md", "markdown", &everything},
                    Kept{"compare.json", "json", &everything},
                    Kept{"compare.xml", "junit", &everything},
                    Kept{"compare_doubtful.txt", "text", &doubtful},
                    Kept{"compare_doubtful.xml", "junit", &doubtful},
                    Kept{"compare_limits.txt", "text", &over_limits},
                    Kept{"compare_limits.md", "markdown", &over_limits},
                    Kept{"compare_rounds.txt", "text", &of_rounds}),
    [](const auto& info) {
      std::string name = info.param.file;
      std::ranges::replace(name, '.', '_');
      return name;
    });

TEST(ComparisonText, FitsATerminalWhateverTheNames) {
  const std::string name = "a variant whose name is longer than any table has room for, and more";
  const Comparison comparison = [&] {
    const auto pairs = examples::timed_pairs({{name, ten(1.09, 1.11)}, {"b\x1b[31m\n", ten(1, 1)}});
    return compare(pairs.base, pairs.now, {});
  }();
  const std::string text = comparison_text(comparison);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100u) << line;
  EXPECT_THAT(text, HasSubstr("b\\u001b[31m\\n "));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ComparisonText, SaysWhatWasComparedByForce) {
  EXPECT_THAT(
      comparison_text(doubtful()),
      HasSubstr("Not comparable, compared by force: compiler: GNU 12 in BASE, GNU 13 in NEW"));
}

TEST(ComparisonReports, AnUnknownFormatListsTheKnown) {
  try {
    comparison_report_named("tex");
    FAIL();
  } catch (const Invalid& invalid) {
    EXPECT_STREQ(invalid.what(),
                 "unknown format \"tex\" (known: text, markdown, html, json, junit)");
  }
}

TEST(Xml, EscapesMarkupAndReplacesWhatXmlCannotHold) {
  EXPECT_EQ(xml_escaped("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
  EXPECT_EQ(xml_escaped("tab\tline\nreturn\r"), "tab&#9;line&#10;return&#13;");
  EXPECT_EQ(xml_escaped("größer → 𝄞"), "größer → 𝄞");
  EXPECT_EQ(xml_escaped(std::string("nul\0", 4)), "nul\\u0000");
  EXPECT_EQ(xml_escaped("esc\x1b"), "esc\\u001b");
  EXPECT_EQ(xml_escaped("a\u202eb\u009bc\u200ed\u200be"), "a\\u202eb\\u009bc\\u200ed\\u200be");
  EXPECT_EQ(xml_escaped("\xff cut \xe2\x82"), "\\xff cut \\xe2\\x82");
  EXPECT_EQ(xml_escaped("\xc0\xaf"), "\\xc0\\xaf");                    // overlong encoding of "/"
  EXPECT_EQ(xml_escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(xml_escaped("\xef\xbf\xbe"), "\uFFFD");                    // U+FFFE
  EXPECT_EQ(xml_escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
}

}  // namespace
}  // namespace normbench::comparison_test
