/// The catalogue of ops: what a stage means, before any kernel is chosen.
///
/// Each op is a struct with a .h/.cpp of its own that has
///   static constexpr std::string_view name, about;
///   static T read(Reader&)                                        its own parameters only
///   std::vector<TensorDesc> infer(std::span<const TensorDesc>)    throws Invalid
///   void reference(in, out)                                       exact meaning, in double
///   Accuracy accuracy(std::span<const Accuracy>, std::span<const TensorDesc> out)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/reader.h"
#include "core/tensor.h"
#include "ops/accuracy.h"
#include "ops/cast.h"
#include "ops/copy.h"
#include "ops/crop.h"
#include "ops/flip.h"
#include "ops/host_memory.h"
#include "ops/launch_sync.h"
#include "ops/layout.h"
#include "ops/load.h"
#include "ops/normalize.h"
#include "ops/resize.h"
#include "ops/source.h"
#include "ops/stream.h"
#include "ops/sub_div.h"
#include "ops/transfer.h"

namespace normbench {

using Op = std::variant<Source, Load, Resize, Crop, FlipOp, LayoutOp, Cast, Sub, Div, Normalize,
                        Copy, Stream, FirstTouch, H2d, D2h, Exchange, Pin, Register, Unregister,
                        EmptyLaunch, Sync>;

std::string_view name_of(const Op& op);
std::string_view about(const Op& op);

/// Names of all ops, in the catalogue's order.
std::vector<std::string> op_names();

/// The op called `name` with parameters from `reader`; nothing (and no issue) for an unknown name.
std::optional<Op> read_op(std::string_view name, Reader& reader);

/// Descriptions of the outputs. The memory kind is the first input's; the planner overrides it.
/// Throws Invalid when the inputs do not fit.
std::vector<TensorDesc> infer(const Op& op, std::span<const TensorDesc> in);

/// The op on whole images [first, first + count) in double; `in` and `out` hold just those images.
void reference(const Op& op, std::span<const Tensor64> in, std::span<Tensor64> out,
               std::int64_t first);

/// False for ops whose output values are undefined (stream, first_touch): nothing to check there.
bool has_reference(const Op& op);

/// True if the output is the first input's own bytes, which the op does not touch (register,
/// unregister, launch, sync).
bool passes_through(const Op& op);

/// Range and forward error bound of the outputs.
Accuracy accuracy(const Op& op, std::span<const Accuracy> in, std::span<const TensorDesc> out);

}  // namespace normbench
