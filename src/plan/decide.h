/// From the complete text of a variant to a decided case.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/stage_spec.h"
#include "plan/variant.h"

namespace normbench {

/// Shared by all experiments of a config.
struct PlanContext {
  const Backends& backends;
  const PlanOptions& options;
  const Json& defaults;  // `defaults` of the config, an object
  const std::map<std::string, PeerCommand>& peers;
  std::vector<Issue>& issues;
  ResolvedOps resolved;
};

/// The case of a variant, still unnamed; nothing after a mistake, which goes to `context.issues`.
std::optional<Case> decide_case(const VariantText& text, PlanContext& context);

}  // namespace normbench
