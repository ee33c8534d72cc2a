#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "document/held_up.h"
#include "report/document_text.h"
#include "report/evidence_tables.h"
#include "report/html/charts.h"
#include "report/html/scale.h"
#include "report/verdict_text.h"
#include "report/words.h"

namespace normbench::html {
namespace {

constexpr double row_height = 36;
constexpr std::size_t most_dots = 400;  // maximum number of dots in the drawing of a case

/// A measured case and the speed-ups of its rounds. A speed-up is the baseline's time divided by
/// the case's time in the same round. For the baseline itself, or if there is no baseline, the
/// median time of the case takes the place of the baseline's time.
struct RatioRow {
  std::size_t index = 0;
  std::vector<double> rounds;
  Interval speed_up{1, 1, 1};
  double margin = 0;  // smaller relative differences in time do not count
};

std::vector<RatioRow> ratio_rows(const GroupResult& group, const GroupAnalysis& analysis,
                                 const Results& results) {
  const int baseline = index_of(group, group.baseline);
  const bool has_baseline = baseline >= 0 && measured(group.cases[baseline]);
  const std::vector<double> base =
      has_baseline ? times_ns(group.cases[baseline], results) : std::vector<double>();
  std::vector<RatioRow> rows;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    if (!measured(group.cases[i])) continue;
    RatioRow row{.index = i,
                 .rounds = times_ns(group.cases[i], results),
                 .margin = precision_of(group, results)};
    if (const auto pair = analysis.pairs.of(static_cast<int>(i), baseline))
      row.margin = margin_of(*pair, row.margin);
    const auto& ratio = analysis.cases[i].ratio;
    const bool is_alone = !ratio || static_cast<int>(i) == baseline;
    const double own = median_ns(group.cases[i], results);
    if (!is_alone) row.rounds.resize(std::min(row.rounds.size(), base.size()));
    for (std::size_t r = 0; r < row.rounds.size(); ++r)
      row.rounds[r] = (is_alone ? own : base[r]) / row.rounds[r];
    if (!is_alone) row.speed_up = {1 / ratio->value, 1 / ratio->high, 1 / ratio->low};
    std::erase_if(row.rounds, [](double value) { return !std::isfinite(value) || value <= 0; });
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Returns a scale that contains all medians, intervals and margins, and the middle 96 % of each
/// case's rounds.
Scale ratio_scale(const std::vector<RatioRow>& rows) {
  double low = 1, high = 1;
  for (const RatioRow& row : rows) {
    low = std::min(low, 1 / (1 + row.margin));
    if (row.margin < 0.5) high = std::max(high, 1 / (1 - row.margin));
    std::vector<double> sorted = row.rounds;
    std::ranges::sort(sorted);
    const auto at = [&](double part) {
      return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
    };
    for (const double value : {row.speed_up.low, row.speed_up.high})
      if (std::isfinite(value) && value > 0)
        low = std::min(low, value), high = std::max(high, value);
    if (sorted.empty()) continue;
    low = std::min(low, at(0.02));
    high = std::max(high, at(0.98));
  }
  return Scale::logarithmic(low, high);
}

Markup ratio_drawing(const RatioRow& row, const Scale& scale) {
  // A ratio of times from 1 - margin to 1 + margin counts as equal. A speed-up is the inverse of a
  // ratio of times.
  const double left = scale.at(1 / (1 + row.margin));
  const double right = row.margin < 1 ? scale.at(1 / (1 - row.margin)) : drawing_width;
  Markup shapes = rectangle(left, 0, right - left, row_height, "margin");
  shapes += upright(scale.at(1), row_height, "baseline");
  const std::size_t every = (row.rounds.size() + most_dots - 1) / most_dots;
  std::vector<std::pair<double, double>> places;
  for (std::size_t r = 0; r < row.rounds.size(); r += std::max<std::size_t>(1, every)) {
    const double part = static_cast<double>(r + 1) / static_cast<double>(row.rounds.size() + 1);
    places.emplace_back(scale.at(row.rounds[r]), row_height * part);
  }
  shapes += dots(places, "dots");
  const double low = scale.at(row.speed_up.low), high = scale.at(row.speed_up.high);
  if (row.speed_up.low < row.speed_up.high)
    shapes += rectangle(low, row_height / 2 - 5, std::max(high - low, 1.0), 10, "interval");
  shapes += curve({{scale.at(row.speed_up.value), row_height / 2 - 9},
                   {scale.at(row.speed_up.value), row_height / 2 + 9}},
                  "median");
  return drawing(row_height, shapes);
}

std::string times_label(double value) { return fmt::format("{:g}x", value); }

/// A column of numbers. It is left out if all its cells are empty.
struct NumberColumn {
  std::string title;
  std::vector<std::string> cells;
};

std::vector<NumberColumn> number_columns(const std::vector<RatioRow>& rows,
                                         const GroupResult& group, const GroupAnalysis& analysis,
                                         const Results& results) {
  std::vector<NumberColumn> columns{{"speed-up", {}}, {time_title(results), {}},
                                    {"±", {}},        {other_time_title(results), {}},
                                    {"images/s", {}}, {"faults", {}},
                                    {"of limit", {}}, {"CPU ms/image", {}}};
  std::size_t next = 0;
  const auto add = [&](std::string text) {
    columns[next++ % columns.size()].cells.push_back(std::move(text));
  };
  for (const RatioRow& row : rows) {
    const CaseResult& result = group.cases[row.index];
    const CaseAnalysis& one = analysis.cases[row.index];
    const auto cpu = result.dataset ? cpu_seconds_per_image(result) : std::nullopt;
    add(!one.ratio                         ? ""
        : result.variant == group.baseline ? "1"
                                           : times_text(row.speed_up) + by_times_text(one));
    add(one.time_ns ? format_ms(one.time_ns->value) : "");
    add(one.time_ns ? width_text(analysis, row.index) : "");
    add(other_time(result, results));
    add(one.images_per_second ? format_rate(*one.images_per_second) : "");
    add(one.faults.value_or(0) >= 0.5 ? format_count(std::llround(*one.faults)) : "");
    add(one.of_limit ? format_percent(one.of_limit->value) : "");
    add(cpu ? format_ms(*cpu * 1e9) : "");
  }
  std::erase_if(columns, [](const NumberColumn& column) {
    return std::ranges::all_of(column.cells, &std::string::empty);
  });
  return columns;
}

Markup heading_of(const GroupResult& group, const GroupAnalysis& analysis, std::size_t index) {
  Markup heading = name(group.cases[index].variant);
  if (group.cases[index].variant == group.baseline) heading += Element{"small"}(words(" baseline"));
  const std::vector<int>& fastest = analysis.verdict.fastest;
  const bool is_decided =
      analysis.verdict.outcome == Outcome::Winner || analysis.verdict.outcome == Outcome::Tie;
  if (is_decided && std::ranges::find(fastest, static_cast<int>(index)) != fastest.end())
    heading += Element{"small", {{"class", "fastest"}}}(words(" fastest"));
  return heading;
}

}  // namespace

std::string colour(std::size_t n) { return fmt::format("c{}", n % 8); }

Markup ratio_table(const GroupResult& group, const GroupAnalysis& analysis,
                   const Results& results) {
  const std::vector<RatioRow> rows = ratio_rows(group, analysis, results);
  if (rows.empty()) return {};
  const Scale scale = ratio_scale(rows);
  const bool shows_all =
      std::ranges::all_of(rows, [](const RatioRow& row) { return row.rounds.size() <= most_dots; });
  const std::vector<NumberColumn> columns = number_columns(rows, group, analysis, results);
  std::vector<Column> titles{{"variant"},
                             {(shows_all ? "every round" : "rounds, of many only some") +
                                  std::string(", and the median with its interval"),
                              labels(scale, 5, &times_label)}};
  for (const NumberColumn& column : columns) titles.push_back({column.title});
  std::vector<TableRow> lines;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    TableRow line{.heading = heading_of(group, analysis, rows[r].index), .cells = {}};
    line.cells.push_back({ratio_drawing(rows[r], scale)});
    for (const NumberColumn& column : columns) line.cells.push_back({words(column.cells[r]), true});
    lines.push_back(std::move(line));
  }
  const std::string unlike = unlike_times_text(analysis);
  const Markup legend = unlike.empty() ? Markup() : paragraphs(std::vector{unlike + "."});
  return block("ratios", table(group.point.empty() ? "Speed-up over the baseline"
                                                   : "Speed-up at " + point_text(group.point),
                               titles, lines) +
                             legend);
}

}  // namespace normbench::html
