/// Values of a case that share their bytes, and what became of them.
#pragma once

#include "plan/plan.h"

namespace normbench {

/// The value whose own buffer holds value `index`, through all that works in place or passes
/// through.
int buffer_of(const Case& work, int index);

/// The stage that wrote over value `index` after it was made; null while it is whole.
const Stage* overwriter_of(const Case& work, int index);

/// What the last `register` gave, while no `unregister` undid it; else -1.
int registered_value(const Case& work);

/// True if a `register` page-locked the value and an `unregister` undid it.
bool is_unregistered(const Case& work, int index);

}  // namespace normbench
