/// Makes a case from the complete text of a variant.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/case.h"
#include "plan/options.h"
#include "plan/stage_spec.h"
#include "plan/variant.h"

namespace normbench {

/// The state that all experiments of a config share while they are planned: what the planner reads,
/// and what it has found so far, such as `issues`.
struct PlanContext {
  const Backends& backends;
  const PlanOptions& options;
  const Json& written;   // the config as the file has it, before --set
  const Json& config;    // the config that is planned
  const Json& defaults;  // `defaults` of the config, an object
  const std::map<std::string, PeerCommand>& peers;
  const Measure& measure;  // `measure` of the config
  std::vector<Issue>& issues;
  ResolvedOps resolved;
  // Keeps what is known about image files; shared by all `load` ops.
  std::shared_ptr<Probe> probe = std::make_shared<Probe>();
};

/// Makes the case of a variant, but does not name it. After a mistake, adds an issue to
/// `context.issues` and returns nothing.
std::optional<Case> decide_case(const VariantText& text, PlanContext& context);

/// Checks "threads" of an experiment. Variants without their own "threads" take this value.
void check_threads(Reader& experiment);

/// Calls the getters of `reader` for all members of a variant except its stages. `reader` builds
/// the JSON Schema of a variant from these calls.
void describe_variant(Reader& reader);

}  // namespace normbench
