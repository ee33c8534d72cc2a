/// Where a stage runs and what memory it writes.
#pragma once

#include "plan/stage_spec.h"

namespace normbench {

/// Device memory is worked on by the GPU and host memory by the CPU, unless `spec.place` says
/// otherwise and that place reaches the memory. Throws StageMistake where it does not.
Place place_of(const StageSpec& spec, std::span<const TensorDesc> in);

/// The memory kind of the outputs: what `spec.memory` says where the place reaches it, else device
/// on the GPU and the input's kind on the CPU. Throws StageMistake.
Memory output_memory(const StageSpec& spec, Place place, std::span<const TensorDesc> in);

/// Throws StageMistake unless the stage may write its output over its input.
void check_in_place(const Op& op, const TensorDesc& in, const TensorDesc& out);

}  // namespace normbench
