/// Compares an output with the double reference of its chain of stages, or with another case's
/// output.
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
  std::string reason;  // why it is wrong, like "wrong output: error 3.1 at [0, 2, 17, 5], bound …"
  std::string note;    // why outputs could not be compared; "" if all could
  double share = 1;    // of the values that were asked for and compared before time was over
  // The whole output, if there is no reference to compare it with.
  std::optional<Tensor64> output = {};

  /// Makes the outcome wrong if a saved file is wrong. `wrong` is the reason ("wrong file
  /// 2-0-1.png: …"), or "" if all files are right.
  void judge_files(std::string wrong);
};

/// Compares the outputs of a case with the exact values, which the references of its stages compute
/// from its inputs:
/// - Normally, each value must be within a bound that follows from the error bounds of the stages.
///   The result has the largest error with its bound, and the largest ratio of an error to its
///   bound. An output that cannot be checked (OutputCheck) is left out and named in the note. If
///   all outputs are left out, `held_to` is Nothing.
/// - If the peer or the kernel row of a stage promises a peak signal-to-noise ratio, only this
///   ratio is checked. `psnr_db` is the ratio that the peer promises; 0: the peer is exact.
/// - If an op has undefined output values, nothing is compared.
/// - If an op runs only in peers, nothing is compared. The outcome contains the output, and is
///   wrong if the output has infinities or NaN.
/// `item`: the number, within its turn, of the iteration that gave the outputs. It matters only if
/// the case loads files, because each iteration loads other files.
/// `only`: the images to check; `outputs` may hold just these. Ignored for a case with
/// whole_batch().
/// `is_over`: called between the pieces that are compared. Once it returns true, the remaining
/// pieces are left out: `share` says how much was compared, and `unchecked_values` contains the
/// rest. Empty: all is compared. The first piece always is, and the pieces come in random order.
/// Checks about 1 million values, or one image, at a time; with whole_batch(), all images at once.
/// Tensors in memory that host code cannot read are copied in such pieces.
CheckOutcome check_output(const Case& planned, std::span<const View> inputs,
                          std::span<const View> outputs, const Backends& backends,
                          std::int64_t item = 0, double psnr_db = 0,
                          std::optional<ImageRange> only = {},
                          const std::function<bool()>& is_over = {});

/// The output of a case, with which the outputs of other cases are compared.
struct Standard {
  const Case* planned;
  Tensor64 output;
};

/// True if `planned` must give the same output as the standard's case, which it must if both cases
/// - run networks of the same names in the same training modes,
/// - load the same files, or none,
/// - give their first network inputs of the same shape, and
/// - have outputs of the same dtype, layout and shape.
bool is_standard_for(const Standard& standard, const Case& planned);

/// Compares the output of `planned` with the standard. The bound is the same for all values: a
/// share of the largest magnitude in the standard's output, plus 1e-5. The share depends on the
/// coarsest dtype in both chains (docs/peers.md).
CheckOutcome hold_to(const Standard& standard, const Case& planned, const Tensor64& output);

}  // namespace normbench
