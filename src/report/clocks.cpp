#include "report/clocks.h"

#include "analysis/case_analysis.h"
#include "core/units.h"

namespace normbench {

std::string time_title(const Results& results) {
  return results.clock == DecidingClock::Device ? "GPU ms/batch" : "ms/batch";
}

std::string other_time_title(const Results& results) {
  return results.clock == DecidingClock::Device ? "wall ms" : "device ms";
}

std::string other_time(const CaseResult& result, const Results& results) {
  const auto device = device_ns(result);
  if (!device) return "";
  return format_ms(results.clock == DecidingClock::Device ? wall_ns(result) : *device);
}

}  // namespace normbench
