/// Lets normbench measure your own kernel. Copy this file, change MyKernel, and compile it:
///   c++ -O3 -fopenmp my_kernel.cpp -o my_kernel
/// Add these members to a config, and run it with --allow-peers:
///   "peers": {"mine": ["./my_kernel"]}
///   "variants": {"mine": {"peer": "mine", "stages": ["normalize"]}, "normbench": ["normalize"]}
#include "peer.h"

namespace {

/// Computes (x * scale - mean) / std of planar uint8 images as float32 in one pass: x * a + b,
/// where `a` is scale / std and `b` is -mean / std.
struct MyKernel {
  static constexpr const char* name = "my_kernel";
  static constexpr const char* version = "1";

  void prepare(const peer::Task& task) {
    const peer::Stage& stage = task.only_stage("normalize");
    stage.only({"mean", "std", "scale", "dtype", "layout", "constants"});
    peer::require(stage.in.is("uint8", "nchw") && stage.out.is("float32", "nchw") &&
                      stage.in.shape == stage.out.shape,
                  "other than uint8 nchw to float32 nchw");
    const std::vector<double> mean = stage.channels("mean"), std = stage.channels("std");
    const double scale = stage.parameters.value("scale", 1.0);
    a.clear(), b.clear();
    for (std::size_t c = 0; c < mean.size(); ++c) {
      a.push_back(static_cast<float>(scale / std[c]));
      b.push_back(static_cast<float>(-mean[c] / std[c]));
    }
    planes = stage.in.shape[0] * stage.in.shape[1];
    rows = stage.in.shape[2];
    columns = stage.in.shape[3];
    threads = task.threads;
  }

  void run(const void* input, void* output) const {
    const auto* const x = static_cast<const std::uint8_t*>(input);
    auto* const y = static_cast<float*>(output);
#pragma omp parallel for num_threads(threads)
    for (std::int64_t row = 0; row < planes * rows; ++row) {
      const auto channel = static_cast<std::size_t>(row / rows) % a.size();
      const float factor = a[channel], offset = b[channel];
      for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i)
        y[i] = static_cast<float>(x[i]) * factor + offset;
    }
  }

  std::vector<float> a, b;  // factor and offset of each channel
  std::int64_t planes = 0, rows = 0, columns = 0;
  int threads = 1;
};

}  // namespace

int main() { return peer::serve(MyKernel()); }
