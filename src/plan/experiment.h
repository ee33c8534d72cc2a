/// An experiment of a config: its groups, one per point of the sweep.
#pragma once

#include "plan/plan.h"
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

/// Asks a reader that describes for all members of an experiment. Of its variants and what they
/// start with it says only that they may be there.
void describe_experiment(Reader& reader);

/// The groups of `experiment`, written at `pointer`. Mistakes go to `context.issues`; a group with
/// mistakes is incomplete.
std::vector<Group> plan_experiment(const Json& experiment, const std::string& pointer,
                                   PlanContext& context);

/// Keeps the cases that match one of the globs of `--only` and, if any does, the baseline; without
/// globs all cases.
void keep_chosen(Group& group, const std::vector<std::string>& globs);

/// The case called `name`: as written (the first of its variations) or as displayed; null for none.
const Case* find_case(const Group& group, const std::string& name);

}  // namespace normbench
