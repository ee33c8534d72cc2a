#include <fmt/format.h>

#include "core/units.h"
#include "report/comparison.h"
#include "report/comparison_words.h"

namespace normbench {
namespace {

std::string row(const ComparedCase& one) {
  const std::string verdict = verdict_text(one);
  const bool bad = one.change == Change::Failed || one.change == Change::Regressed;
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n",
                     bad ? "**" + verdict + "**" : verdict, escaped_markdown(case_text(one.name)),
                     one.base_ns ? format_ms(*one.base_ns) : "",
                     one.now_ns ? format_ms(*one.now_ns) : "", change_text(one),
                     one.visible ? interval_text(one) : escaped_markdown(why_text(one)),
                     one.visible ? format_percent(*one.visible) : "");
}

/// The place of a case: in sight, or folded away.
enum class Shelf { InSight, Same, NeverMeasured };

Shelf shelf_of(const ComparedCase& one) {
  if (one.change == Change::Same) return Shelf::Same;
  return one.change == Change::NotCompared && !one.base_ns ? Shelf::NeverMeasured : Shelf::InSight;
}

/// The cases of one shelf as a table; "" without any.
std::string cases_table(const Comparison& comparison, Shelf shelf) {
  std::string rows;
  for (const ComparedCase& one : comparison.cases)
    if (shelf_of(one) == shelf) rows += row(one);
  if (rows.empty()) return "";
  return "| verdict | case | BASE ms | NEW ms | change | 95 % interval | could have seen |\n"
         "|:--|:--|--:|--:|--:|:--|--:|\n" +
         rows;
}

std::string folded(const std::string& title, const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", title, body);
}

std::string finding_items(const Comparison& comparison) {
  std::string lines;
  for (const ComparedCase& one : comparison.cases)
    for (const CaseFinding& finding : one.findings)
      lines += fmt::format("- {}: {}\n", escaped_markdown(case_text(one.name)),
                           escaped_markdown(finding_text(finding)));
  return lines;
}

std::string name_items(const std::vector<CaseName>& cases) {
  std::string lines;
  for (const CaseName& name : cases)
    lines += fmt::format("- {}\n", escaped_markdown(case_text(name)));
  return lines;
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison) {
  std::string text = fmt::format("### normbench: {}\n\n{}\n", comparison_summary(comparison),
                                 escaped_markdown(comparison_setting(comparison)));
  const auto texts = caution_lines(comparison);
  if (!texts.empty()) text += "\n";
  for (const std::string& caution : texts)
    text += fmt::format("> {}  \n", escaped_markdown(caution));
  if (const std::string table = cases_table(comparison, Shelf::InSight); !table.empty())
    text += "\n" + table;
  if (const std::string lines = finding_items(comparison); !lines.empty())
    text += "\nWhat else changed:\n\n" + lines;
  text += folded(fmt::format("{} {}", count(comparison, Change::Same),
                             comparison.run_pairs ? "same" : "look the same"),
                 cases_table(comparison, Shelf::Same));
  text += folded("not measured in BASE", cases_table(comparison, Shelf::NeverMeasured));
  text += folded(fmt::format("{} only in BASE", comparison.base_only.size()),
                 name_items(comparison.base_only));
  text += folded(fmt::format("{} only in NEW", comparison.new_only.size()),
                 name_items(comparison.new_only));
  return text;
}

}  // namespace normbench
