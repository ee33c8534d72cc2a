#include "report/limits_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/case_analysis.h"
#include "analysis/stage_limits.h"
#include "core/units.h"

namespace normbench {

namespace {

/// What is as fast as it is for one reason; in the order of mentioning.
struct Kind {
  bool link = false, gpu = false;
  double written_per_read = 0;
  std::string op = {}, memory = {};  // over the link

  auto operator<=>(const Kind&) const = default;
};

Kind kind_of(const CaseResult& limit) {
  if (link_bytes(limit) > 0)
    return {.link = true,
            .op = limit.stages[0].op,
            .memory = std::string(name_of(link_memory(limit, 0)))};
  return {.gpu = uses_gpu(limit),
          .written_per_read =
              static_cast<double>(limit.result_bytes) / static_cast<double>(limit.source_bytes)};
}

std::string kind_text(const Kind& kind) {
  if (kind.link) return kind.op + " " + kind.memory;
  return fmt::format("{}1:{:.3g}", kind.gpu ? "GPU " : "", kind.written_per_read);
}

/// Streams of single stages are too many to be told of in a line.
bool is_of_a_case(const CaseResult& limit, const GroupResult& group) {
  return link_bytes(limit) > 0 || std::ranges::any_of(group.cases, [&](const CaseResult& result) {
           return result.source_bytes == limit.source_bytes &&
                  result.result_bytes == limit.result_bytes;
         });
}

}  // namespace

double bytes_per_second(const CaseResult& limit, const Results& results) {
  const bool moves = std::ranges::any_of(
      limit.stages, [](const StageResult& stage) { return stage.bytes + stage.link_bytes > 0; });
  if (!measured(limit) || !moves) return 0;
  const std::int64_t crossed = link_bytes(limit);
  return static_cast<double>(crossed > 0 ? crossed : limit.source_bytes + limit.result_bytes) *
         1e9 / median_ns(limit, results);
}

std::string limits_summary(const GroupResult& group, const Results& results) {
  std::map<Kind, double> best;  // -> bytes per second
  for (const CaseResult& limit : group.limits) {
    if (!measured(limit) || limit.resident || has_op(limit, "first_touch") ||
        limit.source_bytes <= 0 || !is_of_a_case(limit, group))
      continue;
    double& rate = best[kind_of(limit)];
    rate = std::max(rate, bytes_per_second(limit, results));
  }
  std::string text;
  for (const auto& [kind, rate] : best)
    if (rate > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind_text(kind),
                          format_significant(rate / 1e9, 3));
  if (text.empty()) return "";
  return fmt::format(" · limits{}: {} GB/s", best.begin()->first.link ? "" : " (read:write)", text);
}

}  // namespace normbench
