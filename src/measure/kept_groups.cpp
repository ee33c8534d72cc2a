#include "measure/kept_groups.h"

#include <fmt/format.h>

#include "core/issue.h"

namespace normbench {
namespace {

template <class Cases>
std::string variants(const Cases& cases) {
  std::string text;
  for (const auto& work : cases)
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", work.variant);
  return text;
}

/// The same text for a group of a plan and of a journal that belong together.
template <class AnyGroup>
std::string identity(const AnyGroup& group) {
  return fmt::format("\"{}\" at {} with {}, baseline \"{}\"", group.experiment, group.point.dump(),
                     variants(group.cases), group.baseline);
}

void require_index(std::size_t index, const Plan& plan) {
  if (index >= plan.groups.size())
    throw Invalid(fmt::format("it names group {}, but the config plans {} groups (counted from 0)",
                              index, plan.groups.size()));
}

}  // namespace

void require_fit(const JournalContent& content, const Plan& plan) {
  for (const auto& [index, hung] : content.hung) require_index(index, plan);
  for (const auto& [index, group] : content.groups) {
    require_index(index, plan);
    const std::string kept = identity(group), planned = identity(plan.groups[index]);
    if (kept != planned)
      throw Invalid(fmt::format("its group {} is {}; the config plans {}", index, kept, planned));
  }
}

}  // namespace normbench
