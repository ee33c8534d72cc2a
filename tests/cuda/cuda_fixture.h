/// A fixture with a fake CUDA runtime of its own. A test fails if it leaves objects of the runtime
/// alive, or if the runtime records a violation (a mistake in its use).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "cuda/fake_cudart.h"

namespace normbench {

using Bytes = std::vector<std::byte>;
using Calls = std::vector<std::string>;

class CudaTest : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_THAT(cuda.live(), ::testing::IsEmpty());
    EXPECT_THAT(cuda.violations, ::testing::IsEmpty());
  }

  /// Returns the log entries of the runtime calls that `work` makes.
  template <class Work>
  Calls calls_of(Work work) {
    const std::size_t before = cuda.log.size();
    work();
    return cuda.log_from(before);
  }

  FakeCuda& cuda = new_fake_cuda();
};

/// A CudaTest with a backend and a queue.
class CudaBackendTest : public CudaTest {
 protected:
  void TearDown() override {
    queue.reset();
    backend.reset();
    CudaTest::TearDown();
  }

  std::unique_ptr<Backend> backend = make_cuda_backend({});
  std::unique_ptr<Queue> queue = backend->make_queue(1, nullptr);
};

/// Returns the message of the exception that `work` throws, or "".
template <class Work>
std::string error_of(Work work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// Returns the kernel row `name` of the op `op`. Throws std::logic_error if there is none.
inline const Kernel& row_of(const Backend& backend, std::string_view op, std::string_view name) {
  for (const Kernel& kernel : backend.kernels())
    if (kernel.op == op && kernel.name == name) return kernel;
  throw std::logic_error("no row " + std::string(name) + " of " + std::string(op));
}

/// A prepared launch and its buffers.
struct BoundStage {
  Launch launch;
  std::vector<View> in, out;

  void submit(Queue& queue) { launch(queue, in, out, {}); }
};

inline BoundStage bind(const Kernel& kernel, const Op& op, const View& in, const View& out) {
  return {
      .launch = kernel.prepare(op, {.in = {in.desc}, .out = {out.desc}}), .in = {in}, .out = {out}};
}

}  // namespace normbench
