#include <fmt/format.h>

#include "analysis/case_analysis.h"
#include "core/units.h"
#include "report/group_tables.h"
#include "report/rows.h"

namespace normbench {

namespace {

/// Median time of a stage per iteration; 0 when times were not attributed.
double stage_ns(const CaseResult& result, const StageResult& stage) {
  std::vector<double> times;
  for (const std::int64_t ns : stage.rounds_ns)
    times.push_back(static_cast<double>(ns) / static_cast<double>(result.iterations));
  return times.empty() ? 0 : median(std::move(times));
}

}  // namespace

std::string stage_table(const GroupResult& group) {
  Rows rows({"variant", "stage", "kernel", "place", "writes", "output", "fewest", "moves", "link",
             "ms", "GB/s", "of case"});
  for (const CaseResult& result : group.cases) {
    double total = 0;
    for (const StageResult& stage : result.stages) total += stage_ns(result, stage);
    for (const StageResult& stage : result.stages) {
      const double ns = measured(result) ? stage_ns(result, stage) : 0;
      const auto bytes = [](std::int64_t count) {
        return format_bytes(static_cast<double>(count));
      };
      rows.add({&stage == &result.stages[0] ? result.variant : "", stage.label, stage.kernel,
                stage.place, describe(stage.out), stage.output, bytes(stage.min_bytes),
                bytes(stage.bytes), stage.link_bytes > 0 ? bytes(stage.link_bytes) : "",
                ns > 0 ? format_ms(ns) : "",
                ns > 0 ? format_significant(static_cast<double>(stage.bytes) / ns, 3) : "",
                ns > 0 ? format_percent(ns / total) : ""});
    }
  }
  return rows.text({0, 1, 2, 3, 4, 5});
}

}  // namespace normbench
