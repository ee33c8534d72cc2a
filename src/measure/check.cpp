#include "measure/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "backend/cpu/team.h"
#include "core/dtype.h"
#include "document/note.h"
#include "machine/environment.h"
#include "measure/output_check.h"
#include "measure/references.h"
#include "plan/memory.h"

namespace normbench {

namespace {

/// Reads images of a tensor. If host code cannot read the tensor's memory, or can read it only
/// without CPU caches, images are copied to a buffer first.
class Images {
 public:
  /// `desc` describes the whole tensor. `view` holds the tensor's images from number `begin` on.
  Images(const View& view, const TensorDesc& desc, std::int64_t begin, const Backends& backends)
      : view_(view), desc_(desc), begin_(begin), backends_(backends) {}

  const TensorDesc& desc() const { return desc_; }
  bool is_read_in_place() const { return host_caches(view_.desc.memory); }

  Tensor64 read(const ImageRange& images) {
    const std::int64_t first = images.first - begin_;
    if (is_read_in_place()) return to_double(rows(view_, images), first, images.count);
    copy(first, images.count);
    return to_double(rows({.data = slab_.data(), .desc = view_.desc}, images), 0, images.count);
  }

 private:
  static View rows(const View& view, const ImageRange& images) {
    if (images.rows == 0) return view;
    return crop_view(view, images.row, 0, images.rows, view.desc.shape.w);
  }
  /// Copies `count` images from number `first` on into slab_, unless they are there already.
  void copy(std::int64_t first, std::int64_t count) {
    const std::int64_t image = view_.desc.bytes() / view_.desc.shape.n;  // the tensor is dense
    const auto bytes = static_cast<std::size_t>(count * image);
    if (first_ == first && slab_.size() == bytes) return;
    first_ = first;
    slab_.resize(bytes);
    backends_.owner(view_.desc.memory).copy(slab_.data(), view_.data + first * image, bytes);
  }

  View view_;
  TensorDesc desc_;
  std::int64_t begin_;
  const Backends& backends_;
  std::vector<std::byte> slab_;
  std::int64_t first_ = 0;  // the first image in slab_
};

/// Splits the images `all` into parts that are checked separately. A part is some images or, with
/// `by_rows`, some rows of one image.
std::vector<ImageRange> parts_of(const Case& planned, const ImageRange& all, bool by_rows) {
  std::vector<ImageRange> parts;
  const std::int64_t slab = by_rows ? 1 : slab_images(planned), end = all.first + all.count;
  const std::int64_t height = planned.values.front().desc.shape.h,
                     rows = by_rows ? part_rows(planned) : height;
  for (std::int64_t first = all.first; first < end; first += slab)
    for (std::int64_t row = 0; row < height; row += rows)
      parts.push_back({.first = first,
                       .count = std::min(slab, end - first),
                       .row = row,
                       .rows = by_rows ? std::min(rows, height - row) : 0});
  return parts;
}

/// Replaces each correct infinity in `got` by the exact value, so that it counts as free of error.
/// `dtype` is the dtype of the output. An infinity is correct if a value that is within the bound
/// of the exact value becomes this infinity when it is rounded to `dtype`.
void let_overflow(const Exact& exact, DType dtype, Tensor64& got) {
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    double& value = got.values[i];
    if (!std::isinf(value)) continue;
    const double expected = exact.values.values[i], bound = exact.accuracy.errors.at(i),
                 farthest = expected + std::copysign(bound, value);
    const bool overflows = with_dtype(dtype, [&](auto element) {
      return to_double(rounded<decltype(element)>(farthest)) == value;
    });
    if (overflows) value = expected;
  }
}

/// Returns the exact values and the accuracy of each input of the case, for `images`.
std::vector<Exact> known_inputs(const Case& planned, std::vector<Images>& inputs,
                                const ImageRange& images) {
  std::vector<Exact> known;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorDesc& desc = inputs[i].desc();
    Exact one{.values = inputs[i].read(images.of(desc, planned))};
    if (planned.inputs[i].setup == nullptr) {
      one.accuracy = planned.inputs[i].source.accuracy({}, {}, std::span(&desc, 1)).front();
    } else {
      const auto [low, high] = std::ranges::minmax(one.values.values);
      one.accuracy = {.low = low, .high = high};
    }
    known.push_back(std::move(one));
  }
  return known;
}

