#include "backend/cpu/choose_stores.h"

namespace normbench {
namespace {

constexpr std::int64_t kUnknownCache = std::int64_t{32} << 20;
constexpr std::int64_t kLargestCluster = std::int64_t{100} << 20;

}  // namespace

std::int64_t kept_bytes(const std::vector<std::int64_t>& cache_sizes, int threads) {
  const std::size_t count = cache_sizes.size();
  if (count == 0) return kUnknownCache;
  const bool spread = cache_sizes[count - 1] > kLargestCluster && count > 1;
  return spread ? threads * cache_sizes[count - 2] : cache_sizes[count - 1];
}

Stores choose_stores(const Signature& signature, const std::vector<std::int64_t>& cache_sizes,
                     int threads) {
  const std::int64_t kept = kept_bytes(cache_sizes, threads);
  const bool gone = signature.reuse_bytes >= kept + kept / 2;
  return gone && signature.pages_mapped ? Stores::NonTemporal : Stores::Normal;
}

}  // namespace normbench
