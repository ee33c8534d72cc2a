/// Compares an output with the double reference of its chain of stages, or with another case's
/// output.
#pragma once

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
  std::optional<Tensor64> output = {};  // the whole output, if only another case's output can check
                                        // it

  /// Makes the outcome wrong if a saved file is wrong. `wrong` is the reason ("wrong file
  /// 2-0-1.png: …"), or "" if all files are right.
  void judge_files(std::string wrong);
};

/// Runs the references of the case's stages on its inputs, and compares all outputs with the exact
/// values. Each value has a bound, composed of the stages' error bounds. The result contains the
/// largest error with the bound of that value, and the largest ratio of a value's error to its own
/// bound. An output that could not be checked (OutputCheck) is left out and named in the note. If
/// no output could be checked, `held_to` is Nothing. If an op of the chain runs only in peers,
/// nothing is compared: the outcome contains the output, and is wrong if the output has infinities
/// or NaN. The check works in slabs of images, or on all images at once if outputs are sums over
/// them. A slab has about 1 million values, or one image if that is larger. Memory that host code
/// cannot read is copied slab by slab.
/// `item`: the number of the iteration that gave the outputs, within its turn. It matters only if
/// the case loads files, because each iteration reads other files.
/// `psnr_db`: the peak signal-to-noise ratio that a peer promises for its images (see
/// Kernel::psnr_db); 0: the peer is exact. If the peer or the kernel row of a stage promises a
/// ratio, all outputs are compared by that ratio, not element by element.
/// `only`: the images to check. `outputs` may then hold just these images. If outputs are sums over
/// all images, everything is checked.
CheckOutcome check_output(const Case& planned, std::span<const View> inputs,
                          std::span<const View> outputs, const Backends& backends,
                          std::int64_t item = 0, double psnr_db = 0,
                          std::optional<ImageRange> only = {});

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
