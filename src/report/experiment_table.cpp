#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

#include "core/text.h"
#include "core/units.h"
#include "report/document_text.h"
#include "report/sweep_text.h"
#include "report/words.h"

namespace normbench {
namespace {

std::string percent_or_blank(const std::optional<Interval>& ratio) {
  return ratio ? format_percent(ratio->value) : "";
}

std::string name_cell(const GroupResult& group, const CaseResult& result) {
  return result.variant + (result.variant == group.baseline ? "  (baseline)" : "");
}

std::string speed_up(const GroupResult& group, const CaseResult& result,
                     const CaseAnalysis& analysis) {
  if (!analysis.ratio) return "";
  return result.variant == group.baseline ? "1" : speed_up_text(analysis);
}

std::string count_or_blank(const std::optional<double>& value, bool any) {
  return any && value ? format_count(std::llround(*value)) : "";
}

std::string published_cell(const CaseAnalysis& one) {
  if (one.published_ms) return format_ms(*one.published_ms * 1e6) + " ms";
  return one.published_speed_up ? factor(*one.published_speed_up) : "";
}

std::string latency_cell(const CaseAnalysis& one, double PipelineAnalysis::*ns) {
  return one.pipeline ? format_ms(*one.pipeline.*ns) : "";
}

/// Returns the names of the lanes (groups of stages) of the group's pipelines. If there are more
/// than four, returns none.
std::vector<std::string> lane_names(const GroupAnalysis& analysis) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (const CaseAnalysis& one : analysis.cases)
    for (const LaneAnalysis& lane :
         one.pipeline ? one.pipeline->lanes : std::vector<LaneAnalysis>())
      if (std::ranges::find(names, lane.name) == names.end()) names.push_back(lane.name);
  if (names.size() > most) names.clear();
  return names;
}

std::string busy_cell(const CaseAnalysis& one, const std::string& name) {
  if (!one.pipeline) return "";
  const auto lane = std::ranges::find(one.pipeline->lanes, name, &LaneAnalysis::name);
  return lane == one.pipeline->lanes.end() || !lane->busy ? "" : format_percent(*lane->busy);
}

std::string of_bound_cell(const CaseAnalysis& one) {
  return one.pipeline && one.pipeline->bound ? format_percent(one.pipeline->bound->of_bound.value)
                                             : "";
}

/// Returns the CPU time per image in ms for a case that loads files. Returns "" for any other case.
std::string cpu_cell(const CaseResult& result) {
  const auto seconds = result.dataset ? cpu_seconds_per_image(result) : std::nullopt;
  return seconds ? format_ms(*seconds * 1e9) : "";
}

/// The indices of the columns of the table for one point. The columns of the lanes begin at kLanes.
enum : std::size_t {
  kTime = 1,
  kHalfWidth,
  kOtherTime,
  kSpeedUp,
  kRate,
  kCpu,
  kFaults,
  kOfLimit,
  kP50,
  kP99,
  kLanes
};

/// Returns the columns that may be left out on a narrow screen, in the order in which they are left
/// out.
std::vector<std::size_t> spare_columns(std::size_t lanes) {
  const std::size_t of_bound = kLanes + lanes, published = of_bound + 1;
  std::vector<std::size_t> columns{kCpu, kRate, kP50, kP99};
  for (std::size_t lane = 0; lane < lanes; ++lane) columns.push_back(kLanes + lane);
  columns.insert(columns.end(), {kFaults, published, kOtherTime, kHalfWidth, of_bound, kOfLimit});
  return columns;
}

/// Returns an explanation of p50, p99 and lanes, but only of those that are columns of the table.
/// Returns "" if none of them is.
std::string pipeline_legend(const std::vector<bool>& has, const std::vector<std::string>& lanes) {
  std::vector<std::string> latencies, busy;
  if (has[kP50]) latencies.emplace_back("p50");
  if (has[kP99]) latencies.emplace_back("p99");
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    if (has[kLanes + lane]) busy.push_back(lanes[lane]);
  std::string text;
  if (!latencies.empty())
    text = fmt::format("{} of an item's latency", fmt::join(latencies, " and "));
  if (!busy.empty())
    text += fmt::format("{}how busy {}", text.empty() ? "" : "; ", fmt::join(busy, ", "));
  return text;
}

std::string one_point(const GroupResult& group, const GroupAnalysis& analysis,
                      const Results& results, const Screen& screen) {
  const std::vector<std::string> lanes = lane_names(analysis);
  std::vector<std::string> titles{"variant",
                                  time_title(results),
                                  "±",
                                  other_time_title(results),
                                  "speed-up",
                                  "images/s",
                                  "CPU ms/image",
                                  "faults",
                                  "of limit",
                                  "p50 ms",
                                  "p99"};
  for (const std::string& lane : lanes) titles.push_back(lane);
  titles.insert(titles.end(), {"of bound", "published"});
  Rows rows(titles);
  const bool faults = std::ranges::any_of(
      analysis.cases, [](const CaseAnalysis& one) { return one.faults.value_or(0) >= 0.5; });
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseAnalysis& one = analysis.cases[i];
    if (!one.time_ns) continue;
    std::vector<std::string> cells{
        name_cell(group, group.cases[i]),
        format_ms(one.time_ns->value),
        width_text(analysis, static_cast<int>(i)),
        other_time(group.cases[i], results),
        analysis.pairs.empty() ? "" : speed_up(group, group.cases[i], one),
        one.images_per_second ? format_rate(*one.images_per_second) : "",
        cpu_cell(group.cases[i]),
        count_or_blank(one.faults, faults),
        percent_or_blank(one.of_limit),
        latency_cell(one, &PipelineAnalysis::p50_ns),
        latency_cell(one, &PipelineAnalysis::p99_ns)};
    for (const std::string& lane : lanes) cells.push_back(busy_cell(one, lane));
    cells.push_back(of_bound_cell(one));
    cells.push_back(published_cell(one));
    rows.add(cells);
  }
  const Laid laid = rows.laid_out({0}, screen.width, spare_columns(lanes.size()));
  std::string text = laid.text + wrapped(pipeline_legend(laid.has, lanes), 2, prose_width(screen));
  text += wrapped(unlike_times_text(analysis), 2, prose_width(screen));
  return text;
}

