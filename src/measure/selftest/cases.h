/// The cases on which the self-test runs kernel rows. A kernel row is an implementation of an op.
/// The cases differ in the parameters of the op, the shape, and the kind of memory.
#pragma once

#include "backend/backend.h"
#include "measure/selftest/input.h"

namespace normbench::selftest {

/// The kinds of memory in a case: the inputs are in `from`, the outputs in `to`.
struct Route {
  Memory from, to;
};

/// A shape of inputs, how inputs of this shape lie in their buffers, and which tests use them.
struct Extent {
  Shape shape;
  Look look = {};
  std::size_t every = 1;     // 9: used with every ninth set of parameters
  bool capturing = false;    // true: kernels also run as a CUDA graph, if they can
  bool host_memory = false;  // true: only for device kernels that read host memory
};

/// Returns the routes (pairs of memory kinds) on which kernel rows of an op in a place are tested:
/// - On a CPU: pageable memory.
/// - On a device, for ops that copy over the link or lock pages: each kind of host memory that the
///   op can copy from, copy to or lock.
/// - On a device, for other ops: device memory. With `host_memory`, the inputs are in host memory
///   that device kernels can read, and the outputs in device memory.
/// With `host_memory`, the list is empty on a CPU, and for ops that copy over the link or lock
/// pages.
std::vector<Route> routes_of(std::string_view op, Place place, bool host_memory = false);

/// Returns tiny, odd and strided extents. Without `quick`, also returns extents whose rows of
/// pixels fill SIMD vectors wholly or partly, extents with many rows of pixels, and two with a
/// million elements. One of these two has a single row of pixels.
std::vector<Extent> extents(bool quick);

/// Returns the signature of the op for inputs with the descriptions `in`. `to` is the memory of the
/// outputs. Returns nothing if the op does not accept such inputs.
std::optional<Signature> signature_of(const Op& op, std::vector<TensorDesc> in, Memory to);

/// Returns the signatures with which the op is tested if `first` is its first input. There is one
/// for each choice of the other inputs.
std::vector<Signature> signatures_of(const Op& op, const TensorDesc& first, Memory to);

/// Returns a description of a case, like "2x3x5x7 uint8 nhwc -> float32 nchw, flip horizontal".
std::string in_words(const Op& op, const Signature& signature);

}  // namespace normbench::selftest
