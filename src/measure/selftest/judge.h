/// Compares the outputs of kernels with the exact outputs.
#pragma once

#include "backend/backend.h"

namespace normbench::selftest {

/// The exact values of an output.
struct Exact {
  Tensor64 values;
  Errors bounds = {};  // how far values of a kernel may differ from `values`
};

/// Returns the exact outputs and their bounds, from the reference and the error analysis of the op.
/// `in` may have fewer images than `signature`; the outputs then have as many images as `in`.
std::vector<Exact> exact_outputs(const Op& op, std::span<const Known> in,
                                 const Signature& signature);

struct Judged {
  // The error of the element nearest to its bound. It is infinite if only the computed or only the
  // exact value is NaN.
  double error = 0;
  double bound = 0;                    // bound of that element
  std::size_t output = 0;              // index of the output with that element
  std::optional<std::string> failure;  // describes the first wrong element; empty: none is wrong
};

/// Compares an output in host memory with the exact values. The first image of `exact` belongs to
/// image `first` of the output. `poison` is the value that all bytes of the output had before the
/// run.
Judged judge(const Exact& exact, const View& got, std::byte poison, std::int64_t first = 0);

/// Returns a description of the first element that differs between two outputs. The outputs must
/// have equal descriptions and different bytes.
std::string difference(const View& before, const View& after);

/// Returns the error divided by its bound. The value is wrong if this is above 1.
double share_of_bound(double error, double bound);

}  // namespace normbench::selftest
