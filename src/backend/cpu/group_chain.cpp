#include "backend/cpu/rows.h"

namespace normbench {

std::span<const Kernel> group_chain_rows() {
  static const Kernel rows[] = {reference_row(Moments::name),
                                reference_row(ScaleShift::name),
                                reference_row(Mul::name),
                                reference_row(Sum::name),
                                reference_row(BatchNormBackward::name),
                                reference_row(Accumulate::name)};
  return rows;
}

}  // namespace normbench