/// Returns the variants that were measured at any point of the sweep, in order of first appearance.
std::vector<std::string> shown_variants(const Experiment& experiment) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (std::size_t g = 0; g < experiment.groups.size(); ++g)
    for (std::size_t i = 0; i < experiment.groups[g]->cases.size(); ++i) {
      const std::string& name = experiment.groups[g]->cases[i].variant;
      if (experiment.analyses[g].cases[i].time_ns && seen.insert(name).second)
        names.push_back(name);
    }
  return names;
}

std::string pivot_cell(const GroupResult& group, const GroupAnalysis& analysis,
                       const std::string& variant) {
  const auto found = analysis.indices.find(variant);
  if (found == analysis.indices.end()) return "-";
  const int i = found->second;
  if (!analysis.cases[i].time_ns) return group.cases[i].status == Status::Failed ? "failed" : "-";
  const bool fastest =
      std::ranges::find(analysis.verdict.fastest, i) != analysis.verdict.fastest.end();
  const char* mark = !fastest                                      ? ""
                     : analysis.verdict.outcome == Outcome::Winner ? "*"
                     : analysis.verdict.outcome == Outcome::Tie    ? "="
                                                                   : "";
  return mark + format_ms(analysis.cases[i].time_ns->value);
}

std::string axes_names(const Json& point) {
  std::string text;
  for (const auto& [axis, value] : point.items()) text += (text.empty() ? "" : ", ") + axis;
  return text;
}

