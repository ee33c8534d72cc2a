#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "analysis/published.h"
#include "core/text.h"
#include "core/units.h"
#include "report/cause_text.h"
#include "report/dataset_text.h"
#include "report/document_text.h"
#include "report/evidence_tables.h"
#include "report/words.h"

namespace normbench {
namespace {

std::string ms_text(const Interval& ns) {
  return fmt::format("{} ({}-{})", format_ms(ns.value), format_ms(ns.low), format_ms(ns.high));
}

std::string status_text(const CaseResult& result) {
  const std::string status(name_of(result.status)), reason = reason_text(result);
  return reason.empty() ? status : status + ": " + reason;
}

std::string cpu_per_image(const CaseResult& result) {
  const auto seconds = cpu_seconds_per_image(result);
  return seconds ? format_ms(*seconds * 1e9) : "";
}

std::string joules_per_image(const GroupResult& group, const CaseResult& result) {
  const CaseProfile* const profile = find_profile(group, result.variant);
  const auto joules = profile ? counted_per_image(result, *profile).joules : std::nullopt;
  return joules ? format_significant(*joules, 3) : "";
}

/// Returns the ratio of two median times, the case's and the baseline's, as text like ", by ms
/// 0.0897", if it contradicts the case's `ratio`, which is the median of the rounds' ratios.
/// Returns "" if it does not.
std::string by_times(const CaseAnalysis& one) {
  return by_times_text(one).empty() ? "" : ", by ms " + format_significant(*one.of_medians, 4);
}

/// Returns a count like "0", "0.25" or "54,002".
std::string count_text(double value) {
  const double whole = std::round(value);
  if (value == whole || value >= 100) return format_count(std::llround(value));
  return format_significant(value, 2);
}

void add_published(const GroupResult& group, const GroupAnalysis& analysis, std::string& text) {
  for (const Published& published : group.published) {
    std::vector<std::string> figures;
    for (const PublishedFigure& figure : published_figures(group, analysis, published))
      figures.push_back(
          fmt::format("{}{}", figure_text(figure.kind, figure.published),
                      figure.here ? ", here " + figure_text(figure.kind, *figure.here) : ""));
    text +=
        fmt::format("  published {}{}{}: {}{}\n", spoken(published.variant),
                    published.stage.empty() ? "" : ", ", published.stage, fmt::join(figures, ", "),
                    published.where.empty() ? "" : " (" + published.where + ")");
  }
}

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string ms_or_blank(double ns) { return ns > 0 ? format_ms(ns) : ""; }

/// Returns what runs the stage: its kernel, or its peer (an external program). If the config names
/// a kernel for the peer to use, this kernel follows in parentheses.
std::string kernel_text(const CaseResult& result, const StageResult& stage) {
  if (result.peer.empty()) return stage.kernel;
  return stage.kernel.empty() ? peer_text(result)
                              : fmt::format("{} ({})", peer_text(result), stage.kernel);
}

/// Returns the bytes that the stage's kernel moves. Returns 0 for a stage of a peer (an external
/// program), because its bytes are unknown.
std::int64_t moved(const CaseResult& result, const StageResult& stage) {
  return result.peer.empty() ? stage.bytes : 0;
}

/// Returns the rate in GB/s of the bytes over the link to the GPU. If no bytes cross the link,
/// returns the rate of the bytes that the kernel moves.
std::string rate_text(const CaseResult& result, const StageResult& stage, double ns) {
  const std::int64_t bytes = stage.link_bytes > 0 ? stage.link_bytes : moved(result, stage);
  return ns > 0 && bytes > 0 ? format_significant(static_cast<double>(bytes) / ns, 3) : "";
}

/// Returns how near a stage is to its limit (the least time that the machine needs for it), as a
/// percentage, and the name of the limit.
std::pair<std::string, std::string> limit_cells(const CaseAnalysis& analysis, std::size_t index) {
  if (index >= analysis.stages.size()) return {};  // not measured
  const StageAnalysis& stage = analysis.stages[index];
  return {stage.of_limit ? percents_text(*stage.of_limit) : "", stage.limit};
}

/// Returns the cells about a pipeline as a whole. They are in the row of its first lane.
std::vector<std::string> pipeline_cells(const CaseResult& result,
                                        const PipelineAnalysis& analysis) {
  const auto& bound = analysis.bound;
  return {result.variant,
          std::to_string(analysis.in_flight),
          format_count(result.iterations),
          std::string(name_of(result.pipeline->submit)),
          format_ms(analysis.fill_ns),
          format_ms(analysis.drain_ns),
          format_ms(analysis.p50_ns),
          format_ms(analysis.p99_ns),
          bound ? bound_name(*bound) : "",
          bound ? percents_text(bound->of_bound) : ""};
}

std::vector<std::string> lane_cells(const CaseResult& result, const LaneResult& lane,
                                    const LaneAnalysis& analysis) {
  std::vector<std::string> stages;
  for (const std::int64_t stage : lane.stages)
    stages.push_back(result.stages[static_cast<std::size_t>(stage)].label);
  return {lane.name,
          fmt::format("{}", fmt::join(stages, ", ")),
          std::to_string(lane.servers),
          std::to_string(lane.threads),
          analysis.alone_ns ? format_ms(*analysis.alone_ns) : "",
          analysis.busy ? format_percent(*analysis.busy) : "",
          analysis.exposed_ns ? format_ms(*analysis.exposed_ns) : ""};
}

}  // namespace

std::string case_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results) {
  Rows rows({"variant", "status", "peer", "threads", time_title(results) + " (95 %)",
             other_time_title(results), "time/baseline (95 %)", "of limit (95 %)", "limit",
             "floor ms", "moved/fewest", "images/s", "faults", "switches", "CPU ms/image",
             "J/image", "first ms", "iterations", "rounds"});
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseResult& result = group.cases[i];
    const CaseAnalysis& one = analysis.cases[i];
    if (!one.time_ns) {
      rows.add(
          {result.variant, status_text(result), peer_text(result), std::to_string(result.threads)});
      continue;
    }
    rows.add({result.variant, status_text(result), peer_text(result),
              std::to_string(result.threads), ms_text(*one.time_ns), other_time(result, results),
              one.ratio ? ratio_text(*one.ratio) + by_times(one) : "",
              one.of_limit ? percents_text(*one.of_limit) : "", one.limit,
              one.floor_ns ? format_ms(*one.floor_ns) : "",
              one.bytes_moved ? format_significant(*one.bytes_moved, 3) : "",
              one.images_per_second ? format_rate(*one.images_per_second) : "",
              count_text(*one.faults), one.switches ? count_text(*one.switches) : "",
              cpu_per_image(result), joules_per_image(group, result),
              format_ms(static_cast<double>(result.first_call_ns)), format_count(result.iterations),
              std::to_string(result.rounds.size())});
  }
  std::string text = rows.text({0, 1, 2, 8}) + wrapped(unlike_times_text(analysis), 2);
  add_published(group, analysis, text);
  for (const CaseResult& result : group.cases)
    for (const std::string& note : notes_of(result))
      text += fmt::format("  {}: {}\n", spoken(result.variant), note);
  return text;
}

