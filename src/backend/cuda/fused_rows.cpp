#include "backend/cuda/fused_rows.h"

#include "backend/cuda/runtime.h"

namespace normbench::cuda {

bool is_on_device(Memory memory) { return memory == Memory::Device || memory == Memory::Managed; }

Cost cost_over_link(const Op& op, const Signature& signature) {
  Cost cost = fewest(op, signature);
  const auto cross = [&](std::int64_t& bytes) {
    cost.link_bytes += bytes;
    bytes = 0;
  };
  if (!is_on_device(signature.in.at(0).memory)) cross(cost.read_bytes);
  if (!is_on_device(signature.out.at(0).memory)) cross(cost.written_bytes);
  return cost;
}

std::int64_t l2_bytes() {
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device),
        "cudaDeviceGetAttribute(cudaDevAttrL2CacheSize)");
  return bytes;
}

}  // namespace normbench::cuda
