#include "analysis/compare_match.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "analysis/words.h"

namespace normbench {
namespace {

using Keys = std::map<std::string, std::size_t>;

CaseName name_in(const GroupResult& group, const CaseResult& result) {
  return {.experiment = group.experiment, .point = group.point, .variant = result.variant};
}

/// Adds one side's cases; `side` says which member of a match they go to.
void add(const std::vector<Results>& runs, std::vector<CaseRun> MatchedCase::*side, Keys& keys,
         std::vector<MatchedCase>& cases) {
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (const GroupResult& group : runs[run].groups)
      for (const CaseResult& result : group.cases) {
        const CaseName name = name_in(group, result);
        const auto [at, is_new] = keys.try_emplace(case_key(name), cases.size());
        if (is_new) cases.push_back({.name = name, .base = {}, .now = {}});
        auto& of_runs = cases[at->second].*side;
        of_runs.resize(runs.size());
        of_runs[run] = {.results = &runs[run], .result = &result};
      }
}

bool matches(const std::string& glob, const std::string& name) {
  return glob == name || fnmatch(glob.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

std::string case_key(const CaseName& name) {
  std::map<std::string, Json> axes;
  for (const auto& [axis, value] : name.point.items()) axes[axis] = value;
  std::string key = name.experiment;
  for (const auto& [axis, value] : axes)
    key += '\0' + axis + '=' + value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return key + '\0' + '\0' + name.variant;
}

MatchedCases match_cases(const std::vector<Results>& base, const std::vector<Results>& now) {
  Keys keys;
  std::vector<MatchedCase> all;
  add(base, &MatchedCase::base, keys, all);
  add(now, &MatchedCase::now, keys, all);
  MatchedCases matched;
  for (MatchedCase& one : all) {
    if (one.now.empty())
      matched.base_only.push_back(one.name);
    else if (one.base.empty())
      matched.new_only.push_back(one.name);
    else
      matched.both.push_back(std::move(one));
  }
  return matched;
}

std::vector<Issue> duplicate_cases(const Results& results) {
  std::map<std::string, std::string> first;
  std::vector<Issue> issues;
  for (std::size_t g = 0; g < results.groups.size(); ++g)
    for (std::size_t c = 0; c < results.groups[g].cases.size(); ++c) {
      const GroupResult& group = results.groups[g];
      const CaseName name = name_in(group, group.cases[c]);
      const std::string pointer = fmt::format("/groups/{}/cases/{}", g, c);
      const auto [at, is_new] = first.try_emplace(case_key(name), pointer);
      if (is_new) continue;
      issues.push_back(
          {pointer, fmt::format("{}, {} is there twice, first at {} (expected every case once)",
                                name.experiment, spoken(name.variant), at->second)});
    }
  return issues;
}

bool keep_cases(Results& results, const std::vector<std::string>& globs) {
  if (globs.empty()) return true;
  bool any = false;
  for (GroupResult& group : results.groups) {
    const auto unwanted = [&](const CaseResult& result) {
      return std::ranges::none_of(globs, [&](const std::string& glob) {
        return matches(glob, group.experiment) || matches(glob, result.variant) ||
               matches(glob, group.experiment + "/" + result.variant);
      });
    };
    std::erase_if(group.cases, unwanted);
    any = any || !group.cases.empty();
  }
  return any;
}

}  // namespace normbench
