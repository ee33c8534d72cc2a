/// Runs rows under test on their cases, and collects what is found of them.
#pragma once

#include <cstddef>

#include "measure/selftest/selftest.h"
#include "measure/selftest/trial.h"

namespace normbench::selftest {

/// A row that is chosen, and what is found of it.
struct Candidate {
  const Kernel* kernel = nullptr;
  RowFinding finding = {};
  bool stopped = false;  // disabled: it threw
  bool done = false;     // all its cases were run, or it stopped
};

/// A row's case that was run. `bound`: nothing when the op's values are undefined.
struct Ran {
  Judged judged;
  std::optional<double> bound;
};

/// Offers a row a case, called `words`; runs it when the row accepts. A row that throws is
/// disabled, and the device is recovered.
void offer(Lab& lab, Candidate& row, const std::string& words, const Op& op,
           const Signature& signature, const std::function<Ran()>& run);

/// Notes a failure; the first one's words are kept.
void fail(RowFinding& finding, const std::string& words);

/// Runs the rows of an op on every case they accept. A row that throws is disabled; when the
/// device cannot be recovered, all are.
void test_op(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

/// Every `step`th bit pattern of a float dtype smaller than float32. For float32: for each such
/// pattern of all smaller dtypes its value, the middle between it and the next one, and the floats
/// beside that. So there are NaN (with payloads that are cut off, too), infinities and subnormals.
std::vector<std::byte> hard_elements(DType dtype, int step);

/// Runs an op's rows where it changes no more than the dtype (cast; normalize, denormalize, sub and
/// div by 0 and 1) on such values: they must be rounded to nearest even, with NaN kept (0 as
/// uint8). No other op has cases.
void test_rounding(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick);

/// Runs normalize, cast and copy on one large uint8 tensor; of the outputs, images here and there
/// are held to the reference. Takes `most_of_memory` of `free_bytes` (0: unknown), and on a CPU
/// with less than 64 GiB free only what is `wanted`. Gives why it does not run, or nothing.
std::optional<NotTested> test_large(Lab& lab, std::span<Candidate> rows, std::int64_t free_bytes,
                                    bool wanted);

}  // namespace normbench::selftest
