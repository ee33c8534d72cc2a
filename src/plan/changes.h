/// Changes of a config by the command line: --set, --axis and --vary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/issue.h"
#include "core/json.h"
#include "plan/options.h"

namespace normbench {

/// What an option of the command line changed.
struct ConfigChange {
  std::string option = {};                 // "--set normalize.dtype=float16"
  std::vector<std::string> pointers = {};  // JSON pointers to the values it wrote
  // How many claims, published figures and baselines the option removed, because they name a value
  // of an axis, or a case, that does not exist any more.
  int dropped = 0;
};

/// Changes the config by the options --set, --axis and --vary, in this order. Mistakes go to
/// `issues`.
///
/// --set NAME=VALUE, where NAME is one of:
/// - a JSON pointer to a value or to a new member of an object.
/// - a key of `measure`. The value then holds for all experiments.
/// - OP.FIELD (a parameter of all stages of an op) or `threads`. The value replaces the values in
///   defaults, experiments and axes.
///
/// --axis NAME=VALUES and --vary NAME=VALUES, where NAME is OP.FIELD or `threads`. --axis makes a
/// sweep over the values. --vary makes a case of each value. If the config already varies the same
/// parameter along an axis that nothing else uses, that axis is removed.
///
/// A VALUE that is not JSON is a string. VALUES are a JSON list, or values with commas between
/// them. Claims, published figures and baselines are removed if they name a value of an axis, or a
/// case, that does not exist any more.
std::vector<ConfigChange> apply_changes(Json& config, const PlanOptions& options,
                                        std::vector<Issue>& issues);

/// Returns `text` parsed as JSON; if it is not JSON, returns it as a JSON string. Throws Invalid if
/// the text is not UTF-8 or has a key twice.
Json json_or_text(const std::string& text);

/// Splits "1,[2,3]" at the commas outside of brackets and quotes.
std::vector<std::string> split_values(const std::string& text);

}  // namespace normbench