/// Returns the position of the worst element as text, like "[0, 2, 17, 5]".
std::string place_text(const Worst& worst, const Shape& shape) {
  const ElementPlace at = place_of(shape, worst.index);
  return fmt::format("[{}, {}, {}, {}]", worst.image, at.c, at.h, at.w);
}

/// Returns the name of an output ("dgamma"), or its number if it has no name. Returns "" if the
/// case has only one output.
std::string output_name(const Case& planned, std::size_t output) {
  if (planned.outputs.size() < 2) return "";
  const Value& value = planned.values[planned.outputs[output]];
  return value.name.empty() ? std::to_string(output) : value.name;
}

/// Returns the message about a wrong output. `which` is the name of the output, or "". `whose`
/// names the case that gave the expected value, like " by \"x\""; "" for the reference.
std::string wrong(const Worst& worst, const Shape& shape, const std::string& whose,
                  const std::string& which = "") {
  return fmt::format(
      "wrong output{}{}: error {:.2g} at {}, bound {:.2g} (expected {:.6g}{}, got {:.6g})",
      which.empty() ? "" : " ", which, worst.error, place_text(worst, shape), worst.bound,
      worst.expected, whose, worst.got);
}

/// Returns the allowed difference between the logits of two programs that compute the same network
/// in `dtype`, as a share of the largest magnitude of a logit.
/// - float16 and bfloat16: 8 times what torch.testing.assert_close allows for one op (1e-3 and
///   1.6e-2). The rounding errors of layers are almost independent, so their sum grows with the
///   square root of the number of layers, and 8 is enough for 64 layers.
/// - float32 on a CPU: 1e-3. Rounding errors are smaller (1.3e-6 an op), but some algorithms for
///   convolutions, such as Winograd's, lose more digits.
/// - float32 on a GPU: as for float16, because PyTorch runs convolutions on GPUs in TF32 by
///   default, and TF32 has as many significant bits as float16.
double share_of_magnitude(DType dtype, Place place) {
  constexpr double layers = 8;
  switch (dtype) {
    case DType::BFloat16:
      return layers * 1.6e-2;
    case DType::Float16:
      return layers * 1e-3;
    case DType::Float32:
      return place == Place::Cuda ? layers * 1e-3 : 1e-3;
    case DType::UInt8:
      break;
  }
  return 0;
}

double share_of_magnitude(const Case& planned) {
  double most = 0;
  for (const Stage& stage : planned.stages)
    most = std::max(most, share_of_magnitude(stage.signature.out[0].dtype, stage.place));
  return most;
}

/// Returns the name of each network of the case, and whether the network is in training mode. Batch
/// norms give other logits in training mode.
std::vector<std::pair<std::string, bool>> networks(const Case& planned) {
  std::vector<std::pair<std::string, bool>> found;
  for (const Stage& stage : planned.stages)
    if (const Model* model = std::get_if<Model>(&stage.op))
      found.emplace_back(model->network, model->train);
  return found;
}

/// Returns the name of the first op for which `holds` returns true; "" if there is none.
std::string_view first_op(const Case& planned, bool (*holds)(const Op&)) {
  const auto stage =
      std::ranges::find_if(planned.stages, [&](const Stage& one) { return holds(one.op); });
  return stage == planned.stages.end() ? "" : name_of(stage->op);
}

CheckOutcome without_reference(Tensor64 output, std::string_view op) {
  const auto broken =
      std::ranges::find_if_not(output.values, [](double value) { return std::isfinite(value); });
  if (broken != output.values.end()) {
    const std::int64_t index = broken - output.values.begin();
    const std::int64_t per_image = output.shape.elements() / output.shape.n;
    const Worst worst{.image = index / per_image, .index = index % per_image};
    return {.result = {.max_abs_error = std::numeric_limits<double>::infinity(),
                       .held_to = HeldTo::Nothing},
            .reason = fmt::format("wrong output: {} at {} is not a finite number", *broken,
                                  place_text(worst, output.shape)),
            .note = ""};
  }
  return {.result = {.ok = true, .held_to = HeldTo::Nothing},
          .reason = "",
          .note = sentence({.kind = Note::Kind::NoReference, .names = {std::string(op)}}),
          .output = std::move(output)};
}

