#include "analysis/cause.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/amdahl.h"
#include "analysis/causes.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kDominant = 0.5;  // of the time: most of it
constexpr double kOneStage = 0.6;

Cause decode_cause(const Subject& subject) {
  for (const Part& part : parts(subject.result()))
    if (part.resource == "decode" && part.share >= kDominant)
      return {"decode",
              fmt::format("decode. Loading the images takes {} of its time.",
                          format_percent(part.share)),
              part.share};
  return {};
}

/// One resource of several that takes most of the time.
Cause dominant_part(const CaseResult& result) {
  const std::vector<Part> list = parts(result);
  if (list.empty() || list[0].share < kDominant) return {};
  const auto gain = gain_at_most(result, list[0].resource);
  if (!gain) return {};
  const bool named = list[0].resource == "CPU" || list[0].resource == "GPU";
  return {list[0].resource, fmt::format("{}{}. {}", named ? "the " : "", list[0].resource, *gain),
          list[0].share};
}

Cause dominant_stage(const CaseResult& result) {
  if (result.stages.size() < 2) return {};
  for (const StageResult& stage : result.stages)
    if (const double share = stage_share(result, stage); share >= kOneStage)
      return {stage.label,
              fmt::format("{}. It takes {} of its time.", stage.label, format_percent(share)),
              share};
  return {};
}

/// Passes over memory that take most of the time.
Cause main_passes(const Subject& subject) {
  const Cause cause = extra_passes_cause(subject);
  return cause.share >= kDominant ? cause : Cause{};
}

/// The cause that accounts for most of the time, of those that a measurement shows.
Cause largest_cause(const Subject& subject) {
  const Cause one_thread = one_thread_cause(subject);
  Cause largest = one_thread;
  for (const Cause& cause :
       {page_fault_cause(subject), constants_cause(subject), decode_cause(subject),
        link_cause(subject.group, subject.result(), subject.analysis), sync_cause(subject),
        launch_cause(subject), limit_cause(subject), main_passes(subject)})
    if (!cause.name.empty() && (largest.name.empty() || cause.share > largest.share))
      largest = cause;
  // The limits of memory are those of as many threads as the case has.
  const bool memory = largest.name == "memory" || largest.name == "extra passes";
  return memory && !one_thread.name.empty() ? one_thread : largest;
}

}  // namespace

Cause explain(const GroupResult& group, const CaseAnalysis& analysis, int index,
              const Results& results) {
  const Subject subject{group, analysis, index, results};
  if (const Cause cause = largest_cause(subject); !cause.name.empty()) return cause;
  if (const Cause cause = floors_cause(subject); !cause.name.empty()) return cause;
  if (const Cause cause = dominant_part(subject.result()); !cause.name.empty()) return cause;
  if (const Cause cause = dominant_stage(subject.result()); !cause.name.empty()) return cause;
  return extra_passes_cause(subject);
}

}  // namespace normbench
