#include "report/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/units.h"
#include "report/document_text.h"
#include "report/markup_table.h"
#include "report/sweep_text.h"
#include "report/words.h"

namespace normbench {
namespace {

constexpr double ns_in_ms = 1e6;

/// Returns true for the winner, and for cases between which there is no difference.
bool is_fastest(const GroupAnalysis& analysis, std::size_t index) {
  const Outcome outcome = analysis.verdict.outcome;
  return (outcome == Outcome::Winner || outcome == Outcome::Tie) &&
         std::ranges::find(analysis.verdict.fastest, static_cast<int>(index)) !=
             analysis.verdict.fastest.end();
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// Returns why the row's speed-up is not that of its times; "" if it is.
std::string remark(const GroupAnalysis& analysis, std::size_t index) {
  return by_times_text(analysis.cases[index]).empty()
             ? ""
             : "speed_up is the median of the rounds' ratios, which compares neighbours in time; "
               "the times are medians over all rounds, and the machine changed between rounds";
}

/// Returns the members of a case's row. A member that is not known is null, so that all rows have
/// the same members.
Json case_json(const GroupResult& group, const GroupAnalysis& analysis, std::size_t index) {
  const CaseResult& result = group.cases[index];
  const CaseAnalysis& one = analysis.cases[index];
  const auto ms = [&](double Interval::*end) {
    return one.time_ns ? Json((*one.time_ns).*end / ns_in_ms) : Json();
  };
  const auto times = [](const std::optional<Interval>& ratio, double Interval::*end) {
    return ratio ? Json(1 / (*ratio).*end) : Json();
  };
  return {{"experiment", group.experiment},
          {"point", point_text(group.point)},
          {"variant", result.variant},
          {"baseline", result.variant == group.baseline},
          {"fastest", is_fastest(analysis, index)},
          {"status", name_of(result.status)},
          {"reason", reason_text(result)},
          {"time_ms", ms(&Interval::value)},
          {"time_low_ms", ms(&Interval::low)},
          {"time_high_ms", ms(&Interval::high)},
          {"speed_up", times(one.ratio, &Interval::value)},
          {"speed_up_low", times(one.ratio, &Interval::high)},
          {"speed_up_high", times(one.ratio, &Interval::low)},
          {"speed_up_by_times", one.of_medians ? Json(1 / *one.of_medians) : Json()},
          {"remark", remark(analysis, index)},
          {"images_per_second", or_null(one.images_per_second)},
          {"of_limit", one.of_limit ? Json(one.of_limit->value) : Json()},
          {"limit", one.limit}};
}

/// Calls `visit` with the group, its analysis and an index, for each case of an experiment.
template <class Visit>
void each_case(const Experiment& experiment, Visit visit) {
  for (std::size_t g = 0; g < experiment.groups.size(); ++g)
    for (std::size_t i = 0; i < experiment.groups[g]->cases.size(); ++i)
      visit(*experiment.groups[g], experiment.analyses[g], i);
}

std::vector<Json> rows_of(std::span<const Analysed> documents, std::span<const std::string> names) {
  std::vector<Json> rows;
  for (std::size_t d = 0; d < documents.size(); ++d)
    for (const Experiment& experiment : documents[d].experiments())
      each_case(experiment,
                [&](const GroupResult& group, const GroupAnalysis& analysis, std::size_t index) {
                  Json row = Json::object();
                  if (!names.empty()) row["document"] = names[d];
                  row.update(case_json(group, analysis, index));
                  rows.push_back(std::move(row));
                });
  return rows;
}

std::string ms_or_status(const CaseResult& result, const CaseAnalysis& one) {
  if (one.time_ns) return format_ms(one.time_ns->value);
  const std::string reason = reason_text(result);
  return std::string(name_of(result.status)) + (reason.empty() ? "" : ": " + reason);
}

MarkupTable table_of(const Experiment& experiment, const Results& results) {
  MarkupTable table{.columns = {{.title = "point"},
                                {.title = "variant"},
                                {.title = time_title(results), .align = Align::Right},
                                {.title = "±", .align = Align::Right},
                                {.title = "speed-up", .align = Align::Right},
                                {.title = "images/s", .align = Align::Right},
                                {.title = "of limit", .align = Align::Right},
                                {.title = ""}}};
  each_case(
      experiment, [&](const GroupResult& group, const GroupAnalysis& analysis, std::size_t index) {
        const CaseResult& result = group.cases[index];
        const CaseAnalysis& one = analysis.cases[index];
        const bool is_baseline = result.variant == group.baseline;
        const auto per_second = one.images_per_second;
        std::vector<std::string_view> notes;
        if (is_fastest(analysis, index)) notes.emplace_back("fastest");
        if (is_baseline) notes.emplace_back("baseline");
        table.rows.push_back(
            {{.text = point_text(group.point)},
             {.text = result.variant},
             {.text = ms_or_status(result, one)},
             {.text = one.time_ns ? width_text(analysis, static_cast<int>(index)) : ""},
             {.text = one.ratio && !is_baseline ? speed_up_text(one) : ""},
             {.text = per_second ? format_rate(*per_second) : ""},
             {.text = one.of_limit ? format_percent(one.of_limit->value) : ""},
             {.text = fmt::format("{}", fmt::join(notes, ", "))}});
      });
  const auto drop_if_empty = [&](std::size_t column) {
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return !row[column].text.empty(); }))
      return;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  };
  for (std::size_t column = table.columns.size(); column-- > 0;) drop_if_empty(column);
  return table;
}