/// The lowest peak signal-to-noise ratio of all compared images, and the number of the image that
/// has it.
struct Likeness {
  double psnr_db = most;
  std::int64_t image = 0;

  // The ratio in dB that counts for two equal images. For an image with infinities or NaN it is
  // -`most`.
  static constexpr double most = 200;

  static double db_of(double range, double rms) {
    if (!std::isfinite(rms)) return -most;
    return rms > 0 ? std::clamp(20 * std::log10(range / rms), -most, most) : most;
  }

  /// Takes more images into account; the first of them has number `first`. The peak signal-to-noise
  /// ratio of an image is 20 log10(range of the exact values / root mean square of the
  /// differences).
  void add(const Exact& exact, const Tensor64& got, std::int64_t first) {
    const std::int64_t per_image = exact.values.shape.elements() / exact.values.shape.n;
    for (std::int64_t n = 0; n < exact.values.shape.n; ++n) {
      double squares = 0;
      for (std::int64_t i = n * per_image; i < (n + 1) * per_image; ++i)
        squares += std::pow(got.values[i] - exact.values.values[i], 2);
      const double db = db_of(exact.accuracy.high - exact.accuracy.low,
                              std::sqrt(squares / static_cast<double>(per_image)));
      if (db >= psnr_db) continue;
      psnr_db = db;
      image = first + n;
    }
  }
};

/// Kernels of stages, and the peer that runs the case, may promise a peak signal-to-noise ratio.
/// Returns the lowest of these ratios in dB; 0 if there is none. `of_peer` is the ratio that the
/// peer promises; 0: none.
double psnr_bound(const Case& planned, double of_peer) {
  double least = of_peer;
  for (const Stage& stage : planned.stages)
    if (stage.kernel != nullptr && stage.kernel->psnr_db > 0)
      least = least > 0 ? std::min(least, stage.kernel->psnr_db) : stage.kernel->psnr_db;
  return least;
}

/// Returns a note that names the outputs that could not be checked; "" if there are none.
std::string unchecked_text(const Case& planned, std::span<const OutputCheck> checks) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < checks.size(); ++i)
    if (!checks[i].is_checked()) names.push_back(output_name(planned, i));
  if (names.empty()) return "";
  if (names.size() == checks.size()) return sentence({.kind = Note::Kind::Rounding});
  return sentence({.kind = Note::Kind::RoundingOfSome, .names = names});
}

/// Returns the check of one output: the output whose worst element has the largest ratio of error
/// to bound. An output that could not be checked counts only if one of its elements is wrong.
const OutputCheck* nearest_to_bound(std::span<const OutputCheck> checks) {
  const auto weight = [](const OutputCheck& check) {
    const bool counts = check.is_checked() || check.worst().is_wrong();
    return std::pair(counts ? check.worst().share() : -1, check.worst().error);
  };
  return &*std::ranges::max_element(checks, {}, weight);
}

/// Returns the largest error of all outputs that could be checked.
LargestError largest_error(std::span<const OutputCheck> checks) {
  LargestError largest;
  for (const OutputCheck& check : checks)
    if (check.is_checked() && check.largest_error().error >= largest.error)
      largest = check.largest_error();
  return largest;
}

CheckOutcome held_to_bounds(const Case& planned, std::span<const OutputCheck> checks) {
  const OutputCheck* const nearest = nearest_to_bound(checks);
  const Worst& worst = nearest->worst();
  CheckOutcome outcome{.result = {.ok = !worst.is_wrong()}, .reason = "", .note = ""};
  for (const OutputCheck& check : checks)
    outcome.result.unchecked_values += check.is_checked() ? check.unchecked() : check.values();
  outcome.note = unchecked_text(planned, checks);
  if (outcome.result.ok && !nearest->is_checked()) {
    outcome.result.held_to = HeldTo::Nothing;
    return outcome;
  }
  outcome.result.calls = 1;
  const LargestError largest =
      nearest->is_checked() ? largest_error(checks) : nearest->largest_error();
  outcome.result.max_abs_error = largest.error;
  outcome.result.bound = largest.bound;
  outcome.result.bound_share = worst.share();
  const std::size_t output = static_cast<std::size_t>(nearest - checks.data());
  if (!outcome.result.ok)
    outcome.reason = wrong(worst, planned.values[planned.outputs[output]].desc.shape, "",
                           output_name(planned, output));
  return outcome;
}

