#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/amdahl.h"
#include "analysis/case_analysis.h"
#include "analysis/cause.h"
#include "analysis/limit_kind.h"
#include "analysis/verdict.h"
#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kMostOfTheTime = 0.6;

}  // namespace

Cause link_cause(const GroupResult& group, const CaseResult& result, const CaseAnalysis& analysis) {
  if (link_bytes(result) == 0) return {};
  const std::vector<Part> list = parts(result);
  const auto copies = std::ranges::find(list, "link", &Part::resource);
  const double share = copies == list.end() ? 0 : std::min(1.0, copies->share);
  if (const auto gain = gain_at_most(result, "link"); gain && share >= kMostOfTheTime)
    return {"link", "the link. " + *gain, share};
  if (analysis.of_limit && analysis.of_limit->value >= at_limit &&
      limit_kind(group, analysis.limit) == "link")
    return {"link",
            fmt::format("the link. {} at {} of its limit: only fewer bytes over it would be "
                        "faster.",
                        format_bytes(static_cast<double>(link_bytes(result))),
                        format_percent(analysis.of_limit->value)),
            std::max(share, analysis.of_limit->value)};
  if (share < kMostOfTheTime) return {};
  return {"link", fmt::format("the link. Its copies take {} of the time.", format_percent(share)),
          share};
}

std::string link_arithmetic(const GroupResult& group) {
  std::map<std::int64_t, std::string> carried;  // bytes -> first skipped variant that needs them
  for (const CaseResult& result : group.cases) {
    std::int64_t bytes = 0;
    for (const StageResult& stage : result.stages) bytes += stage.link_bytes;
    if (result.status == Status::Skipped && bytes > 0) carried.emplace(bytes, result.variant);
  }
  if (carried.size() < 2) return "";
  const auto& [least, lean] = *carried.begin();
  const auto& [most, rich] = *carried.rbegin();
  return fmt::format(
      "The link would carry {:.1f}x fewer bytes with {} than with {} ({} for {} a batch): "
      "arithmetic, "
      "not measured here.",
      static_cast<double>(most) / static_cast<double>(least), spoken(lean), spoken(rich),
      format_bytes(static_cast<double>(least)), format_bytes(static_cast<double>(most)));
}

}  // namespace normbench
