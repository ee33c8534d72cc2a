#include "report/html/comparison_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/comparison_words.h"
#include "report/html/page.h"
#include "report/html/scale.h"

namespace normbench {
namespace html {
namespace {

constexpr double change_height = 26;

Scale change_scale(const Comparison& comparison) {
  const double margin = 1 + comparison.margin.value;
  double low = 1 / margin, high = margin;
  for (const ComparedCase& one : comparison.cases)
    if (one.ratio && one.deciding().low > 0)
      low = std::min(low, one.deciding().low), high = std::max(high, one.deciding().high);
  return Scale::logarithmic(low, high);
}

/// Draws NEW over BASE with its interval, and the margin.
Markup change_drawing(const ComparedCase& one, double margin, const Scale& scale) {
  const double left = scale.at(1 - margin), right = scale.at(1 + margin);
  Markup shapes = rectangle(left, 0, right - left, change_height, "margin") +
                  upright(scale.at(1), change_height, "baseline");
  if (!one.ratio || one.deciding().low <= 0) return drawing(change_height, shapes);
  const double low = scale.at(one.deciding().low), high = scale.at(one.deciding().high),
               middle = scale.at(one.deciding().value);
  shapes += rectangle(low, change_height / 2 - 5, std::max(high - low, 1.0), 10, "interval");
  return drawing(
      change_height,
      shapes + curve({{middle, change_height / 2 - 9}, {middle, change_height / 2 + 9}}, "median"));
}

std::string change_label(double ratio) { return fmt::format("{:g}x", ratio); }

Markup verdict_markup(const ComparedCase& one) {
  const Markup text = words(verdict_text(one));
  return one.change == Change::Failed || one.change == Change::Regressed ? Element{"strong"}(text)
                                                                         : text;
}

/// Why there is no verdict, and what else changed.
Markup remarks_of(const ComparedCase& one) {
  std::vector<std::string> remarks{why_text(one)};
  for (const CaseFinding& found : one.findings) remarks.push_back(finding_text(found));
  std::erase(remarks, "");
  return paragraphs(remarks);
}

std::string ms_of(const std::optional<double>& ns) { return ns ? format_ms(*ns) : ""; }

Markup cases_table(const Comparison& comparison) {
  const Scale scale = change_scale(comparison);
  std::vector<TableRow> rows;
  for (const ComparedCase& one : comparison.cases) {
    const bool is_bad = one.change == Change::Failed || one.change == Change::Regressed;
    rows.push_back({.heading = name(case_text(one.name)),
                    .cells = {{change_drawing(one, comparison.margin.value, scale)},
                              {verdict_markup(one)},
                              {words(change_text(one)), true},
                              {words(interval_text(one)), true},
                              {words(ms_of(one.base_ns)), true},
                              {words(ms_of(one.now_ns)), true},
                              {remarks_of(one)}},
                    .css_class = is_bad ? "wrong" : ""});
  }
  const std::vector<Column> columns{
      {"case"},          {"time of NEW over BASE", labels(scale, 5, &change_label)},
      {"verdict"},       {"change"},
      {"95 % interval"}, {"BASE ms"},
      {"NEW ms"},        {"remarks"}};
  return block("ratios", table("All cases, the worst first", columns, rows));
}

Markup names_list(std::string_view heading, const std::vector<CaseName>& names) {
  if (names.empty()) return {};
  Markup items;
  for (const CaseName& one : names) items += Element{"li"}(name(case_text(one)));
  return Element{"h3"}(words(heading)) + Element{"ul"}(items);
}

std::string gate_text(Gate gate) {
  switch (gate) {
    case Gate::Passed:
      return "Nothing became slower.";
    case Gate::Regressed:
      return "Something became slower, or fails, beyond doubt.";
    case Gate::Undecided:
      return "Undecided: some cases may have become slower, or could not be compared.";
  }
  return "";
}

}  // namespace
}  // namespace html

std::string html_comparison(const Comparison& comparison) {
  using namespace html;
  const std::vector<std::string> reading{
      "The bar is the 95 % interval of NEW's time over BASE's, the line in it their ratio: right "
      "of 1x NEW is slower. The grey band is the margin: changes within it count as equal. The "
      "axis is logarithmic."};
  const Markup lead = Element{"p", {{"class", "lead"}}}(words(gate_text(gate(comparison))));
  const std::vector<std::string> cautions = caution_lines(comparison);
  return page({.title = "compare " + comparison.name,
               .about = comparison_setting(comparison),
               .body = section("findings", "What changed",
                               lead + paragraphs(std::vector{comparison_summary(comparison)}) +
                                   paragraphs(cautions)) +
                       section("cases", "The cases",
                               paragraphs(reading) + cases_table(comparison) +
                                   names_list("In BASE only", comparison.base_only) +
                                   names_list("In NEW only", comparison.new_only))});
}

}  // namespace normbench
