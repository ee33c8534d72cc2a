#include <fmt/format.h>

#include <algorithm>

#include "core/characters.h"
#include "report/comparison.h"
#include "report/comparison_words.h"
#include "report/words.h"

namespace normbench {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Returns true for a character that XML 1.0 allows.
bool allowed(char32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code <= 0xD7FF) ||
         (code >= 0xE000 && code <= 0xFFFD) || (code >= 0x10000 && code <= 0x10FFFF);
}

std::string_view reference(char32_t code) {
  constexpr std::pair<char32_t, std::string_view> references[] = {
      {U'&', "&amp;"}, {U'<', "&lt;"},   {U'>', "&gt;"},  {U'"', "&quot;"},
      {U'\t', "&#9;"}, {U'\n', "&#10;"}, {U'\r', "&#13;"}};
  for (const auto& [character, text] : references)
    if (character == code) return text;
  return "";
}

struct Test {
  std::string name, outcome, message, numbers;  // outcome: "failure", "skipped", or ""
  double seconds = 0;
};

using Suites = InOrder<std::vector<Test>>;  // tests by experiment

std::string outcome_of(const ComparedCase& one) {
  if (one.fails_gate()) return "failure";
  return one.certain ? "" : "skipped";
}

Test test_of(const ComparedCase& one) {
  std::string numbers = fmt::format("{}: {}\n", verdict_text(one), case_sentence(one));
  for (const CaseFinding& finding : one.findings) numbers += finding_text(finding) + "\n";
  return {.name = variant_text(one.name),
          .outcome = outcome_of(one),
          .message = fmt::format("{}: {}", verdict_text(one), case_sentence(one)),
          .numbers = numbers,
          .seconds = one.now_ns.value_or(0) / 1e9};
}

Suites suites_of(const Comparison& comparison) {
  Suites suites;
  for (const ComparedCase& one : comparison.cases)
    suites.under(one.name.experiment).push_back(test_of(one));
  const auto add_unmatched = [&](const std::vector<CaseName>& names, const char* where) {
    for (const CaseName& name : names)
      suites.under(name.experiment)
          .push_back(
              {.name = variant_text(name), .outcome = "skipped", .message = where, .numbers = ""});
  };
  add_unmatched(comparison.base_only, "only in BASE");
  add_unmatched(comparison.new_only, "only in NEW");
  return suites;
}

/// Returns seconds with three decimals, which the schemas of Maven Surefire and Jenkins' xUnit
/// plugin require.
std::string seconds_text(double seconds) { return fmt::format("{:.3f}", seconds); }

std::string test_xml(const Test& test, const std::string& classname) {
  std::string xml =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{}\">\n",
                  xml_escaped(classname), xml_escaped(test.name), seconds_text(test.seconds));
  if (test.outcome == "failure")
    xml += fmt::format("      <failure type=\"regression\" message=\"{0}\">{0}</failure>\n",
                       xml_escaped(test.message));
  if (test.outcome == "skipped")
    xml += fmt::format("      <skipped message=\"{}\"/>\n", xml_escaped(test.message));
  if (!test.numbers.empty())
    xml += fmt::format("      <system-out>{}</system-out>\n", xml_escaped(test.numbers));
  return xml + "    </testcase>\n";
}

/// Returns the counts of a suite as attributes. The number of skipped tests is not among them,
/// because the element `testsuites`, for which counts() is also called, has no attribute for it.
std::string counts(const std::vector<Test>& tests) {
  return fmt::format(R"(tests="{}" failures="{}" errors="0")", tests.size(),
                     std::ranges::count(tests, "failure", &Test::outcome));
}

std::string time_of(const std::vector<Test>& tests) {
  double seconds = 0;
  for (const Test& test : tests) seconds += test.seconds;
  return seconds_text(seconds);
}

/// Returns the summary, the setting and the cautions of the comparison as a <properties> element.
/// Every suite contains it.
std::string properties(const Comparison& comparison) {
  std::string xml = "    <properties>\n";
  const auto add = [&](const char* name, const std::string& value) {
    xml += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_escaped(value));
  };
  add("summary", comparison_summary(comparison));
  add("setting", comparison_setting(comparison));
  for (const std::string& caution : caution_lines(comparison)) add("caution", caution);
  return xml + "    </properties>\n";
}

}  // namespace

std::string comparison_junit(const Comparison& comparison) {
  std::string body;
  std::vector<Test> all;
  const std::string about = properties(comparison);
  for (const auto& [experiment, tests] : suites_of(comparison)) {
    body += fmt::format("  <testsuite name=\"{}\" {} skipped=\"{}\" time=\"{}\">\n",
                        xml_escaped(experiment), counts(tests),
                        std::ranges::count(tests, "skipped", &Test::outcome), time_of(tests));
    body += about;
    for (const Test& test : tests) body += test_xml(test, comparison.name + "." + experiment);
    body += "  </testsuite>\n";
    all.insert(all.end(), tests.begin(), tests.end());
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {} "
      "time=\"{}\">\n{}</testsuites>\n",
      xml_escaped("normbench compare " + comparison.name), counts(all), time_of(all), body);
}

std::string xml_escaped(std::string_view text) {
  std::string markup;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    const std::string_view piece = text.substr(0, bytes);
    const std::string_view by_name = code ? reference(*code) : "";
    if (!by_name.empty())
      markup += by_name;
    else if (!code || is_control(*code))
      markup += escaped(piece);
    else
      markup += allowed(*code) ? piece : kReplacement;
    text.remove_prefix(bytes);
  }
  return markup;
}

}  // namespace normbench
