#include "backend/cuda/constants.h"

#include <memory>

#include "backend/cuda/queue.h"

namespace normbench::cuda {

template <class T>
DeviceArray<T>::DeviceArray(std::size_t count) {
  void* data = nullptr;
  const std::size_t bytes = count * sizeof(T);
  check(cudaMalloc(&data, bytes), "cudaMalloc", static_cast<std::int64_t>(bytes));
  data_ = static_cast<T*>(data);
}

template <class T>
DeviceArray<T>::~DeviceArray() {
  cudaFree(data_);
}

template <class T>
void DeviceArray<T>::send(cudaStream_t stream, std::span<const T> values) {
  check(cudaMemcpyAsync(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync of constants");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize after sending constants");
}

template class DeviceArray<float>;
template class DeviceArray<double>;

Launch with_device_constants(Constants when, std::function<std::vector<float>()> make,
                             ConstantsBody body) {
  const std::vector<float> first = make();
  const auto constants = std::make_shared<DeviceConstants>(first.size());
  if (when == Constants::Cached) {
    constants->send(nullptr, first);
    return [constants, body](Queue& queue, std::span<const View> in, std::span<const View> out,
                             View) { body(queue, in[0], out[0], constants->data()); };
  }
  return [constants, make, body](Queue& queue, std::span<const View> in, std::span<const View> out,
                                 View) {
    {
      const Range range(queue.recorder, RangeKind::Part, "constants");
      constants->send(stream_of(queue), make());
    }
    body(queue, in[0], out[0], constants->data());
  };
}

}  // namespace normbench::cuda
