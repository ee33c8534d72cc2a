#include "analysis/compare/match.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>

namespace normbench {
namespace {

using Keys = std::map<std::string, std::size_t>;

/// Adds the cases of the runs of one side to `cases`. `side` is the member of MatchedCase for this
/// side: `base` or `now`. `keys` has the index in `cases` for each case_key().
void add(const std::vector<Results>& runs, std::vector<CaseRun> MatchedCase::*side, Keys& keys,
         std::vector<MatchedCase>& cases) {
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (const GroupResult& group : runs[run].groups)
      for (const CaseResult& result : group.cases) {
        const CaseName name{group.experiment, group.point, result.variant};
        const auto [at, is_new] = keys.try_emplace(case_key(name), cases.size());
        if (is_new) cases.push_back({.name = name, .base = {}, .now = {}});
        auto& of_runs = cases[at->second].*side;
        of_runs.resize(runs.size());
        of_runs[run] = {.results = &runs[run], .group = &group, .result = &result};
      }
}

bool matches(const std::string& glob, const std::string& name) {
  return glob == name || fnmatch(glob.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

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

bool keep_cases(Results& results, const std::vector<std::string>& globs) {
  if (globs.empty()) return true;
  bool any = false;
  for (GroupResult& group : results.groups) {
    const auto unwanted = [&](const CaseResult& result) {
      return std::ranges::none_of(globs, [&](const std::string& glob) {
        return matches(glob, group.experiment) || matches(glob, result.variant) ||
               matches(glob, group.experiment + '/' + result.variant);
      });
    };
    std::erase_if(group.cases, unwanted);
    any = any || !group.cases.empty();
  }
  return any;
}

}  // namespace normbench
