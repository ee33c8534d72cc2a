/// What a trace file's categories mean for tables.
#pragma once

#include <optional>
#include <string_view>

#include "trace/model.h"

namespace normbench {

/// Other for categories that torch does not have; nothing for those of torch's that no table shows.
std::optional<TraceKind> kind_of_category(std::string_view category);

}  // namespace normbench
