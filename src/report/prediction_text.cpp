#include "report/prediction_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/prediction.h"
#include "core/text.h"
#include "core/units.h"
#include "document/visible.h"
#include "report/words.h"

namespace normbench {
namespace {

std::string lanes_text(const Case& planned, const Prediction& prediction) {
  std::vector<std::string> lanes;
  for (std::size_t i = 0; i < prediction.lanes_ns.size(); ++i) {
    const auto& ns = prediction.lanes_ns[i];
    lanes.push_back(fmt::format("{} {}", planned.pipeline->lanes[i].name,
                                ns ? format_ms(*ns) + " ms" : "unknown"));
  }
  return fmt::format("{}", fmt::join(lanes, ", "));
}

std::string bound_text(const Case& planned, const Prediction& prediction, std::int64_t cores) {
  if (!prediction.missing.empty())
    return fmt::format("the document has no time of {} with these shapes and threads",
                       enumerate(prediction.missing));
  const std::string by = prediction.held == Held::OneThread ? "one host thread"
                         : prediction.held
                             ? counted(planned.pipeline->in_flight, "item") + " in flight"
                         : prediction.kind == BoundKind::Lane ? prediction.lane
                                                              : counted(cores, "core");
  return fmt::format("at least {} ms an item, by {}; {} ms in turn, so {} at most",
                     format_ms(prediction.bound_ns), by, format_ms(prediction.in_turn_ns),
                     factor(prediction.in_turn_ns / prediction.bound_ns));
}

}  // namespace

std::string prediction_text(const Plan& plan, const Results& given, std::int64_t cores,
                            const Screen& screen) {
  const Results times = visible(given);
  std::string text;
  for (const Group& group : plan.groups)
    for (const Case& planned : group.cases) {
      if (!planned.pipeline) continue;
      const Prediction prediction = predict(planned, times, cores);
      const std::string at = point_text(group.point);
      text += wrapped(fmt::format("{}{}{}, {}: {}: {}", group.experiment, at.empty() ? "" : " at ",
                                  at, spoken(planned.variant), lanes_text(planned, prediction),
                                  bound_text(planned, prediction, cores)),
                      2, prose_width(screen));
    }
  return text.empty() ? "" : "Pipelines, by the stage times of " + times.name + "\n" + text;
}

}  // namespace normbench
