#include <fmt/format.h>

#include <utility>

#include "core/units.h"
#include "report/document_text.h"
#include "report/group_tables.h"
#include "report/text.h"

namespace normbench {

namespace {

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

std::string ms_or_blank(double ns) { return ns > 0 ? format_ms(ns) : ""; }

/// What runs the stage: a row, or a peer and perhaps the row that it was asked for.
std::string kernel_text(const CaseResult& result, const StageResult& stage) {
  if (result.peer.empty()) return stage.kernel;
  return stage.kernel.empty() ? peer_text(result)
                              : fmt::format("{} ({})", peer_text(result), stage.kernel);
}

/// What the row moves; 0 of a peer's, where nobody knows.
std::int64_t moved(const CaseResult& result, const StageResult& stage) {
  return result.peer.empty() ? stage.bytes : 0;
}

/// GB/s: over the link what crosses it, else what the row moves.
std::string rate_text(const CaseResult& result, const StageResult& stage, double ns) {
  const std::int64_t bytes = stage.link_bytes > 0 ? stage.link_bytes : moved(result, stage);
  return ns > 0 && bytes > 0 ? format_significant(static_cast<double>(bytes) / ns, 3) : "";
}

/// How much of its limit a stage reaches, and the limit's name.
std::pair<std::string, std::string> limit_cells(const CaseAnalysis& analysis, std::size_t index) {
  if (index >= analysis.stages.size()) return {};  // not measured
  const StageAnalysis& stage = analysis.stages[index];
  return {stage.of_limit ? percents_text(*stage.of_limit) : "", stage.limit};
}

}  // namespace

std::string stage_table(const GroupResult& group, const GroupAnalysis& analysis) {
  Rows rows({"variant", "stage", "kernel", "place", "writes", "output", "fewest", "moves", "link",
             "ms", "device ms", "host call ms", "GB/s", "of case", "of limit (95 %)", "limit"});
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    for (std::size_t s = 0; s < group.cases[i].stages.size(); ++s) {
      const CaseResult& result = group.cases[i];
      const StageResult& stage = result.stages[s];
      const bool gpu = stage.place == Place::Cuda;
      const double ns = per_iteration_ns(result, stage.rounds_ns);
      const double share = ns > 0 ? stage_share(result, stage) : 0;
      const auto [of_limit, limit] = limit_cells(analysis.cases[i], s);
      rows.add({s == 0 ? result.variant : "", stage.label, kernel_text(result, stage),
                std::string(name_of(stage.place)),
                describe(stage.out), std::string(name_of(stage.output)), bytes_text(stage.min_bytes),
                result.peer.empty() ? bytes_text(stage.bytes) : "",
                stage.link_bytes > 0 ? bytes_text(stage.link_bytes) : "",
                gpu ? "" : ms_or_blank(ns), gpu ? ms_or_blank(ns) : "",
                ms_or_blank(per_iteration_ns(result, stage.calls_ns)), rate_text(result, stage, ns),
                share > 0 ? format_percent(share) : "", of_limit, limit});
    }
  return rows.text({0, 1, 2, 3, 4, 5, 15});
}

}  // namespace normbench
