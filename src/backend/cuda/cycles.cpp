#include "backend/cuda/cycles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "backend/cuda/memory.h"

namespace normbench::cuda {
namespace {

/// All numbers of multiprocessors (%smid) are below this number. A GPU may skip some numbers.
constexpr std::size_t kNumbers = 1024;

using Moment = std::array<ClockReading, kNumbers>;

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

unsigned multiprocessors_of(int device) {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute(MultiProcessorCount)");
  return static_cast<unsigned>(count);
}

}  // namespace

Cycles::Cycles()
    : multiprocessors_(multiprocessors_of(current_device())),
      readings_(allocate(Memory::Device, 2 * sizeof(Moment), current_device())) {
  read(only_load(), 0);
}

void Cycles::read(cudaStream_t stream, std::size_t moment) {
  auto* const readings = reinterpret_cast<Moment*>(readings_->data()) + moment;
  check(launch_read_clocks(stream, readings->data(), kNumbers, multiprocessors_),
        "launching a reading of clocks");
}

void Cycles::start(cudaStream_t stream) {
  check(cudaMemsetAsync(readings_->data(), 0, readings_->bytes(), stream), "cudaMemsetAsync");
  read(stream, 0);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

std::int64_t Cycles::stop(cudaStream_t stream) {
  read(stream, 1);
  std::vector<Moment> moments(2);
  check(cudaMemcpyAsync(moments.data(), readings_->data(), readings_->bytes(),
                        cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::vector<double> mhz;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const ClockReading &from = moments[0][i], &to = moments[1][i];
    if (from.time_ns == 0 || to.time_ns <= from.time_ns || to.cycles <= from.cycles) continue;
    mhz.push_back(1e3 * static_cast<double>(to.cycles - from.cycles) /
                  static_cast<double>(to.time_ns - from.time_ns));
  }
  if (mhz.empty()) return 0;
  const auto middle = mhz.begin() + std::ssize(mhz) / 2;
  std::ranges::nth_element(mhz, middle);
  return std::llround(*middle);
}

}  // namespace normbench::cuda
