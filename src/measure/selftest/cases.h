/// The cases on which the self-test runs kernel rows: parameters of ops, shapes, and kinds of
/// memory.
#pragma once

#include "backend/backend.h"
#include "measure/selftest/input.h"

namespace normbench::selftest {

/// The kind of memory of an op's inputs, and of its outputs.
struct Route {
  Memory from, to;
};

/// A shape of inputs, their place in their buffers, and the tests that use them.
struct Extent {
  Shape shape;
  Look look = {};
  std::size_t every = 1;     // 9: only every ninth set of parameters is used
  bool capturing = false;    // rows that can be captured also run as a graph
  bool host_memory = false;  // used only for kernels of a device that read host memory
};

/// Returns the routes for tests of this op's rows in a place:
/// - On a CPU: pageable memory.
/// - On a device, for ops that copy over the link or lock pages: the kinds of host memory that the
///   op can copy from or to, or lock.
/// - On a device, for other ops: device memory. With `host_memory`, from host memory that kernels
///   can read, to device memory.
/// With `host_memory`, there are no routes on a CPU, and none for ops that copy over the link or
/// lock pages.
std::vector<Route> routes_of(std::string_view op, Place place, bool host_memory = false);

/// Returns tiny, odd and strided extents. Unless `quick`, also returns extents for whole and
/// partial vectors, for many rows, and two of a million elements, one of them a single row.
std::vector<Extent> extents(bool quick);

/// Returns the inputs and outputs of the op for inputs with these descriptions; nothing if the op
/// does not take such inputs. `to`: the memory of the outputs.
std::optional<Signature> signature_of(const Op& op, std::vector<TensorDesc> in, Memory to);

/// Returns the signatures that are tested with `first` as the first input: one for each choice of
/// the other inputs.
std::vector<Signature> signatures_of(const Op& op, const TensorDesc& first, Memory to);

/// Returns a case in words, like "2x3x5x7 uint8 nhwc -> float32 nchw, flip horizontal".
std::string in_words(const Op& op, const Signature& signature);

}  // namespace normbench::selftest
