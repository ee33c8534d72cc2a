/// The catalogue of ops: what a stage means, before any kernel is chosen.
///
/// Each op is a struct with a file of its own. It has `name`, `about`, its parameters, and
///   static T read(Reader&)                 reads the op's own parameters; absent: it has none
///   infer(in) -> std::vector<TensorDesc>   the outputs; throws Invalid
///   reference(in, out, first[, item])      the exact meaning, in double; `item` where they differ
///   accuracy(in, exact, out)               the range and the elements' error bounds of each output
///   fewest(in, out) -> Cost                default: reads every input, writes every output once
///   static constexpr int flops_per_element   in place of `fewest`: operations per output element,
///                                          each of which comes of one input element
///   static constexpr int flops_per_input   in place of `fewest`: operations per element of the
///                                          first input; every input is read
///   whole_batch() -> bool                  an output image depends on more than the input image of
///                                          its number; default: false
///   row_wise() -> bool                     row h of an output image depends only on row h of the
///                                          input image of its number; default: false
///   static std::vector<T> samples(Shape)   what a self-test tries; absent: it has no parameters
///   feeds(first) -> std::vector<Feeds>     inputs that a self-test tries; default: `first` alone
///   static constexpr bool starts           takes no input and starts a variant; needs no samples
///   static constexpr bool moves_only       moves values without changing them; has no `accuracy`
/// Other ops say what becomes of their input's values, and have neither `reference` nor `accuracy`:
///   static constexpr bool copies           copies each value to the same element
///   static constexpr bool passes_through   gives on the first input's own bytes; has no `infer`
///   static constexpr bool needs_input      passes through, and begins when its input is there
///   static constexpr bool undefined        output values are undefined: any byte is right
///   static constexpr bool peer_only        only peers run it: it has no kernel and no samples
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

/// The names of all ops, in the catalogue's order.
std::vector<std::string> op_names();

/// What an op's parameter is about. OfOutput: what the op writes shows it, too. Files: which files
/// are loaded, which are other ones where their Storage is another.
enum class ParameterKind { Constants, Flip, OfOutput, Storage, Files, Other };
ParameterKind parameter_kind(std::string_view parameter);

/// The op called `name` with parameters from `reader`; nothing (and no issue) for an unknown name.
std::optional<Op> read_op(std::string_view name, Reader& reader);

/// The outputs. Their memory kind is the first input's; the planner overrides it. Throws Invalid.
std::vector<TensorDesc> infer(const Op& op, std::span<const TensorDesc> in);

/// Computes the op on whole images [first, first + count) in double. `in` and `out` hold just those
/// images; tensors that are no batch, such as one value for each channel, are whole. `item` is the
/// iteration of a turn: a loader reads other images for each.
void reference(const Op& op, std::span<const Tensor64> in, std::span<Tensor64> out,
               std::int64_t first, std::int64_t item = 0);

/// False for ops whose output values are undefined, or known to a peer alone.
bool has_reference(const Op& op);

/// True if an output image depends on more than the input image of its number (sums over the batch,
/// another order), so that `reference` needs all images at once.
bool whole_batch(const Op& op);

/// True if a row of an output image depends only on the same row of one input image, so that
/// `reference` and `accuracies` can be given some of the rows.
bool row_wise(const Op& op);

/// True for ops that no kernel of this program ever does.
bool is_peer_only(const Op& op);

/// True if the output is the first input's own bytes, which the op does not touch.
bool passes_through(const Op& op);

/// True if the op reads its inputs, or stands for an op that does.
bool needs_input(const Op& op);

/// Range and forward error bounds of each output; `exact` are the outputs that `reference` gives.
std::vector<Accuracy> accuracies(const Op& op, std::span<const Known> in,
                                 std::span<const Tensor64> exact, std::span<const TensorDesc> out);

/// The op as a library does it that holds these values in the dtype of its output.
Op with_rounds(Op op, const Rounds& rounds);

/// The fewest bytes that the op can move, and the operations that it takes.
Cost fewest(const Op& op, std::span<const TensorDesc> in, std::span<const TensorDesc> out);

/// The op `name`, with all parameters worth trying on such an input; none if it takes no input.
std::vector<Op> samples(std::string_view name, const Shape& shape);

/// All inputs for the op on a tensor like `first`, in every way worth trying.
std::vector<Feeds> feeds(const Op& op, const TensorDesc& first);

}  // namespace normbench
