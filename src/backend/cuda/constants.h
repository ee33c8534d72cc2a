/// Numbers of an op in device memory, sent once or with every call.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "backend/cuda/runtime.h"

namespace normbench::cuda {

/// A fixed number of float or double values in device memory.
template <class T>
class DeviceArray {
 public:
  /// Throws CudaError.
  explicit DeviceArray(std::size_t count);
  ~DeviceArray();
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  const T* data() const { return data_; }

  /// Copies `values`, at most `count`, from pageable memory in the order of `stream` and waits for
  /// them: what a framework does to make a tensor of a list of numbers. Throws CudaError.
  void send(cudaStream_t stream, std::span<const T> values);

 private:
  T* data_ = nullptr;
};

using DeviceConstants = DeviceArray<float>;

/// What a row does with its views once the constants are on the device.
using ConstantsBody =
    std::function<void(Queue&, const View& in, const View& out, const float* constants)>;

/// A launch of `body` with the numbers that `make` gives on the device: sent here, once (cached),
/// or made anew and sent by every launch, inside a range `constants` (per_call). `make` gives the
/// same count every time and may throw std::runtime_error, as check_divisors does.
Launch with_device_constants(Constants when, std::function<std::vector<float>()> make,
                             ConstantsBody body);

}  // namespace normbench::cuda
