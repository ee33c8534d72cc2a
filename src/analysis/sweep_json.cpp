#include "analysis/sweep_json.h"

#include "analysis/crossover.h"
#include "analysis/fit.h"
#include "analysis/scaling.h"

namespace normbench {

namespace {

Json on(const AxisLine& line) { return {{"axis", line.axis}, {"at", line.fixed}}; }

Json crossing_json(const AxisLine& line, const Crossing& crossing) {
  Json json = on(line);
  json.update({{"a", crossing.a},
               {"b", crossing.b},
               {"points", crossing.points},
               {"decided", crossing.decided},
               {"leader", crossing.leader},
               {"changes", Json::array()}});
  for (const Change& change : crossing.changes)
    json["changes"].push_back(
        {{"from", change.from}, {"to", change.to}, {"after", change.after}, {"by", change.by}});
  return json;
}

Json fit_json(const AxisLine& line, const LinearFit& fit) {
  Json json = on(line);
  json.update({{"variant", fit.variant},
               {"points", fit.points},
               {"explains", fit.explains},
               {"worst_residual", fit.fitted.worst}});
  if (!fit.explains) return json;
  json.update({{"fixed_ns", fit.fitted.fixed_ns},
               {"gb_per_s", fit.fitted.gb_per_s()},
               {"half_bytes", fit.fitted.half_bytes()},
               {"amount_at_90_percent", fit.amount90}});
  return json;
}

Json unscaled_json(const AxisLine& line, const Unscaled& result) {
  Json json = on(line);
  json.update({{"variant", result.variant},
               {"small", result.small},
               {"large", result.large},
               {"work", result.work},
               {"fixed_ns", result.fixed_ns}});
  return json;
}

}  // namespace

Json experiment_json(const Experiment& experiment) {
  Json json = {{"experiment", experiment.groups[0]->experiment},
               {"crossovers", Json::array()},
               {"fits", Json::array()},
               {"unscaled", Json::array()}};
  for (const AxisLine& line : axis_lines(experiment)) {
    for (const Crossing& crossing : crossings(experiment, line))
      json["crossovers"].push_back(crossing_json(line, crossing));
    for (const LinearFit& fit : fits(experiment, line)) json["fits"].push_back(fit_json(line, fit));
    for (const Unscaled& result : unscaled(experiment, line))
      json["unscaled"].push_back(unscaled_json(line, result));
  }
  return json;
}

}  // namespace normbench
