/// An experiment of a config: its groups, one per point of the sweep.
#pragma once

#include "plan/plan.h"
#include "plan/stage_spec.h"
#include "plan/variant.h"

namespace normbench {

/// Shared by all experiments of a config.
struct PlanContext {
  const Backends& backends;
  const PlanOptions& options;
  const Json& written;   // the config as its file has it, before --set
  const Json& defaults;  // `defaults` of the config, an object
  const std::map<std::string, PeerCommand>& peers;
  const Measure& measure;  // of the config
  std::vector<Issue>& issues;
  ResolvedOps resolved;
};

/// The case of a variant, still unnamed; nothing after a mistake, which goes to `context.issues`.
std::optional<Case> decide_case(const VariantText& text, PlanContext& context);

/// Reads the "threads" of an experiment, whether or not all its variants have their own.
void check_threads(Reader& experiment);

/// What a variant may say beside its stages, to a reader that describes.
void describe_variant(Reader& reader);

/// What an experiment may say, to a reader that describes: of its variants and of what they start
/// with, that they may be there.
void describe_experiment(Reader& reader);

/// The groups of `experiment`, written at `pointer`. Mistakes go to `context.issues`; a group with
/// mistakes is incomplete.
std::vector<Group> plan_experiment(const Json& experiment, const std::string& pointer,
                                   PlanContext& context);

/// Keeps what matches one of the globs of `--only` and, where anything does, the baseline; all
/// without globs.
void keep_chosen(Group& group, const std::vector<std::string>& globs);

/// The case called `name`, as written (the first of its variations) or displayed; null for none.
const Case* find_case(const Group& group, const std::string& name);

}  // namespace normbench
