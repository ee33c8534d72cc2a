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

/// The result of a case. `bound` is empty if the op's values are undefined.
struct Ran {
  Judged judged;
  std::optional<double> bound;
};

/// Offers a case to a row, and calls `run` if the row accepts it. `words`: the case in messages. If
/// the row throws, it gets no more cases, and the device is recovered.
void offer(Lab& lab, Candidate& row, const std::string& words, const Op& op,
           const Signature& signature, const std::function<Ran()>& run);

/// Counts a failure, and stores `words` if it is the first.
void fail(RowFinding& finding, const std::string& words);

/// Runs the rows of an op on every case that they accept. A row that throws gets no more cases. If
/// the device cannot be recovered afterwards, no row gets more cases.
void test_op(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

/// Returns values that are hard to round, with NaN, infinities and subnormals among them. For a
/// float dtype smaller than float32, they are every `step`th bit pattern. For float32, they are
/// made from the bit patterns of smaller dtypes: the value of the pattern, the midpoint between it
/// and the next value, and the floats on both sides of this midpoint.
std::vector<std::byte> hard_elements(DType dtype, int step);

/// Runs an op's rows on values that are hard to round, with parameters that change only the dtype:
/// cast, and normalize, denormalize, sub and div with mean 0 and std 1. Results must be rounded to
/// nearest even. NaN must stay NaN (0 as uint8). Does nothing for other ops.
void test_rounding(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

/// Runs normalize, cast and copy on one large uint8 tensor, and compares some images of the outputs
/// with the reference. The tensors must fit in `most_of_memory` of `free_bytes` (0: unknown). On a
/// CPU with less than 64 GiB free, the test runs only if it is `wanted`. Returns why the test was
/// left out or ended early, or nothing.
std::optional<NotTested> test_large(Lab& lab, std::span<Candidate> rows, std::int64_t free_bytes,
                                    bool wanted);

}  // namespace normbench::selftest