std::string stage_table(const GroupResult& group, const GroupAnalysis& analysis) {
  Rows rows({"variant", "stage", "range", "kernel", "place", "writes", "output", "fewest", "moves",
             "link", "ms", "device ms", "host call ms", "GB/s", "of case", "of limit (95 %)",
             "limit"});
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    for (std::size_t s = 0; s < group.cases[i].stages.size(); ++s) {
      const CaseResult& result = group.cases[i];
      const StageResult& stage = result.stages[s];
      const bool gpu = stage.place == Place::Cuda;
      const double ns = per_iteration_ns(result, stage.rounds_ns);
      const double share = ns > 0 ? stage_share(result, stage) : 0;
      const auto [of_limit, limit] = limit_cells(analysis.cases[i], s);
      rows.add({s == 0 ? result.variant : "", stage.label,
                fmt::format("{}", fmt::join(stage.ranges, " / ")), kernel_text(result, stage),
                std::string(name_of(stage.place)), describe(stage.out),
                std::string(name_of(stage.output)), bytes_text(stage.min_bytes),
                result.peer.empty() ? bytes_text(stage.bytes) : "",
                stage.link_bytes > 0 ? bytes_text(stage.link_bytes) : "",
                gpu ? "" : ms_or_blank(ns), gpu ? ms_or_blank(ns) : "",
                ms_or_blank(per_iteration_ns(result, stage.calls_ns)), rate_text(result, stage, ns),
                share > 0 ? format_percent(share) : "", of_limit, limit});
    }
  return rows.text({0, 1, 2, 3, 4, 5, 6, 16});
}

std::string lane_table(const GroupResult& group, const GroupAnalysis& analysis) {
  Rows rows({"variant", "in flight", "items", "submit", "fill ms", "drain ms", "latency p50", "p99",
             "bound", "of bound (95 %)", "lane", "stages", "servers", "threads", "alone ms", "busy",
             "exposed ms"});
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseResult& result = group.cases[i];
    const auto& pipeline = analysis.cases[i].pipeline;
    if (!pipeline) continue;
    for (std::size_t l = 0; l < pipeline->lanes.size(); ++l) {
      std::vector<std::string> cells(10);
      if (l == 0) cells = pipeline_cells(result, *pipeline);
      std::ranges::move(lane_cells(result, result.pipeline->lanes[l], pipeline->lanes[l]),
                        std::back_inserter(cells));
      rows.add(cells);
    }
  }
  return rows.text({0, 3, 8, 10, 11});
}

}  // namespace normbench
