/// The ops and their fields as text, from the readers that read them.
#pragma once

#include <string>

#include "core/text.h"

namespace normbench {

/// Returns a line for each op, and below it the names of its own fields, with their defaults:
/// "dtype=float32, scale=1.0, at".
std::string op_list_text(const Screen& screen);

/// Returns what an op does, and a line for each of its fields: its default, and what it takes. The
/// fields that every stage may have follow. The op must be known.
std::string op_text(const std::string& op, const Screen& screen);

}  // namespace normbench
