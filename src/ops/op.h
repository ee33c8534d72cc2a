/// The catalogue of ops: what a stage means, before any kernel is chosen.
///
/// Each op is a struct with a file of its own. It has `name`, `about`, its parameters, and
///   static T read(Reader&)                 its own parameters only; absent: it has none
///   infer(in) -> std::vector<TensorDesc>   throws Invalid
///   reference(in, out, first)              exact meaning, in double
///   reference(in, out, first, item)        the same of an op that gives each item something else
///   accuracy(in, exact, out)               of each output: its range, and the error bounds of its
///                                          elements
///   fewest(in, out) -> Cost                default: reads every input, writes every output once
///   static constexpr int flops_per_element   in its place: each output comes of one input element
///   static constexpr int flops_per_input   every input is read, with so many for each of the first
///   whole_batch() -> bool                  an output image depends on others than the input image
///                                          of its number; default: on that alone
///   row_wise() -> bool                     row h of an output image depends on row h of the input
///                                          image of its number alone; default: it does not
///   static std::vector<T> samples(Shape)   what a self-test tries; absent: it has no parameters
///   feeds(first) -> std::vector<Feeds>     inputs that a self-test tries; default: `first` alone
///   static constexpr bool starts           takes no input: starts a variant; needs no samples
///   static constexpr bool moves_only       values stay what they are; such an op has no `accuracy`
/// One that says what becomes of its input's values has neither `reference` nor `accuracy`:
///   static constexpr bool copies           each stays what and where it is
///   static constexpr bool passes_through   the same, in the first input's own bytes: no `infer`
///   static constexpr bool needs_input      such a one begins when its input is there
///   static constexpr bool undefined        output values are undefined, any byte is right
///   static constexpr bool peer_only        nothing here runs it: no kernel, no samples either
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "ops/cast.h"
#include "ops/checks.h"
#include "ops/compute.h"
#include "ops/concat.h"
#include "ops/copy.h"
#include "ops/crop.h"
#include "ops/denormalize.h"
#include "ops/flip.h"
#include "ops/group_chain.h"
#include "ops/group_norm.h"
#include "ops/host_memory.h"
#include "ops/launch_sync.h"
#include "ops/load.h"
#include "ops/model.h"
#include "ops/normalize.h"
#include "ops/resize.h"
#include "ops/save.h"
#include "ops/source.h"
#include "ops/stream.h"
#include "ops/sub_div.h"
#include "ops/transfer.h"

namespace normbench {

using Op = std::variant<Source, Load, Resize, Crop, FlipOp, LayoutOp, Concat, Cast, Sub, Div,
                        Normalize, Denormalize, GroupNorm, Moments, ScaleShift, Mul, Sum,
                        BatchNormBackward, Accumulate, Model, Copy, Stream, FirstTouch, H2d, D2h,
                        Exchange, Pin, Register, Unregister, EmptyLaunch, Sync, Compute, Save>;

/// Calls `use(std::type_identity<T>{})` for each op of the catalogue, in its order.
template <class Use>
void for_each_op(Use use) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (use(std::type_identity<std::variant_alternative_t<I, Op>>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Op>>{});
}

std::string_view name_of(const Op& op);

/// Names of all ops, in the catalogue's order.
std::vector<std::string> op_names();

/// What an op's parameter is about. OfOutput: what the op writes tells it, too. Files: which ones
/// are loaded; others, where their Storage is another.
enum class ParameterKind { Constants, Flip, OfOutput, Storage, Files, Other };
ParameterKind parameter_kind(std::string_view parameter);

/// The op called `name` with parameters from `reader`; nothing (and no issue) for an unknown name.
std::optional<Op> read_op(std::string_view name, Reader& reader);

/// The outputs. Their memory kind is the first input's; the planner overrides it. Throws Invalid.
std::vector<TensorDesc> infer(const Op& op, std::span<const TensorDesc> in);

/// The op on whole images [first, first + count) in double; `in` and `out` hold just those images
/// (and tensors that are no batch, such as one value for each channel, whole). `item`: which
/// iteration of a turn it is, for what a loader reads.
void reference(const Op& op, std::span<const Tensor64> in, std::span<Tensor64> out,
               std::int64_t first, std::int64_t item = 0);

/// False for ops whose output values are undefined, or known to a peer alone.
bool has_reference(const Op& op);

/// True if output images do not depend on the input image of their number alone (sums over the
/// batch, another order), so that `reference` needs all images at once.
bool whole_batch(const Op& op);

/// True if a row of an output image depends on the same row of one input image alone, so that
/// `reference` and `accuracies` can be given some of the rows.
bool row_wise(const Op& op);

/// True for ops that no kernel of this program ever does.
bool is_peer_only(const Op& op);

/// True if the output is the first input's own bytes, which the op does not touch.
bool passes_through(const Op& op);

/// True if the op reads its inputs, or stands for one that does.
bool needs_input(const Op& op);

/// Range and forward error bounds of each output; `exact` are their values, as of `reference`.
std::vector<Accuracy> accuracies(const Op& op, std::span<const Known> in,
                                 std::span<const Tensor64> exact, std::span<const TensorDesc> out);

/// The op when it is done by a library that holds these in the dtype of its output.
Op with_rounds(Op op, const Rounds& rounds);

/// The fewest bytes the op can move, and its arithmetic.
Cost fewest(const Op& op, std::span<const TensorDesc> in, std::span<const TensorDesc> out);

/// The op called `name` with parameters worth trying on such an input; none if it takes no input.
std::vector<Op> samples(std::string_view name, const Shape& shape);

/// All inputs for such an op on a tensor like `first`, in every way worth trying.
std::vector<Feeds> feeds(const Op& op, const TensorDesc& first);

}  // namespace normbench
