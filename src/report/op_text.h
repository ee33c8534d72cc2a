/// Texts about the ops (operations that a stage can run) and their fields. They are made from the
/// code that reads ops in a config.
#pragma once

#include <string>

#include "core/text.h"

namespace normbench {

/// Returns a line for each op, and below it the names of the op's own fields with their defaults,
/// like "dtype=float32, scale=1.0, at".
std::string op_list_text(const Screen& screen);

/// Returns what an op does, and a line for each of its fields with its default and the values that
/// it accepts. At the end are the fields that stages of all ops have in common. `op` must be the
/// name of an op.
std::string op_text(const std::string& op, const Screen& screen);

}  // namespace normbench
