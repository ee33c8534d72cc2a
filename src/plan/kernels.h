/// Which row of a backend runs a stage.
#pragma once

#include <optional>
#include <string>

#include "backend/backend.h"

namespace normbench {

/// Why nothing can run in this place, whatever it is; nothing when something can.
std::optional<std::string> missing_place(const Backends& backends, Place place);

struct KernelChoice {
  const Kernel* kernel = nullptr;
  std::optional<std::string> skip;  // why it cannot run here
};

/// The row called `forced`, or where that is "" the first row beside the reference that takes the
/// signature; an op's only row is no reference. Throws Invalid when there are rows but none that
/// fits.
KernelChoice choose_kernel(const Backends& backends, Place place, const Op& op,
                           const Signature& signature, const std::string& forced);

}  // namespace normbench