CheckOutcome held_by_likeness(const Likeness& likeness, double bound_db,
                              std::span<const OutputCheck> checks) {
  double max_abs_error = 0;
  for (const OutputCheck& check : checks)
    max_abs_error = std::max(max_abs_error, check.largest_error().error);
  const bool ok = likeness.psnr_db >= bound_db;
  return {.result = {.ok = ok,
                     .max_abs_error = max_abs_error,
                     .psnr_db = likeness.psnr_db,
                     .psnr_bound_db = bound_db,
                     .calls = 1},
          .reason = ok ? ""
                       : fmt::format("wrong output: image {} keeps {:.1f} dB of the exact one, "
                                     "expected {:.0f} dB or more",
                                     likeness.image, likeness.psnr_db, bound_db),
          .note = ""};
}

/// Called only if the check ended because its time was over. Increases `unchecked_values` by the
/// number of values of the images `all` that were not compared. Adds a note if there is none.
void leave_out(const Case& planned, const ImageRange& all, std::span<const OutputCheck> checks,
               CheckOutcome& outcome) {
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const TensorDesc& desc = planned.values[planned.outputs[i]].desc;
    const std::int64_t asked = desc.elements() / desc.shape.n * all.of(desc, planned).count;
    outcome.result.unchecked_values += asked - checks[i].values();
  }
  if (outcome.note.empty()) outcome.note = sentence({.kind = Note::Kind::ChecksInTime});
}

}  // namespace

void CheckOutcome::judge_files(std::string wrong) {
  if (wrong.empty() || !result.ok) return;
  result.ok = false;
  reason = std::move(wrong);
}

