/// Turns the complete text of a variant into a decided case.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/case.h"
#include "plan/options.h"
#include "plan/stage_spec.h"
#include "plan/variant.h"

namespace normbench {

/// What the experiments of a config share.
struct PlanContext {
  const Backends& backends;
  const PlanOptions& options;
  const Json& written;   // the config as the file has it, before --set
  const Json& defaults;  // `defaults` of the config, an object
  const std::map<std::string, PeerCommand>& peers;
  const Measure& measure;  // `measure` of the config
  std::vector<Issue>& issues;
  ResolvedOps resolved;
};

/// Decides the case of a variant. The case has no name yet. Returns nothing after a mistake, which
/// is added to `context.issues`.
std::optional<Case> decide_case(const VariantText& text, PlanContext& context);

/// Checks the "threads" of an experiment, even if each variant sets its own.
void check_threads(Reader& experiment);

/// Asks `reader` for all members of a variant other than its stages. Used to make the schema.
void describe_variant(Reader& reader);

}  // namespace normbench
