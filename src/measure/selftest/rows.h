/// Runs the tested rows on their cases, and collects the findings.
#pragma once

#include <cstddef>

#include "measure/selftest/findings.h"
#include "measure/selftest/trial.h"

namespace normbench::selftest {

/// A chosen row, and the findings on it.
struct Candidate {
  const Kernel* kernel = nullptr;
  RowFinding finding = {};
  bool stopped = false;  // the row threw, and gets no more cases
  bool done = false;     // all its cases were run, or it stopped
};

/// The result of a case that was run. `bound` is empty if the op's values are undefined.
struct Ran {
  Judged judged;
  std::optional<double> bound;
};

/// Offers a row a case, which messages call `words`, and calls `run` if the row accepts. A row that
/// throws gets no more cases, and the device is recovered.
void offer(Lab& lab, Candidate& row, const std::string& words, const Op& op,
           const Signature& signature, const std::function<Ran()>& run);

/// Counts a failure, and keeps the words of the first one.
void fail(RowFinding& finding, const std::string& words);

/// Runs the rows of an op on every case that they accept. A row that throws gets no more cases. If
/// the device cannot be recovered afterwards, no row gets more cases.
void test_op(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

/// Returns values that are hard to round. For a float dtype smaller than float32, they are every
/// `step`th bit pattern. For float32, the patterns of all smaller dtypes give values: the pattern's
/// own value, the middle between it and the next value, and the floats on both sides of the middle.
/// Among the values are NaN (also with payloads that are cut off), infinities and subnormals.
std::vector<std::byte> hard_elements(DType dtype, int step);

/// Runs an op's rows on values that are hard to round, with parameters that change only the dtype:
/// cast, and normalize, denormalize, sub and div with mean 0 and std 1. Results must be rounded to
/// nearest even. NaN must stay NaN (0 as uint8). Does nothing for other ops.
void test_rounding(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

/// Runs normalize, cast and copy on one large uint8 tensor, and compares some images of the outputs
/// with the reference. The tensors must fit in `most_of_memory` of `free_bytes` (0: unknown). On a
/// CPU with less than 64 GiB free, the test runs only if it is `wanted`. Returns why the test did
/// not run to its end, or nothing.
std::optional<NotTested> test_large(Lab& lab, std::span<Candidate> rows, std::int64_t free_bytes,
                                    bool wanted);

}  // namespace normbench::selftest
