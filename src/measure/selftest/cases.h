/// What rows are tried on: ops with parameters, shapes, memory.
#pragma once

#include "backend/backend.h"
#include "measure/selftest/input.h"

namespace normbench::selftest {

/// Kinds of memory of an op's inputs and of its outputs.
struct Route {
  Memory from, to;
};

/// Inputs of one shape, how they lie in their buffers, and what is done with them.
struct Extent {
  Shape shape;
  Look look = {};
  std::size_t every = 1;     // of the op's parameters only one in so many
  bool capturing = false;    // rows that can be captured also run as a graph
  bool host_memory = false;  // kernels of a device read host memory, and nothing else is run
};

/// The routes that rows of this op take in a place: device memory for the kernels of a device, all
/// kinds of host memory for transfers. `host_memory`: those of kernels that read host memory.
std::vector<Route> routes_of(std::string_view op, Place place, bool host_memory = false);

/// Tiny, odd and strided extents, those of whole and broken vectors, many rows, and (not `quick`)
/// two of a million elements, one of them a single row.
std::vector<Extent> extents(bool quick);

/// The inputs and outputs of the op on inputs with these descriptions, or nothing if it does not
/// take such inputs.
std::optional<Signature> signature_of(const Op& op, std::vector<TensorDesc> in, Memory to);

/// The signatures for all inputs that are worth trying with a first one like `first`.
std::vector<Signature> signatures_of(const Op& op, const TensorDesc& first, Memory to);

/// "2x3x5x7 uint8 nhwc -> float32 nchw, flip horizontal".
std::string in_words(const Op& op, const Signature& signature);

}  // namespace normbench::selftest
