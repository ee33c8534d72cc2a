/// The catalogue of ops: what a stage means, before any kernel is chosen.
///
/// Each op is a struct with a file of its own and one alternative of `Op`. All that it may have is
/// listed here: `name`, `about`, its parameters, and
///   static constexpr Roles roles           what it is to a pipeline, and what it thus does without
///                                          (roles.h); absent: it has none
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
///   elementwise() -> bool                  an output element depends only on the input element in
///                                          its place, and may be written over it; default: false
///   static std::vector<T> samples(Shape)   what a self-test tries; absent: it has no parameters
///   feeds(first) -> std::vector<Feeds>     inputs that a self-test tries; default: `first` alone
///   resolve(paths)                         finds its files; throws Invalid; default: it has none
///   misplaced(place) -> optional           a parameter that does not suit the place of its stage
///   saved_file(start, image), why_not_saved(path, image)   of an op that writes files, one for
///                                          each image: the file's name, and what is wrong with it
///   rounds, held_to                        members: how a peer that does the op rounds and resizes
/// Beside it stand its rows: a file in backend/cpu/ and in backend/cuda/, listed in their rows.h.
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
constexpr void for_each_op(Use use) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (use(std::type_identity<std::variant_alternative_t<I, Op>>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Op>>{});
}

std::string_view name_of(const Op& op);
const Roles& roles_of(const Op& op);
/// The images that the op reads from files; null for an op that reads none.
const Load* load_of(const Op& op);

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

/// True if every output element depends only on the input element in the same position.
bool is_elementwise(const Op& op);

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

/// The op as a library does it that resizes images by this filter.
Op with_filter(Op op, ResizeFilter filter);

/// Finds the op's files. Throws Invalid.
void resolve(Op& op, const Paths& paths);

/// A parameter of the op that does not suit the place where it runs.
std::optional<Misplaced> misplaced(const Op& op, Place place);

/// The file that the op writes of an image: `start` (folder, stage and item: "/tmp/x/4-0"), then
/// the image's number. "": it writes none.
std::string saved_file(const Op& op, std::string_view start, std::int64_t image);
/// Why such a file does not hold this dense image, or "".
std::string why_not_saved(const Op& op, const std::string& path, const View& image);

/// The fewest bytes that the op can move, and the operations that it takes.
Cost fewest(const Op& op, std::span<const TensorDesc> in, std::span<const TensorDesc> out);

/// The op `name`, with all parameters worth trying on such an input; none if it takes no input.
std::vector<Op> samples(std::string_view name, const Shape& shape);

/// All inputs for the op on a tensor like `first`, in every way worth trying.
std::vector<Feeds> feeds(const Op& op, const TensorDesc& first);

}  // namespace normbench
