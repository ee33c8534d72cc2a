#include "report/limits_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/case_analysis.h"
#include "core/units.h"

namespace normbench {

double bytes_per_second(const CaseResult& limit, const Results& results) {
  if (!measured(limit)) return 0;
  return static_cast<double>(limit.source_bytes + limit.result_bytes) * 1e9 /
         median_ns(limit, results);
}

std::string limits_summary(const GroupResult& group, const Results& results) {
  std::map<double, double> best;  // bytes written per byte read -> bytes per second
  for (const CaseResult& limit : group.limits) {
    if (!measured(limit) || has_op(limit, "first_touch") || limit.source_bytes <= 0) continue;
    double& rate =
        best[static_cast<double>(limit.result_bytes) / static_cast<double>(limit.source_bytes)];
    rate = std::max(rate, bytes_per_second(limit, results));
  }
  std::string text;
  for (const auto& [mix, rate] : best)
    text += fmt::format("{}1:{:.3g} {}", text.empty() ? "" : ", ", mix,
                        format_significant(rate / 1e9, 3));
  return text.empty() ? "" : fmt::format(" · limits (read:write): {} GB/s", text);
}

}  // namespace normbench
