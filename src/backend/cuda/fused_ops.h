/// What fused kernels are asked to do for an op.
#pragma once

#include "backend/cuda/fused_task.h"
#include "backend/cuda/normalize.h"
#include "ops/op.h"

namespace normbench::cuda {

/// The task of one launch on these views: the window of the input, mirrored.
FusedTask task_of(const Crop& op, const View& in, const View& out);
FusedTask task_of(const FlipOp& op, const View& in, const View& out);
FusedTask task_of(const LayoutOp& op, const View& in, const View& out);
FusedTask task_of(const Normalize& op, const View& in, const View& out);

/// (x * scale - mean) / std as one multiplication and one addition, for every channel. Throws
/// std::runtime_error when a standard deviation is 0.
void set_constants(const Normalize& op, std::int64_t channels, NormalizeArguments& arguments);

}  // namespace normbench::cuda
