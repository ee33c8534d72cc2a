/// Runs fused kernels on the host and compares their outputs with references.
#pragma once

#include <functional>
#include <ostream>

#include "backend/cuda/rows.h"
#include "backend/cuda_plain_testing.h"

namespace normbench::cuda {

/// The input starts `in_shift` elements past a cache line, and the output starts `out_shift`
/// elements past one. If the output has more than `enough_threads` slots of 16 bytes, each thread
/// handles several slots.
struct FusedSetting {
  std::int64_t in_shift = 0, out_shift = 0, enough_threads = 1 << 18;
};

inline std::ostream& operator<<(std::ostream& out, const FusedSetting& s) {
  return out << "in +" << s.in_shift << ", out +" << s.out_shift << ", " << s.enough_threads;
}

/// A function that runs an op once on the host. For `enough_threads`, see FusedSetting.
using OnHost =
    std::function<void(const Op&, const View& in, const View& out, std::int64_t enough_threads)>;

/// Runs the kernel body that the fused CUDA kernel of the op launches, one thread after another.
void on_host(const Op& op, const View& in, const View& out, std::int64_t enough_threads);

/// Runs `op` by calling `launched` on an input with the description `in_desc`. Returns nothing if
/// each output element is within the op's error bound and nothing else was written. Otherwise
/// returns what is wrong.
std::optional<std::string> fault_of(const Op& op, const TensorDesc& in_desc,
                                    const FusedSetting& setting, const OnHost& launched = on_host);

inline const std::vector<Shape> fused_shapes{
    {1, 1, 1, 1},  {1, 3, 1, 1},  {2, 3, 5, 7},  {1, 3, 17, 33}, {3, 4, 8, 64},
    {1, 2, 3, 15}, {1, 3, 2, 16}, {1, 1, 3, 17}, {2, 3, 4, 32},  {2, 1, 1, 63},
    {1, 5, 2, 65}, {2, 64, 3, 5}, {1, 3, 9, 1},  {4, 3, 1, 2},   {1, 3, 1, 300}};

inline const std::vector<FusedSetting> fused_settings{{0, 0}, {1, 3},    {4, 4},
                                                      {3, 8}, {0, 0, 0}, {5, 1, 0}};

}  // namespace normbench::cuda
