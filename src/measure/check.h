/// Holds an output to the double reference of the chain that made it, or to what another case gave.
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
  std::string reason;  // when not ok: "wrong output: error 3.1 at [0, 2, 17, 5], bound …"
  std::string note;    // why nothing, or not all outputs, could be compared, or ""
  std::optional<Tensor64> output = {};  // what another case's output is to tell right, whole

  /// Wrong files ("wrong file 2-0-1.png: …"; "": none) make what is right so far wrong.
  void judge_files(std::string wrong);
};

/// Runs the references of the case's stages on its inputs (none when it loads) in slabs of images,
/// or on all at once where outputs are sums over them, and compares all outputs. Each value has a
/// bound, composed of the stages' error bounds; the result has the largest error with the bound of
/// that value, and the largest share that an error has of its own bound.
/// An output that could not be checked (OutputCheck) is left out, and named in the note; where none
/// could, the output is held to nothing. Needs memory for one slab: 1 million doubles, each with
/// its error, or one image when it is larger. What host code may not read in place is copied slab
/// by slab. `item`: which iteration of its turn made them, for a case that loads reads other files
/// for each. `psnr_db`: what a peer says its images keep (0: it is exact), as a row's psnr_db;
/// where one of the stages does, all images of the outputs are held so, not element by element. Of
/// a chain with an op that only peers run nothing is compared yet; an output with infinities or NaN
/// is wrong. `only`: these images alone, unless outputs are sums over all; the
/// outputs may then hold just these.
CheckOutcome check_output(const Case& planned, std::span<const View> inputs,
                          std::span<const View> outputs, const Backends& backends,
                          std::int64_t item = 0, double psnr_db = 0,
                          std::optional<ImageRange> only = {});

/// The output of a case to which those of others are held.
struct Standard {
  const Case* planned;
  Tensor64 output;
};

/// True where `planned` is to give the same: its networks have the same names and are both trained
/// or not, both load the same files or none, and its output has the same dtype, layout and shape.
bool is_standard_for(const Standard& standard, const Case& planned);

/// Holds `output`, which `planned` gave, to the standard: within a share of its largest magnitude
/// that goes by the coarsest dtype on the way (docs/peers.md), and a little for values near 0.
CheckOutcome hold_to(const Standard& standard, const Case& planned, const Tensor64& output);

}  // namespace normbench
