/// The catalogue of ops: what a stage means, before any kernel is chosen.
///
/// Each op is a struct in its own header, and one alternative of `Op`. It has `name`, `about` and
/// its parameters. It may also have these members:
///   static constexpr Roles roles           its roles in a pipeline, which also decide which of
///                                          these members it needs (roles.h); default: the roles of
///                                          an op that computes new values
///   static T read(Reader&)                 reads its parameters; missing: it has no parameters
///   infer(in) -> std::vector<TensorDesc>   the descriptions of the outputs; throws Invalid
///   reference(in, out, first[, item])      computes the outputs in double; it has `item`, the
///                                          number of the iteration, only if the outputs of
///                                          iterations differ
///   accuracy(in, exact, out)               the range and the error bounds of each output
///   fewest(in, out) -> Cost                default: reads every input and writes every output once
///   static constexpr int flops_per_element   instead of `fewest`: operations per output element,
///                                          for an op that reads one input element for each output
///                                          element
///   static constexpr int flops_per_input   instead of `fewest`: operations per element of the
///                                          first input, for an op that reads every input
///   whole_batch() -> bool                  true if an output image depends on input images with
///                                          another index than its own; default: false
///   row_wise() -> bool                     true if row h of an output image depends only on row h
///                                          of the input image with the same index; default: false.
///                                          It does not matter for YCbCr images: Case::row_wise()
///                                          is false for them
///   elementwise() -> bool                  true if an output element depends only on the input
///                                          element at its position, and may overwrite it;
///                                          default: false. It does not matter for YCbCr images: no
///                                          output is as large as they are, so no op works in place
///                                          on them
///   static std::vector<T> samples(Shape)   the ops that a self-test runs; an op without `read`
///                                          does not need it
///   feeds(first) -> std::vector<Feeds>     the inputs of a self-test; default: `first` alone
///   resolve(paths)                         finds its files; throws Invalid; default: it has none
///   misplaced(place) -> optional           a parameter that is not allowed at this place (CPU or
///                                          GPU)
///   saved_file(start, image)               the path of the file that it writes for an image
///   why_not_saved(path, image)             what is wrong with that file
///   rounds, held_to                        variables for checks of a peer (another library): the
///                                          values that the peer rounds, and the filter with which
///                                          it resizes
/// The kernel rows of an op (its implementations) are in a file in backend/cpu/ and a file in
/// backend/cuda/. The rows.h in each of these folders lists the kernel rows of all ops.
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
#include "ops/own_code.h"
#include "ops/resize.h"
#include "ops/save.h"
#include "ops/source.h"
#include "ops/stream.h"
#include "ops/sub_div.h"
#include "ops/to_rgb.h"
#include "ops/transfer.h"