/// Returns the explanation of the speed-ups that their times contradict; "" without any.
std::string legend_of(const Experiment& experiment) {
  for (const GroupAnalysis& analysis : experiment.analyses)
    if (std::string text = unlike_times_text(analysis); !text.empty()) return text;
  return "";
}

std::string markdown_of(const Experiment& experiment, const Results& results) {
  const GroupResult& group = *experiment.groups.front();
  std::string text = "### " + escaped_markdown(group.experiment) + "\n\n";
  if (!group.question.empty()) text += escaped_markdown(group.question) + "\n\n";
  for (const std::string& line : verdict_lines(experiment, results))
    text += "- " + escaped_markdown(line) + "\n";
  text += "\n" + table_of(experiment, results).markdown() + "\n";
  const std::string legend = legend_of(experiment);
  return legend.empty() ? text : text + escaped_markdown(legend) + ".\n\n";
}

std::string text_of(const Experiment& experiment, const Results& results, const Screen& screen) {
  const GroupResult& group = *experiment.groups.front();
  std::string text = group.experiment + "\n";
  text += columns_text(table_of(experiment, results).text_columns(screen), 2, screen.width);
  text += wrapped(legend_of(experiment), 2, prose_width(screen));
  for (const std::string& line : verdict_lines(experiment, results))
    text += wrapped(line, 2, prose_width(screen));
  return text;
}

/// Returns the marker by which a program finds its comment again.
std::string marker(std::span<const Analysed> documents) {
  std::vector<std::string> names;
  for (const Analysed& document : documents) names.push_back(document.results().name);
  std::string text = fmt::format("{}", fmt::join(names, " "));
  for (auto at = text.find("--"); at != text.npos; at = text.find("--")) text.replace(at, 2, "-");
  return fmt::format("<!-- normbench answer: {} -->\n", text);
}

std::string markdown(std::span<const Analysed> documents) {
  constexpr std::size_t most_notice_bytes = 2'000;
  std::string text = marker(documents);
  std::vector<std::string> left_out;
  for (const Analysed& document : documents)
    for (const Experiment& experiment : document.visible().experiments()) {
      const std::string part = markdown_of(experiment, document.visible().results());
      if (text.size() + part.size() + most_notice_bytes <= most_answer_bytes)
        text += part;
      else
        left_out.push_back(experiment.groups.front()->experiment);
    }
  if (left_out.empty()) return text;
  std::string notice =
      fmt::format("{} left out, as the text would be too long: {}",
                  counted(std::ssize(left_out), "experiment"), fmt::join(left_out, ", "));
  notice = cut(escaped_markdown(notice), most_notice_bytes / 4);
  return text + notice + "\n";
}

}  // namespace

std::string answer_report(std::span<const Analysed> documents, std::span<const std::string> names,
                          TableFormat format, const Screen& screen) {
  switch (format) {
    case TableFormat::Csv:
      return csv_text(rows_of(documents, names));
    case TableFormat::Json:
      return json_text(Json(rows_of(documents, names)));
    case TableFormat::Markdown:
      return markdown(documents);
    case TableFormat::Text:
      break;
  }
  std::string text;
  for (const Analysed& document : documents)
    for (const Experiment& experiment : document.visible().experiments())
      text +=
          (text.empty() ? "" : "\n") + text_of(experiment, document.visible().results(), screen);
  return text;
}

}  // namespace normbench
