#include "backend/cpu/rows.h"

namespace normbench {

std::span<const Kernel> group_norm_rows() {
  static const Kernel rows[] = {reference_row(GroupNorm::name)};
  return rows;
}

}  // namespace normbench