namespace normbench {

using Op = std::variant<Source, Load, OwnBatches, ToRgb, Resize, Crop, FlipOp, LayoutOp, Concat,
                        Cast, Sub, Div, Normalize, Denormalize, GroupNorm, Moments, ScaleShift, Mul,
                        Sum, BatchNormBackward, Accumulate, Model, OwnTransform, OwnStep, Copy,
                        Stream, FirstTouch, H2d, D2h, Exchange, Pin, Register, Unregister,
                        EmptyLaunch, Sync, Compute, Save>;

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
/// Returns the op as a Load if it is one, else null.
const Load* load_of(const Op& op);

/// Returns the names of all ops, in the order of the catalogue.
std::vector<std::string> op_names();

/// What a parameter of an op decides. Constants and Flip: the parameters "constants" and "flip".
/// OfOutput: a property of the output, such as its dtype. Storage: how files hold images. Files:
/// which files are loaded.
enum class ParameterKind { Constants, Flip, OfOutput, Storage, Files, Other };
ParameterKind parameter_kind(std::string_view parameter);

/// Reads the op called `name` with parameters from `reader`. For an unknown name, returns nothing
/// and reports no issue.
std::optional<Op> read_op(std::string_view name, Reader& reader);

/// Returns the descriptions of the outputs. Throws Invalid if the op does not accept these inputs,
/// for example a YCbCr format.
/// The outputs get the memory kind of the first input. The planner later replaces it by the kind
/// that the config asks for.
std::vector<TensorDesc> infer(const Op& op, std::span<const TensorDesc> in);

/// Computes the op on images [first, first + count) in double. `in` and `out` hold only these
/// `count` images. A tensor that is not a batch of images, such as one value for each channel, is
/// passed whole. `item` is the number of the iteration, counted from 0 in each turn (timed series
/// of iterations). Only loaders use `item`, because each iteration loads other images.
void reference(const Op& op, std::span<const Tensor64> in, std::span<Tensor64> out,
               std::int64_t first, std::int64_t item = 0);

/// Returns false for ops with undefined output values, and for ops that only peers (other
/// libraries) can compute.
bool has_reference(const Op& op);

/// Returns true if an output image depends on input images with another index than its own, as sums
/// over the batch do. `reference` then needs all images at once.
bool whole_batch(const Op& op);

/// Returns true if a row of an output image depends only on the same row of one input image.
/// Callers may then pass only some of the rows to `reference` and `accuracies`.
bool row_wise(const Op& op);

/// Returns true if every output element depends only on the input element at the same position.
bool is_elementwise(const Op& op);

/// Returns true for ops that only peers (other libraries) run.
bool is_peer_only(const Op& op);

/// Returns true for ops that run the user's own code. Only peers run them.
bool is_own_code(const Op& op);
/// Returns true for ops that run the user's own loader, which makes the batches.
bool is_own_loader(const Op& op);
/// Returns true for networks. Only peers run them, and their outputs are compared with those of
/// other variants.
bool is_network(const Op& op);

/// Returns true if the output is the first input itself, which the op does not change.
bool passes_through(const Op& op);

/// Returns true if the op must not start before its inputs are computed. Returns false for some ops
/// that pass their input through and do not read it, like `launch` and `sync`.
bool needs_input(const Op& op);

/// Returns the range and the error bounds of each output. `exact` are the outputs of `reference`.
std::vector<Accuracy> accuracies(const Op& op, std::span<const Known> in,
                                 std::span<const Tensor64> exact, std::span<const TensorDesc> out);

/// Returns the op with error bounds for a library that holds some kinds of values in the output's
/// dtype. `rounds` names these kinds, such as constants and statistics.
Op with_rounds(Op op, const Rounds& rounds);

/// Returns the op, changed so that `reference` resizes with `filter`. Use it to check a library
/// that resizes with this filter. An op that does not resize is returned unchanged.
Op with_filter(Op op, ResizeFilter filter);

/// Finds the files of the op. Throws Invalid with the reason on failure.
void resolve(Op& op, const Paths& paths);

/// Returns a parameter of the op that is not allowed at this place; nothing if there is none.
std::optional<Misplaced> misplaced(const Op& op, Place place);

/// Returns the path of the file that the op writes for an image. It consists of `start` (folder,
/// stage and item, like "/tmp/x/4-0") and the number of the image. Returns "" for an op that writes
/// no file.
std::string saved_file(const Op& op, std::string_view start, std::int64_t image);
/// Returns why the file at `path` does not hold this dense image, or "".
std::string why_not_saved(const Op& op, const std::string& path, const View& image);

/// Returns the fewest bytes that any kernel for the op can move, and the op's floating-point
/// operations.
Cost fewest(const Op& op, std::span<const TensorDesc> in, std::span<const TensorDesc> out);

/// Returns ops called `name`, with the parameters that a self-test tries on an input of this shape.
/// Returns an empty list for an op that a self-test cannot run.
std::vector<Op> samples(std::string_view name, const Shape& shape);

/// Returns the sets of inputs on which a self-test runs the op. The first input of each set is
/// described by `first`.
std::vector<Feeds> feeds(const Op& op, const TensorDesc& first);

}  // namespace normbench