/// Lays out the columns `names` and `points` side by side. If they are wider than `whole`, makes
/// several blocks, one below the other. Each block begins with the column `names`.
std::string in_blocks(const Column& names, const std::vector<Column>& points, std::size_t whole) {
  const std::size_t most_names = std::min<std::size_t>(40, whole * 2 / 5);
  std::string text;
  for (std::size_t next = 0; next < points.size();) {
    std::vector<Column> block{names};
    std::size_t width = 2 + std::min(most_names, column_width(names));
    for (; next < points.size(); ++next) {
      width += 2 + column_width(points[next]);
      if (width > whole && block.size() > 1) break;
      block.push_back(points[next]);
    }
    text += columns_text(block, 2, whole);
  }
  return text;
}

/// If the points of the sweep have different batch sizes, adds a row with the highest rate of any
/// variant at each point, in images/s. Times per batch do not tell which batch size is the best.
/// Returns a sentence with the highest rate and the points that reach at least 90 % of it. Returns
/// "" if no row was added.
std::string add_rates(const Experiment& experiment, Column& names, std::vector<Column>& points) {
  constexpr double enough = 0.9;
  std::set<std::set<std::int64_t>> batches;  // the batch sizes of each point; equal sets once
  std::vector<std::string> cells;
  std::vector<double> rates;
  for (std::size_t g = 0; g < experiment.groups.size(); ++g) {
    std::set<std::int64_t> images;
    double most = 0;
    for (std::size_t i = 0; i < experiment.groups[g]->cases.size(); ++i) {
      images.insert(experiment.groups[g]->cases[i].images);
      most = std::max(most, experiment.analyses[g].cases[i].images_per_second.value_or(0));
    }
    batches.insert(images);
    cells.push_back(most > 0 ? format_rate(most) : "");
    rates.push_back(most);
  }
  const bool has_rates =
      std::ranges::any_of(cells, [](const std::string& cell) { return !cell.empty(); });
  if (batches.size() < 2 || !has_rates) return "";
  names.cells.emplace_back("most images/s");
  cells.resize(points.size());  // the last column, "of limit", gets an empty cell
  for (std::size_t i = 0; i < points.size(); ++i) points[i].cells.push_back(cells[i]);
  const auto best = std::ranges::max_element(rates) - rates.begin();
  std::vector<std::string> near;
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (static_cast<std::ptrdiff_t>(i) != best && rates[i] >= enough * rates[best])
      near.push_back(point_text(experiment.groups[i]->point));
  return fmt::format(
      "Most images/s: {} at {}{}.", format_rate(rates[best]),
      point_text(experiment.groups[best]->point),
      near.empty() ? "" : fmt::format("; at least 90 % of that at {}", enumerate(near)));
}

/// Returns a table with the median time of each variant at each point of the sweep, in ms. The
/// fastest variants of a point are marked. The last column shows how near each variant is to its
/// limit (the least time that the machine needs) at the last point, as a percentage. Returns "" if
/// no variant ran.
std::string pivot(const Experiment& experiment, const Results& results, const Screen& screen) {
  Column names{axes_names(experiment.groups[0]->point), shown_variants(experiment), true};
  if (names.cells.empty()) return "";
  std::vector<Column> points;
  for (std::size_t g = 0; g < experiment.groups.size(); ++g) {
    Column& column = points.emplace_back(Column{axes_values(experiment.groups[g]->point), {}});
    for (const std::string& name : names.cells)
      column.cells.push_back(pivot_cell(*experiment.groups[g], experiment.analyses[g], name));
  }
  const GroupResult& last = *experiment.groups.back();
  Column& limit = points.emplace_back(Column{"of limit", {}});
  for (const std::string& name : names.cells) {
    const GroupAnalysis& analysis = experiment.analyses.back();
    const auto found = analysis.indices.find(name);
    limit.cells.push_back(found == analysis.indices.end()
                              ? ""
                              : percent_or_blank(analysis.cases[found->second].of_limit));
  }
  for (std::string& name : names.cells)
    if (name == last.baseline) name += "  (baseline)";
  const std::string rates = add_rates(experiment, names, points);
  std::string legend = results.clock == DecidingClock::Device ? "GPU ms per batch" : "ms per batch";
  if (std::ranges::any_of(experiment.analyses, [](const GroupAnalysis& analysis) {
        return analysis.verdict.outcome == Outcome::Winner;
      }))
    legend += "; * fastest";
  if (std::ranges::any_of(experiment.analyses, [](const GroupAnalysis& analysis) {
        return analysis.verdict.outcome == Outcome::Tie;
      }))
    legend += "; = tied";
  if (std::ranges::any_of(limit.cells, [](const std::string& cell) { return !cell.empty(); }))
    legend += "; of limit at " + point_text(last.point);
  return in_blocks(names, points, screen.width) + wrapped(legend, 2, prose_width(screen)) +
         wrapped(rates, 2, prose_width(screen));
}

