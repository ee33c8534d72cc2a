/// Compares outputs of kernels with what they should be.
#pragma once

#include "backend/backend.h"

namespace normbench::selftest {

/// What an op's output should be.
struct Exact {
  Tensor64 values;
  Errors bounds = {};  // how far correct values may lie from `values`
};

/// Returns the exact outputs and their bounds, from the op's reference and error analysis.
/// `signature` may have more images than the inputs.
std::vector<Exact> exact_outputs(const Op& op, std::span<const Known> in,
                                 const Signature& signature);

struct Judged {
  double error = 0;        // error of the element nearest to its bound; infinite for a wrong NaN
  double bound = 0;        // the bound of that element
  std::size_t output = 0;  // the output that the element is in
  std::optional<std::string> failure;  // message about the first wrong element, if any
};

/// Compares an output in host memory with the exact values. `exact` begins with image `first` of
/// the output. `poison`: the value of every byte of the output before the run.
Judged judge(const Exact& exact, const View& got, std::byte poison, std::int64_t first = 0);

/// Returns a text about the first element that differs between two outputs with equal descriptions.
std::string difference(const View& before, const View& after);

/// Returns the error as a share of its bound. Above 1 the value is wrong.
double share_of_bound(double error, double bound);

}  // namespace normbench::selftest
