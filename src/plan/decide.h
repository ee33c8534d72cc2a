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

/// What all experiments of a config share.
struct PlanContext {
  const Backends& backends;
  const PlanOptions& options;
  const Json& written;   // the config as in its file, before --set
  const Json& defaults;  // `defaults` of the config, an object
  const std::map<std::string, PeerCommand>& peers;
  const Measure& measure;  // the config's
  std::vector<Issue>& issues;
  ResolvedOps resolved;
};

/// The case of a variant, still unnamed; nothing after a mistake, which goes to `context.issues`.
std::optional<Case> decide_case(const VariantText& text, PlanContext& context);

/// Reads the "threads" of an experiment, whether or not all its variants have their own.
void check_threads(Reader& experiment);

/// Asks a reader that describes for all members of a variant beside its stages.
void describe_variant(Reader& reader);

}  // namespace normbench
