/// A fixture for CUDA kernel rows (implementations of ops) with memory of every kind.
#pragma once

#include <memory>
#include <vector>

#include "cuda/cuda_fixture.h"

namespace normbench {

/// Makes tensors of 2x3x4x4 in any memory, so that tests can run kernel rows on them.
class RowsTest : public CudaBackendTest {
 protected:
  static constexpr Shape shape{2, 3, 4, 4};
  static constexpr std::size_t bytes = 96;

  void TearDown() override {
    kept.clear();
    CudaBackendTest::TearDown();
  }

  View make(Memory memory, DType dtype = DType::UInt8) {
    const TensorDesc desc = dense(dtype, Layout::Nchw, shape, memory);
    kept.push_back(cuda_owns(memory)
                       ? backend->allocate(memory, static_cast<std::size_t>(desc.bytes()))
                       : cpu->allocate(memory, static_cast<std::size_t>(desc.bytes())));
    return {kept.back()->data(), desc};
  }
  void fill(const View& view, int value) {
    cuda.write(view.data, Bytes(static_cast<std::size_t>(view.desc.bytes()), std::byte(value)));
  }
  std::byte at(const View& view) { return cuda.read(view.data, bytes).back(); }

  std::unique_ptr<Backend> cpu = make_cpu_backend();
  std::vector<std::unique_ptr<Allocation>> kept;
};

}  // namespace normbench