/// Returns a size like "442 MB", or a range like "1.2 MB to 442 MB" over the points of a sweep.
std::string bytes_range(std::int64_t least, std::int64_t most) {
  const std::string from = format_bytes(static_cast<double>(least));
  return least == most ? from : from + " to " + format_bytes(static_cast<double>(most));
}

/// A variant that was not measured at some points of a sweep. The members are the smallest and the
/// largest number of bytes that it would move at these points, in total and over the link to the
/// GPU. All are 0 if a peer runs the variant, because its bytes are unknown, or if the variant was
/// not skipped.
struct LeftOut {
  std::string variant;
  std::int64_t least, most, least_link, most_link;

  static LeftOut of(const CaseResult& result) {
    if (result.status != Status::Skipped || !result.peer.empty())
      return {result.variant, 0, 0, 0, 0};
    const std::int64_t bytes = moved_bytes(result), link = link_bytes(result);
    return {result.variant, bytes, bytes, link, link};
  }
  void add(const LeftOut& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    least_link = std::min(least_link, other.least_link);
    most_link = std::max(most_link, other.most_link);
  }
  std::string text() const {
    if (most == 0) return variant;
    const std::string link =
        most_link == 0 ? "" : ", " + bytes_range(least_link, most_link) + " over the link";
    return fmt::format("{} (moves {}{})", variant, bytes_range(least, most), link);
  }
};

void add(InOrder<std::optional<LeftOut>>& list, const LeftOut& one) {
  std::optional<LeftOut>& same = list.under(one.variant);
  if (same)
    same->add(one);
  else
    same = one;
}

}  // namespace

std::string experiment_table(const Experiment& experiment, const Results& results,
                             const Screen& screen) {
  if (experiment.groups.size() > 1) return pivot(experiment, results, screen);
  const GroupAnalysis& only = experiment.analyses[0];
  const bool ran = std::ranges::any_of(
      only.cases, [](const CaseAnalysis& one) { return one.time_ns.has_value(); });
  return ran ? one_point(*experiment.groups[0], only, results, screen) : "";
}

std::vector<std::string> left_out(const Experiment& experiment) {
  InOrder<InOrder<std::optional<LeftOut>>> reasons;
  for (const GroupResult* group : experiment.groups)
    for (const CaseResult& result : group->cases) {
      if (result.status == Status::Ok && !result.rounds.empty()) continue;
      const std::string what = result.status == Status::Failed    ? "Failed"
                               : result.status == Status::Skipped ? "Skipped"
                                                                  : "Not measured";
      const std::string reason = reason_text(result);
      const std::string why = reason.empty() ? what : what + " (" + reason + ")";
      add(reasons.under(why), LeftOut::of(result));
    }
  std::vector<std::string> lines;
  for (const auto& [why, variants] : reasons) {
    std::vector<std::string> texts;
    for (const auto& [name, variant] : variants) texts.push_back(variant->text());
    lines.push_back(fmt::format("{}: {}", why, fmt::join(texts, " · ")));
  }
  return lines;
}

}  // namespace normbench