CheckOutcome check_output(const Case& planned, std::span<const View> inputs,
                          std::span<const View> outputs, const Backends& backends,
                          std::int64_t item, double psnr_db, std::optional<ImageRange> only,
                          const std::function<bool()>& is_over) {
  const auto is_undefined = [](const Op& op) { return !has_reference(op) && !is_peer_only(op); };
  if (const auto op = first_op(planned, is_undefined); !op.empty())
    return {.result = {.ok = true, .held_to = HeldTo::Nothing},
            .reason = "",
            .note = sentence({.kind = Note::Kind::Undefined, .names = {std::string(op)}})};
  std::vector<Images> in, out;
  for (const View& view : inputs) in.emplace_back(view, view.desc, 0, backends);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorDesc& desc = planned.values[planned.outputs[i]].desc;
    const bool is_whole = outputs[i].desc.shape.n == desc.shape.n;
    out.emplace_back(outputs[i], desc, is_whole ? 0 : only->first, backends);
  }
  if (const auto op = first_op(planned, is_peer_only); !op.empty())
    return without_reference(out[0].read({.first = 0, .count = outputs[0].desc.shape.n}), op);
  const double psnr_bound_db = psnr_bound(planned, psnr_db);
  std::vector<OutputCheck> checks(out.size());
  Likeness likeness;
  const ImageRange all =
      only && !planned.whole_batch() ? *only : ImageRange{.first = 0, .count = planned.images()};
  const bool by_rows = psnr_bound_db == 0 && planned.row_wise();
  std::vector<ImageRange> parts = parts_of(planned, all, by_rows);
  if (is_over) std::ranges::shuffle(parts, std::mt19937_64(static_cast<std::uint64_t>(item)));
  std::atomic<std::size_t> compared{0};
  const auto check_parts = [&](std::size_t begin, std::size_t end, std::vector<Images> in,
                               std::vector<Images> out, std::vector<OutputCheck>& checks) {
    for (const ImageRange& images : std::span(parts).subspan(begin, end - begin)) {
      if (compared > 0 && is_over && is_over()) return;
      const auto exact = exact_outputs(planned, known_inputs(planned, in, images), images, item);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const ImageRange part = images.of(out[i].desc(), planned);
        Tensor64 got = out[i].read(part);
        let_overflow(exact[i], out[i].desc().dtype, got);
        checks[i].compare(exact[i], got, part, out[i].desc().shape.h);
        if (psnr_bound_db > 0) likeness.add(exact[i], got, part.first);
      }
      ++compared;
    }
  };
  // Several threads check the parts only if the case is row-wise and host code can read its tensors
  // in place. If `only` is set, the check runs between rounds, when the other processors should
  // stay idle, so it uses one thread then.
  const auto is_here = [](const Images& images) { return images.is_read_in_place(); };
  const bool in_team =
      by_rows && !only && std::ranges::all_of(in, is_here) && std::ranges::all_of(out, is_here);
  const int threads = in_team ? team_of_at_most(available_threads()) : 1;
  std::vector<std::vector<OutputCheck>> found(static_cast<std::size_t>(threads), checks);
  on_team(threads, [&](int rank, int size) {
    const auto share = [&](int of) {
      return parts.size() * static_cast<std::size_t>(of) / static_cast<std::size_t>(size);
    };
    check_parts(share(rank), share(rank + 1), in, out, found[static_cast<std::size_t>(rank)]);
  });
  for (const std::vector<OutputCheck>& one : found)
    for (std::size_t i = 0; i < checks.size(); ++i) checks[i].add(one[i]);
  CheckOutcome outcome = psnr_bound_db > 0 ? held_by_likeness(likeness, psnr_bound_db, checks)
                                           : held_to_bounds(planned, checks);
  if (compared < parts.size()) leave_out(planned, all, checks, outcome);
  outcome.share = static_cast<double>(compared) / static_cast<double>(parts.size());
  return outcome;
}

namespace {

/// Finds the first stage that only peers run (a network), and returns the description of its first
/// input. The case must have such a stage.
const TensorDesc& fed(const Case& planned) {
  const auto network =
      std::ranges::find_if(planned.stages, [](const Stage& stage) { return is_network(stage.op); });
  return network->signature.in.front();
}

/// Returns the files that the case loads; empty if it loads none.
std::vector<std::string> loaded(const Case& planned) {
  const Load* const load = planned.loader();
  return load == nullptr ? std::vector<std::string>() : load->files;
}

}  // namespace

bool is_standard_for(const Standard& standard, const Case& planned) {
  const TensorDesc &its = standard.planned->result(), &desc = planned.result();
  return its.dtype == desc.dtype && its.layout == desc.layout && its.shape == desc.shape &&
         networks(*standard.planned) == networks(planned) &&
         fed(*standard.planned).shape == fed(planned).shape &&
         loaded(*standard.planned) == loaded(planned);
}

CheckOutcome hold_to(const Standard& standard, const Case& planned, const Tensor64& output) {
  constexpr double near_zero = 1e-5;  // torch.testing's absolute tolerance for float dtypes
  double magnitude = 0;
  for (const double value : standard.output.values)
    magnitude = std::max(magnitude, std::abs(value));
  const double share = std::max(share_of_magnitude(*standard.planned), share_of_magnitude(planned));
  const double bound = near_zero + share * magnitude;
  OutputCheck check;
  check.compare({.values = standard.output, .accuracy = {.errors = bound}}, output);
  const Worst& worst = check.worst();
  const bool ok = !worst.is_wrong();
  const std::string whose = standard.planned == &planned
                                ? " at its first call"
                                : fmt::format(" by \"{}\"", standard.planned->variant);
  return {.result = {.ok = ok,
                     .max_abs_error = worst.error,
                     .bound = bound,
                     .bound_share = worst.share(),
                     .held_to = HeldTo::Variant,
                     .variant = standard.planned->variant},
          .reason = ok ? "" : wrong(worst, output.shape, whose),
          .note = ""};
}

}  // namespace normbench
