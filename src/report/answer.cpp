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

/// Returns true for the case that is certainly the fastest. In a tie, returns true for each of the
/// fastest cases.
bool is_fastest(const GroupAnalysis& analysis, std::size_t index) {
  const Outcome outcome = analysis.verdict.outcome;
  return (outcome == Outcome::Winner || outcome == Outcome::Tie) &&
         std::ranges::find(analysis.verdict.fastest, static_cast<int>(index)) !=
             analysis.verdict.fastest.end();
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// If the median times of a case and the baseline contradict the speed-up of the case, returns an
/// explanation. Otherwise returns "".
std::string remark(const GroupAnalysis& analysis, std::size_t index) {
  return by_times_text(analysis.cases[index]).empty()
             ? ""
             : "speed_up is the median of the rounds' ratios, which compares neighbours in time; "
               "the times are medians over all rounds, and the machine changed between rounds";
}

/// Returns the table row of a case as JSON. Unknown values are null, so that all rows have the same
/// members.
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

/// Calls `visit(group, analysis, index of the case)` for each case of an experiment.
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

/// Returns true for the cases that every answer must show: the fastest ones and the baseline.
bool is_needed(const GroupResult& group, const GroupAnalysis& analysis, std::size_t index) {
  return is_fastest(analysis, index) || group.cases[index].variant == group.baseline;
}
bool is_any(const GroupResult&, const GroupAnalysis&, std::size_t) { return true; }

/// Returns the table of the cases for which `takes` returns true.
MarkupTable table_of(const Experiment& experiment, const Results& results,
                     bool (*takes)(const GroupResult&, const GroupAnalysis&, std::size_t)) {
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
        if (!takes(group, analysis, index)) return;
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

/// The table adds "by ms" to a speed-up that the median times contradict. Returns the explanation
/// of "by ms", or "" if no case of the experiment has such a speed-up.
std::string legend_of(const Experiment& experiment) {
  for (const GroupAnalysis& analysis : experiment.analyses)
    if (std::string text = unlike_times_text(analysis); !text.empty()) return text;
  return "";
}

/// Returns the title, the question and the verdict of an experiment as Markdown.
std::string markdown_head(const Experiment& experiment, const Results& results) {
  constexpr std::size_t most_line = 1'000;
  const GroupResult& group = *experiment.groups.front();
  std::string text = "### " + escaped_markdown(cut_utf8(group.experiment, most_line)) + "\n\n";
  if (!group.question.empty())
    text += escaped_markdown(cut_utf8(group.question, most_line)) + "\n\n";
  for (const std::string& line : verdict_lines(experiment, results))
    text += "- " + escaped_markdown(cut_utf8(line, most_line)) + "\n";
  return text + "\n";
}

/// Returns the table of all cases if it has at most `most` bytes. Otherwise returns a table of only
/// the baseline and the fastest cases if that is short enough, else no table. If cases are left
/// out, a sentence tells how many.
std::string markdown_table(const Experiment& experiment, const Results& results, std::size_t most) {
  const MarkupTable all = table_of(experiment, results, is_any);
  std::string legend = legend_of(experiment);
  if (!legend.empty()) legend = escaped_markdown(legend) + ".\n\n";
  if (std::string text = all.markdown() + "\n" + legend; text.size() <= most) return text;
  const MarkupTable needed = table_of(experiment, results, is_needed);
  const auto left_out = [&](std::size_t shown) {
    return fmt::format("{} of {} left out, as the text would be too long.\n\n",
                       format_count(std::ssize(all.rows) - static_cast<std::ptrdiff_t>(shown)),
                       counted(std::ssize(all.rows), "case"));
  };
  std::string text = needed.markdown() + "\n" + legend + left_out(needed.rows.size());
  return !needed.rows.empty() && text.size() <= most ? text : left_out(0);
}

std::string text_of(const Experiment& experiment, const Results& results, const Screen& screen) {
  const GroupResult& group = *experiment.groups.front();
  std::string text = group.experiment + "\n";
  text += columns_text(table_of(experiment, results, is_any).text_columns(screen), 2, screen.width);
  text += wrapped(legend_of(experiment), 2, prose_width(screen));
  for (const std::string& line : verdict_lines(experiment, results))
    text += wrapped(line, 2, prose_width(screen));
  return text;
}

/// Returns an HTML comment with the names of the documents. A program that posts answers to a pull
/// request recognises its earlier post by this comment.
std::string marker(std::span<const Analysed> documents) {
  constexpr std::size_t most_names = 1'000;
  std::vector<std::string> names;
  for (const Analysed& document : documents) names.push_back(document.visible().results().name);
  std::string text = cut_utf8(fmt::format("{}", fmt::join(names, " ")), most_names);
  for (auto at = text.find("--"); at != text.npos; at = text.find("--")) text.replace(at, 2, "-");
  return fmt::format("<!-- normbench answer: {} -->\n", text);
}

struct Part {
  const Experiment* experiment;
  const Results* results;
  std::string head;
};

/// Returns the Markdown of all experiments, in at most `most_answer_bytes` bytes. If they need
/// more, first tables are shortened or left out. An experiment is left out only if there is no room
/// for its title and verdict.
std::string markdown(std::span<const Analysed> documents) {
  constexpr std::size_t most_notice_bytes = 4'000, most_cut_table_bytes = 200;
  const std::string begin = marker(documents);
  std::size_t left = most_answer_bytes - begin.size() - most_notice_bytes;
  std::vector<Part> parts;
  std::vector<std::string> left_out;
  for (const Analysed& document : documents)
    for (const Experiment& experiment : document.visible().experiments()) {
      std::string head = markdown_head(experiment, document.visible().results());
      if (head.size() + most_cut_table_bytes > left) {
        left_out.push_back(experiment.groups.front()->experiment);
        continue;
      }
      left -= head.size() + most_cut_table_bytes;
      parts.push_back({&experiment, &document.visible().results(), std::move(head)});
    }
  std::string text = begin;
  for (const Part& part : parts) {
    const std::string table =
        markdown_table(*part.experiment, *part.results, left + most_cut_table_bytes);
    left -= std::max(table.size(), most_cut_table_bytes) - most_cut_table_bytes;
    text += part.head + table;
  }
  if (left_out.empty()) return text;
  const std::string notice =
      fmt::format("{} left out, as the text would be too long: {}",
                  counted(std::ssize(left_out), "experiment"), fmt::join(left_out, ", "));
  return text + escaped_markdown(cut_utf8(notice, most_notice_bytes / 8)) + "\n";
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
