#include <fmt/format.h>

#include <map>

#include "analysis/verdict.h"
#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

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
