#pragma once

#include "backend/backend.h"

namespace normbench {

/// The row `separable` of resize: vertically, then horizontally, in float32. Input and output are
/// dense and of one layout and dtype.
Launch prepare_separable(const Resize& op, const Signature& signature);

}  // namespace normbench
