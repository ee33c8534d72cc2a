#include "analysis/measured_document.h"

#include "analysis/case_analysis.h"

namespace normbench {
namespace {

/// Returns the number of teams of threads that an empty launch (is_launch) starts.
double count_of(const StageResult& launch) {
  const Json& count = value_at(launch.parameters, "/count");
  return count.is_number() ? count.get<double>() : 1;
}

bool only_starts_teams(const CaseResult& result) {
  return measured(result) && result.stages.size() == 1 && is_launch(result.stages[0]) &&
         !uses_gpu(result);
}

/// Returns a key that is the same for all groups of an experiment that differ only on this axis.
std::string line_key(const GroupResult& group, const std::string& axis) {
  std::string key = group.experiment + '\0' + axis;
  for (const auto& [name, value] : group.point.items())
    if (name != axis)
      key += '\0' + name + '=' + value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return key;
}

}  // namespace

MeasuredDocument::MeasuredDocument(const Results& results) : results_(results) {
  for (const GroupResult& group : results.groups) {
    for (const auto& [axis, value] : group.point.items())
      along_[line_key(group, axis)].push_back(&group);
    for (const auto* list : {&group.cases, &group.limits})
      for (const CaseResult& result : *list)
        if (only_starts_teams(result) && !team_ns_.contains(result.threads))
          team_ns_.emplace(result.threads, median_ns(result, results) / teams(result));
  }
}

std::vector<const GroupResult*> MeasuredDocument::along(const GroupResult& group,
                                                        const std::string& axis) const {
  const auto found = along_.find(line_key(group, axis));
  return found == along_.end() ? std::vector<const GroupResult*>() : found->second;
}

std::optional<double> MeasuredDocument::team_ns(int threads) const {
  const auto found = team_ns_.find(threads);
  return found == team_ns_.end() ? std::nullopt : std::optional(found->second);
}

bool is_launch(const StageResult& stage) { return roles_of(stage).limit == LimitKind::Launch; }

double teams(const CaseResult& result) {
  double sum = 0;
  for (const StageResult& stage : result.stages)
    if (stage.place == Place::Cpu) sum += is_launch(stage) ? count_of(stage) : 1;
  return sum;
}

}  // namespace normbench
