#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "core/units.h"
#include "report/comparison.h"
#include "report/comparison_words.h"
#include "report/words.h"

namespace normbench {
namespace {

/// A verdict, with a colour if it matters.
std::string verdict_cell(const ComparedCase& one, const Screen& screen) {
  const std::string text = verdict_text(one);
  switch (one.change) {
    case Change::Failed:
    case Change::Regressed:
      return painted(text, Ink::Bad, screen);
    case Change::Improved:
      return painted(text, Ink::Good, screen);
    case Change::Inconclusive:
      return painted(text, Ink::Doubt, screen);
    case Change::Same:
    case Change::NotCompared:
      break;
  }
  return text;
}

std::string cases_table(const Comparison& comparison, const Screen& screen) {
  static constexpr auto spare =
      std::to_array<std::size_t>({2, 3, 6, 5});  // BASE ms, NEW ms, could see, 95 %
  Rows rows({"case", "point", "BASE ms", "NEW ms", "change", "95 %", "could see", "verdict"});
  // The experiment's name is left out where all cases have the same.
  const bool only_variant = std::ranges::all_of(comparison.cases, [&](const ComparedCase& one) {
    return one.name.experiment == comparison.cases[0].name.experiment;
  });
  for (const ComparedCase& one : comparison.cases) {
    if (one.change == Change::NotCompared) continue;
    const CaseName name{.experiment = one.name.experiment, .variant = one.name.variant};
    rows.add({only_variant ? variant_text(name) : case_text(name),
              on_one_line(axes_values(one.name.point)), one.base_ns ? format_ms(*one.base_ns) : "",
              one.now_ns ? format_ms(*one.now_ns) : "", change_text(one), interval_text(one),
              one.visible ? format_percent(*one.visible) : "", verdict_cell(one, screen)});
  }
  return rows.text({0, 7}, screen.width, spare);
}

/// True for a case whose verdict needs words, with its full name, which the table may have cut.
bool needs_words(const ComparedCase& one) {
  return one.change == Change::Failed || one.change == Change::Regressed ||
         (one.change == Change::Inconclusive && one.why != NoVerdict::None);
}

/// The cases that were not compared, a line per reason.
std::string not_compared(const Comparison& comparison, std::size_t width) {
  std::vector<std::pair<std::string, std::string>> lines;  // reason, names
  for (const ComparedCase& one : comparison.cases) {
    if (one.change != Change::NotCompared) continue;
    std::string& names = under(lines, why_text(one));
    names += (names.empty() ? "" : " · ") + case_text(one.name);
  }
  std::string text;
  for (const auto& [why, names] : lines)
    text += wrapped(on_one_line(why.empty() ? names : why + ": " + names), 2, width);
  return text;
}

void add_section(const std::string& title, const std::string& lines, std::string& text) {
  if (!lines.empty()) text += "\n" + title + "\n" + lines;
}

std::string sentences(const Comparison& comparison, std::size_t width) {
  std::string lines;
  for (const ComparedCase& one : comparison.cases)
    if (needs_words(one))
      lines += wrapped(
          fmt::format("{} {}: {}", verdict_text(one), case_text(one.name), case_sentence(one)), 2,
          width);
  return lines;
}

std::string finding_lines(const Comparison& comparison, std::size_t width) {
  std::string lines;
  for (const ComparedCase& one : comparison.cases)
    for (const CaseFinding& finding : one.findings)
      lines += wrapped(case_text(one.name) + ": " + on_one_line(finding_text(finding)), 2, width);
  return lines;
}

std::string name_lines(const std::vector<CaseName>& cases, std::size_t width) {
  std::string lines;
  for (const CaseName& name : cases) lines += wrapped(case_text(name), 2, width);
  return lines;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const Screen& screen) {
  const std::size_t width = prose_width(screen);
  const std::string summary = wrapped(comparison_summary(comparison), 0, width);
  std::string text = painted(summary, Ink::Answer, screen);
  text += wrapped(comparison_setting(comparison), 0, width);
  for (const std::string& caution : caution_lines(comparison))
    text += painted(wrapped(caution, 0, width), Ink::Doubt, screen);
  if (const std::string table = cases_table(comparison, screen); !table.empty())
    text += "\n" + table;
  add_section("In words", sentences(comparison, width), text);
  add_section("Not compared", not_compared(comparison, width), text);
  add_section("What else changed", finding_lines(comparison, width), text);
  add_section("Only in BASE", name_lines(comparison.base_only, width), text);
  add_section("Only in NEW", name_lines(comparison.new_only, width), text);
  return text;
}

}  // namespace normbench
