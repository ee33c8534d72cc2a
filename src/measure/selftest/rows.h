/// Runs the chosen kernel rows (implementations of ops) on their cases, and collects the results.
#pragma once

#include <cstddef>

#include "measure/selftest/findings.h"
#include "measure/selftest/trial.h"

namespace normbench::selftest {

/// A kernel row that was chosen for the test, and its results.
struct Candidate {
  const Kernel* kernel = nullptr;
  RowFinding finding = {};
  bool stopped = false;  // true: the kernel threw, so it gets no further cases
  bool done = false;     // true: all its cases were run, or it was stopped
};

/// The result of a kernel row on a case. `bound` is empty if the values of the op are undefined.
struct Ran {
  Judged judged;
  std::optional<double> bound;
};

/// Asks a kernel row whether it accepts a case. If it does, calls `run`, which must run the kernel
/// on the case, and adds the returned result to `row.finding`. `words` describes the case in
/// messages. If the kernel throws, its row gets no further cases, and the device is recovered.
void offer(Lab& lab, Candidate& row, const std::string& words, const Op& op,
           const Signature& signature, const std::function<Ran()>& run);

/// Counts a failure, and stores `words` if it is the first failure.
void fail(RowFinding& finding, const std::string& words);

/// Runs the kernel rows of an op on every case that they accept. A row whose kernel throws gets no
/// further cases. If the device cannot be recovered after that, no row gets further cases.
void test_op(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

/// Returns the bytes of values that are hard to round, including NaN, infinities and subnormals.
/// For a float dtype smaller than float32, these are every `step`th bit pattern. For float32, each
/// of these patterns of the smaller dtypes gives four values: its own value, the midpoint between
/// it and the next value, and the floats on both sides of the midpoint.
std::vector<std::byte> hard_elements(DType dtype, int step);

/// Runs the kernel rows of an op on values that are hard to round, with parameters that change only
/// the dtype: cast, and normalize, denormalize, sub and div with mean 0 and std 1. Results must be
/// rounded to nearest even. NaN must stay NaN (0 as uint8). Does nothing for other ops.
void test_rounding(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

/// Runs normalize, cast and copy on one large uint8 tensor, and compares some images of the outputs
/// with the reference. The tensors must fit in `most_of_memory` of `free_bytes` (0: unknown). On a
/// CPU with less than 64 GiB of free memory, the test runs only if `wanted` is true. Returns why
/// the test was left out or ended early, or nothing.
std::optional<NotTested> test_large(Lab& lab, std::span<Candidate> rows, std::int64_t free_bytes,
                                    bool wanted);

}  // namespace normbench::selftest
