/// Compares the outputs of a case with the results of the reference ops in double, or with the
/// output of another case.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "document/results.h"
#include "measure/references.h"
#include "plan/case.h"

namespace normbench {

struct CheckOutcome {
  CheckResult result;
  // Why the output is wrong, like "wrong output: error 3.1 at [0, 2, 17, 5], bound 2e-7 (expected
  // 1, got 4.1)"; "" if it is not wrong.
  std::string reason;
  std::string note;  // why outputs could not be compared; "" if all could
  // The number of pieces of the outputs that check_output() compared, divided by the number of all
  // pieces. It is below 1 if the time for the check was over before the last piece.
  double share = 1;
  // The whole output, if there is no reference with which it could be compared; otherwise empty.
  std::optional<Tensor64> output = {};
  std::optional<GivenResult> given = {};  // set if the case runs the user's own code

  /// Makes the outcome wrong if a saved file is wrong. `wrong` is the reason, like "wrong file
  /// 2-0-1.png: ...", or "" if all files are correct.
  void judge_files(std::string wrong);
};

/// Compares the outputs of a case with the exact values, which the reference ops compute from the
/// inputs of the case.
/// - Normally, each value must be within a bound that follows from the error bounds of the stages.
///   The result has the largest error with its bound, and the largest ratio of an error to its
///   bound. An output of which more than half cannot be checked (OutputCheck) is left out and named
///   in the note. If all outputs are left out, `held_to` is Nothing.
/// - If the peer or the kernel of a stage promises a peak signal-to-noise ratio, only this ratio is
///   checked. `psnr_db` is the ratio that the peer promises; 0: the peer is exact.
/// - If an op has undefined output values, nothing is compared.
/// - If an op runs only in peers, nothing is compared. The outcome contains the output, and is
///   wrong if the output has infinities or NaN.
/// The outputs are compared in pieces. A piece is one image, or several images that have at most 1
/// million values together in all tensors of the case. If Case::row_wise() is true and no peak
/// signal-to-noise ratio is promised, a piece is some rows of an image. If Case::whole_batch() is
/// true, the only piece is the whole batch. If host code cannot read the memory of a tensor, or can
/// read it only without CPU caches, the tensor is copied piece by piece.
/// - `item` is the index of the iteration that gave the outputs, counted from the start of its
///   turn. It is used only if the case loads files, because each iteration loads different files.
/// - `only` has the images to check; empty: all. `outputs` may hold just these images. If
///   Case::whole_batch() is true, `only` is ignored.
/// - `is_over` is called before each piece except the first. Once it returns true, the remaining
///   pieces are not compared, and `unchecked_values` includes their values. With `is_over`, the
///   pieces are compared in random order. If `is_over` is empty, all pieces are compared.
CheckOutcome check_output(const Case& planned, std::span<const View> inputs,
                          std::span<const View> outputs, const Backends& backends,
                          std::int64_t item = 0, double psnr_db = 0,
                          std::optional<ImageRange> only = {},
                          const std::function<bool()>& is_over = {});

/// The output of a case that has no reference. The outputs of other cases are compared with it.
struct Standard {
  const Case* planned;
  Tensor64 output;
};

/// Returns true if `planned` must give the same output as the case of the standard,
/// `standard.planned`. This is so if both cases
/// - run the same networks, each in the same mode (training or inference),
/// - load the same files, or none,
/// - give their first network an input of the same shape, and
/// - have outputs of the same dtype, layout and shape.
bool is_standard_for(const Standard& standard, const Case& planned);

/// Compares `output`, the output of `planned`, with the output of the standard. The bound is the
/// same for all values: a share of the largest magnitude in the output of the standard, plus 1e-5.
/// The dtypes of the stages determine the share of a case (docs/peers.md). The larger share of the
/// two cases is used.
CheckOutcome hold_to(const Standard& standard, const Case& planned, const Tensor64& output);

}  // namespace normbench
