#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/units.h"
#include "report/comparison.h"
#include "report/comparison_words.h"
#include "report/html/change_chart.h"
#include "report/html/page.h"
#include "report/markup_table.h"
#include "report/words.h"

namespace normbench {
namespace {

/// A column of a table of cases. `cell` makes the cell of a case.
struct CaseColumn {
  MarkupColumn column;
  std::function<MarkupCell(const ComparedCase&)> cell;
};

MarkupTable compared_table(const Comparison& comparison, const std::vector<CaseColumn>& columns,
                           const std::function<bool(const ComparedCase&)>& has) {
  MarkupTable table;
  for (const CaseColumn& one : columns) table.columns.push_back(one.column);
  for (const ComparedCase& one : comparison.cases) {
    if (!has(one)) continue;
    std::vector<MarkupCell>& row = table.rows.emplace_back();
    for (const CaseColumn& column : columns) row.push_back(column.cell(one));
  }
  return table;
}

std::string known_ms(const std::optional<double>& ns) { return ns ? format_ms(*ns) : ""; }

namespace of_case {

MarkupCell verdict(const ComparedCase& one) {
  switch (one.change) {
    case Change::Failed:
    case Change::Regressed:
      return {verdict_text(one), Ink::Bad};
    case Change::Improved:
      return {verdict_text(one), Ink::Good};
    case Change::Inconclusive:
      return {verdict_text(one), Ink::Doubt};
    case Change::Same:
    case Change::NotCompared:
      break;
  }
  return {verdict_text(one)};
}
MarkupCell full_name(const ComparedCase& one) {
  return {.text = case_text(one.name), .markup = html::name(case_text(one.name))};
}
MarkupCell base_ms(const ComparedCase& one) { return {known_ms(one.base_ns)}; }
MarkupCell now_ms(const ComparedCase& one) { return {known_ms(one.now_ns)}; }
MarkupCell change(const ComparedCase& one) { return {change_text(one)}; }
MarkupCell interval(const ComparedCase& one) { return {interval_text(one)}; }
MarkupCell interval_or_why(const ComparedCase& one) {
  return {one.visible ? interval_text(one) : why_text(one)};
}
MarkupCell could_see(const ComparedCase& one) {
  return {one.visible ? format_percent(*one.visible) : ""};
}
/// Returns the cell of the column "remarks": why the case has no verdict, and its findings
/// (differences between BASE and NEW in the bytes moved, the page faults, the kernels and the
/// like).
MarkupCell remarks(const ComparedCase& one) {
  std::vector<std::string> list{why_text(one)};
  for (const CaseFinding& found : one.findings) list.push_back(finding_text(found));
  std::erase(list, "");
  return {.text = "", .markup = html::paragraphs(list)};
}

}  // namespace of_case

/// Returns the table for a screen. The point of the sweep has a column of its own. Cases that were
/// not compared are left out.
std::string screen_table(const Comparison& comparison, const Screen& screen) {
  // The experiment's name is left out if all cases have the same one.
  const bool only_variant = std::ranges::all_of(comparison.cases, [&](const ComparedCase& one) {
    return one.name.experiment == comparison.cases[0].name.experiment;
  });
  const auto name = [&](const ComparedCase& one) -> MarkupCell {
    const CaseName all{.experiment = one.name.experiment, .variant = one.name.variant};
    return {only_variant ? variant_text(all) : case_text(all)};
  };
  const auto point = [](const ComparedCase& one) -> MarkupCell {
    return {axes_values(one.name.point)};
  };
  const MarkupTable table =
      compared_table(comparison,
                     {{{"case"}, name},
                      {{"point", Align::Right}, point},
                      {{"BASE ms", Align::Right, false, 1}, &of_case::base_ms},
                      {{"NEW ms", Align::Right, false, 2}, &of_case::now_ms},
                      {{"change", Align::Right}, &of_case::change},
                      {{"95 %", Align::Right, false, 4}, &of_case::interval},
                      {{"could see", Align::Right, false, 3}, &of_case::could_see},
                      {{"verdict"}, &of_case::verdict}},
                     [](const ComparedCase& one) { return one.change != Change::NotCompared; });
  return columns_text(table.text_columns(screen), 2, screen.width);
}

/// The three tables of the Markdown report: the visible one (InSight) and the two folded ones. Each
/// case is in one of them.
enum class Shelf { InSight, Same, NeverMeasured };

Shelf shelf_of(const ComparedCase& one) {
  if (one.change == Change::Same) return Shelf::Same;
  return one.change == Change::NotCompared && !one.base_ns ? Shelf::NeverMeasured : Shelf::InSight;
}

/// Returns the table of the cases on `shelf`, or "" if there are none.
std::string markdown_table(const Comparison& comparison, Shelf shelf) {
  const MarkupTable table =
      compared_table(comparison,
                     {{{"verdict"}, &of_case::verdict},
                      {{"case"}, &of_case::full_name},
                      {{"BASE ms", Align::Right}, &of_case::base_ms},
                      {{"NEW ms", Align::Right}, &of_case::now_ms},
                      {{"change", Align::Right, true}, &of_case::change},
                      {{"95 % interval"}, &of_case::interval_or_why},
                      {{"could have seen", Align::Right}, &of_case::could_see}},
                     [shelf](const ComparedCase& one) { return shelf_of(one) == shelf; });
  return table.rows.empty() ? "" : table.markdown();
}

html::Markup html_cases(const Comparison& comparison) {
  const html::ChangeChart chart(comparison);
  const auto bar = [&](const ComparedCase& one) -> MarkupCell {
    return {.text = "", .markup = chart.bar(one)};
  };
  const MarkupTable table =
      compared_table(comparison,
                     {{{"case"}, &of_case::full_name},
                      {{.title = "time of NEW over BASE", .axis = chart.axis()}, bar},
                      {{"verdict"}, &of_case::verdict},
                      {{"change", Align::Right}, &of_case::change},
                      {{"95 % interval", Align::Right}, &of_case::interval},
                      {{"BASE ms", Align::Right}, &of_case::base_ms},
                      {{"NEW ms", Align::Right}, &of_case::now_ms},
                      {{"remarks"}, &of_case::remarks}},
                     [](const ComparedCase&) { return true; });
  return html::block("ratios", table.html_table("All cases, the worst first"));
}

/// Returns true if the report has a sentence about the case, in addition to its row in the table.
bool needs_words(const ComparedCase& one) {
  return one.change == Change::Failed || one.change == Change::Regressed ||
         (one.change == Change::Inconclusive && one.why != NoVerdict::None);
}

/// Returns the names of the cases that were not compared, with one line for each reason.
std::string not_compared(const Comparison& comparison, std::size_t width) {
  InOrder<std::string> lines;  // names by reason
  for (const ComparedCase& one : comparison.cases) {
    if (one.change != Change::NotCompared) continue;
    std::string& names = lines.under(why_text(one));
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

/// A function that makes a line of the report from a text, like an item of a Markdown list.
using Item = std::function<std::string(const std::string&)>;

std::string finding_lines(const Comparison& comparison, const Item& item) {
  std::string lines;
  for (const ComparedCase& one : comparison.cases)
    for (const CaseFinding& finding : one.findings)
      lines += item(case_text(one.name) + ": " + on_one_line(finding_text(finding)));
  return lines;
}

std::string name_lines(const std::vector<CaseName>& cases, const Item& item) {
  std::string lines;
  for (const CaseName& name : cases) lines += item(case_text(name));
  return lines;
}

std::string folded(const std::string& title, const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", title, body);
}

html::Markup names_list(std::string_view heading, const std::vector<CaseName>& names) {
  if (names.empty()) return {};
  html::Markup items;
  for (const CaseName& one : names) items += html::Element{"li"}(html::name(case_text(one)));
  return html::Element{"h3"}(html::words(heading)) + html::Element{"ul"}(items);
}

std::string gate_text(Gate gate) {
  switch (gate) {
    case Gate::Passed:
      return "Nothing became slower.";
    case Gate::Regressed:
      return "Something became slower, or fails, beyond doubt.";
    case Gate::Undecided:
      return "Undecided: some cases may have become slower, or could not be "
             "compared.";
  }
  return "";
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const Screen& screen) {
  const std::size_t width = prose_width(screen);
  const Item item = [width](const std::string& line) { return wrapped(line, 2, width); };
  const std::string summary = wrapped(comparison_summary(comparison), 0, width);
  std::string text = painted(summary, Ink::Answer, screen);
  text += wrapped(comparison_setting(comparison), 0, width);
  for (const std::string& caution : caution_lines(comparison))
    text += painted(wrapped(caution, 0, width), Ink::Doubt, screen);
  if (const std::string table = screen_table(comparison, screen); !table.empty())
    text += "\n" + table;
  add_section("In words", sentences(comparison, width), text);
  add_section("Not compared", not_compared(comparison, width), text);
  add_section("What else changed", finding_lines(comparison, item), text);
  add_section("Only in BASE", name_lines(comparison.base_only, item), text);
  add_section("Only in NEW", name_lines(comparison.new_only, item), text);
  return text;
}

std::string comparison_markdown(const Comparison& comparison) {
  const Item item = [](const std::string& line) { return "- " + escaped_markdown(line) + "\n"; };
  std::string text = fmt::format("### normbench: {}\n\n{}\n", comparison_summary(comparison),
                                 escaped_markdown(comparison_setting(comparison)));
  const auto texts = caution_lines(comparison);
  if (!texts.empty()) text += "\n";
  for (const std::string& caution : texts)
    text += fmt::format("> {}  \n", escaped_markdown(caution));
  if (const std::string table = markdown_table(comparison, Shelf::InSight); !table.empty())
    text += "\n" + table;
  if (const std::string lines = finding_lines(comparison, item); !lines.empty())
    text += "\nWhat else changed:\n\n" + lines;
  text += folded(fmt::format("{} {}", count(comparison, Change::Same),
                             comparison.run_pairs ? "same" : "look the same"),
                 markdown_table(comparison, Shelf::Same));
  text += folded("not measured in BASE", markdown_table(comparison, Shelf::NeverMeasured));
  text += folded(fmt::format("{} only in BASE", comparison.base_only.size()),
                 name_lines(comparison.base_only, item));
  text += folded(fmt::format("{} only in NEW", comparison.new_only.size()),
                 name_lines(comparison.new_only, item));
  return text;
}

std::string comparison_html(const Comparison& comparison) {
  const std::vector<std::string> reading{
      "The bar is the 95 % interval of NEW's time over BASE's, the line in it "
      "their ratio: right "
      "of 1x NEW is slower. The grey band is the margin: changes within it "
      "count as equal. The "
      "axis is logarithmic."};
  const html::Markup lead =
      html::Element{"p", {{"class", "lead"}}}(html::words(gate_text(gate(comparison))));
  const std::vector<std::string> cautions = caution_lines(comparison);
  return html::page(
      {.title = "compare " + comparison.name,
       .about = comparison_setting(comparison),
       .body = html::section("findings", "What changed",
                             lead + html::paragraphs(std::vector{comparison_summary(comparison)}) +
                                 html::paragraphs(cautions)) +
               html::section("cases", "The cases",
                             html::paragraphs(reading) + html_cases(comparison) +
                                 names_list("In BASE only", comparison.base_only) +
                                 names_list("In NEW only", comparison.new_only))});
}

}  // namespace normbench
