/// Changes of a config by the command line: --set, --axis and --vary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/issue.h"
#include "core/json.h"
#include "plan/options.h"

namespace normbench {

/// A part of a changed config that the command line wrote, for messages about mistakes in it.
struct WrittenBy {
  std::string pointer;  // of the part
  std::string option;   // "--set normalize.dtype=float16"
};

/// Changes the config as --set, --axis and --vary say, in this order. Mistakes go to `issues`.
///
/// --set NAME=VALUE, where NAME is one of:
/// - a JSON pointer to a value or to a new member of an object.
/// - a key of `measure`. The value then holds for all experiments.
/// - OP.FIELD, a parameter of all stages of an op, or `threads`. The value replaces what defaults,
///   experiments and axes say.
///
/// --axis NAME=VALUES makes a sweep over OP.FIELD or `threads`, and --vary NAME=VALUES makes a case
/// of each value. An axis that was used for nothing else is replaced.
///
/// A VALUE that is not JSON is a string. VALUES are a JSON list, or values with commas between
/// them. Claims, published figures and baselines are removed if they name a value of an axis or a
/// case that is not there any more.
std::vector<WrittenBy> apply_changes(Json& config, const PlanOptions& options,
                                     std::vector<Issue>& issues);

}  // namespace normbench
