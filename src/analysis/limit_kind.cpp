#include "analysis/limit_kind.h"

#include "analysis/case_analysis.h"

namespace normbench {

std::string limit_kind(const CaseResult& limit) {
  if (link_bytes(limit) > 0) return "link";
  if (has_op(limit, "launch")) return "launch";
  return has_op(limit, "first_touch") ? "page faults" : "memory";
}

std::string limit_kind(const GroupResult& group, const std::string& name) {
  for (const CaseResult& limit : group.limits)
    if (limit.variant == name) return limit_kind(limit);
  return "";
}

}  // namespace normbench
