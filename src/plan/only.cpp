#include "plan/only.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "core/characters.h"

namespace normbench {
namespace {

/// Returns true if the glob matches a name of the case, the name of the experiment, or
/// "EXPERIMENT/NAME".
bool matches(const std::string& glob, const Group& group, const Case& one) {
  for (const std::string& name :
       {group.experiment, one.written, one.variant, group.experiment + "/" + one.written,
        group.experiment + "/" + one.variant})
    // A glob that equals a name matches it. This needs its own test, because a name may contain
    // brackets, which are special in a glob.
    if (glob == name || fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

/// Returns the variants of each experiment, like "place: CPU, 'GPU eager'; dtype: CPU" for the
/// experiments "place" and "dtype". Names are quoted for a shell.
std::string all_variants(const std::vector<Group>& groups) {
  std::vector<std::string> experiments;
  std::set<std::string> seen;
  for (const Group& group : groups) {
    if (!seen.insert(group.experiment).second) continue;
    std::vector<std::string> variants;
    for (const Case& one : group.cases)
      if (std::ranges::find(variants, one.written) == variants.end())
        variants.push_back(one.written);
    for (std::string& variant : variants) variant = shell_word(variant);
    experiments.push_back(
        fmt::format("{}: {}", shell_word(group.experiment), fmt::join(variants, ", ")));
  }
  return fmt::format("{}", fmt::join(experiments, "; "));
}

}  // namespace

void keep_chosen(Group& group, const std::vector<std::string>& globs) {
  if (globs.empty()) return;
  const auto wanted = [&](const Case& one) {
    return std::ranges::any_of(globs, [&](const auto& glob) { return matches(glob, group, one); });
  };
  const bool any = std::ranges::any_of(group.cases, wanted);
  std::erase_if(group.cases, [&](const Case& one) {
    return !any || (one.variant != group.baseline && !wanted(one));
  });
  const auto gone = [&](const std::string& variant) { return group.find(variant) == nullptr; };
  std::erase_if(group.published, [&](const Published& one) { return gone(one.variant); });
  std::erase_if(group.claims, [&](const Claim& one) { return gone(one.left) || gone(one.right); });
}

void keep_only(std::vector<Group>& groups, const std::vector<std::string>& globs,
               std::vector<Issue>& issues) {
  if (globs.empty()) return;
  for (const std::string& glob : globs) {
    const auto hit = [&](const Group& group) {
      return std::ranges::any_of(group.cases,
                                 [&](const Case& one) { return matches(glob, group, one); });
    };
    if (std::ranges::none_of(groups, hit))
      issues.push_back({"", fmt::format("--only {}: nothing matches (there are {})",
                                        shell_word(glob), all_variants(groups))});
  }
  for (Group& group : groups) keep_chosen(group, globs);
  std::erase_if(groups, [](const Group& group) { return group.cases.empty(); });
}

}  // namespace normbench
