/// Whether an output is what it should be.
#pragma once

#include "backend/backend.h"

namespace normbench::selftest {

/// What an op's output should be.
struct Exact {
  Tensor64 values;
  Errors bounds = {};  // how far right values may lie from them
};

/// What all outputs should be, from the op's reference and error analysis. `signature` may have
/// more images than the inputs.
std::vector<Exact> exact_outputs(const Op& op, std::span<const Known> in,
                                 const Signature& signature);

struct Judged {
  double error = 0;  // of the element nearest to its bound; infinite for NaN that should be none
  double bound = 0;  // of that element
  std::size_t output = 0;              // of this one
  std::optional<std::string> failure;  // of the first wrong element
};

/// Holds images [first, first + those of `exact`) of an output in host memory to the exact values.
/// `poison` is what its bytes were before.
Judged judge(const Exact& exact, const View& got, std::byte poison, std::int64_t first = 0);

/// The first element of two outputs of the same description that differs, in words.
std::string difference(const View& before, const View& after);

/// The error as a share of its bound: 1 is as far from the exact value as a right one may be.
double share_of_bound(double error, double bound);

}  // namespace normbench::selftest
