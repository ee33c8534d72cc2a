#include "analysis/analysed.h"

#include <map>

#include "document/visible.h"

namespace normbench {

std::vector<Experiment> experiments(const Results& results) {
  std::vector<Experiment> list;
  const MeasuredDocument document(results);
  for (const GroupResult& group : results.groups) {
    if (list.empty() || list.back().groups[0]->experiment != group.experiment) list.emplace_back();
    list.back().groups.push_back(&group);
    list.back().analyses.push_back(analyse(group, document));
  }
  std::map<std::string, std::size_t> not_reached;
  if (results.missing)
    for (const MissingGroup& group : *results.missing)
      if (group.is_absent()) ++not_reached[group.experiment];
  for (Experiment& experiment : list)
    if (const auto found = not_reached.find(experiment.groups[0]->experiment);
        found != not_reached.end())
      experiment.not_reached = found->second;
  return list;
}

Analysed::Analysed(Results results) : Analysed(std::move(results), IsVisible()) {
  if (!is_visible(results_))
    visible_.reset(new Analysed(normbench::visible(results_), IsVisible()));
}

Analysed::Analysed(Results results, IsVisible)
    : results_(std::move(results)), experiments_(normbench::experiments(results_)) {}

}  // namespace normbench
