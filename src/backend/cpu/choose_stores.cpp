#include "backend/cpu/choose_stores.h"

#include <fmt/format.h>

#include "machine/topology.h"

namespace normbench {
namespace {

constexpr std::int64_t kUnknownCache = std::int64_t{32} << 20;
constexpr std::int64_t kLargestCluster = std::int64_t{100} << 20;

/// Returns true if there are several levels of cache and the last level has more than
/// kLargestCluster bytes. Such a cache belongs to a whole socket, not to a cluster of cores.
bool is_spread(const std::vector<std::int64_t>& caches) {
  return caches.size() > 1 && caches.back() > kLargestCluster;
}

/// Returns the smallest Signature::reuse_bytes at which an output is assumed to leave the caches
/// before it is used again.
std::int64_t lost_bytes(const std::vector<std::int64_t>& caches, int threads) {
  const std::int64_t kept = kept_bytes(caches, threads);
  return kept + kept / 2;
}

std::string mebibytes(std::int64_t bytes) {
  return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

std::int64_t kept_bytes(const std::vector<std::int64_t>& caches, int threads) {
  if (caches.empty()) return kUnknownCache;
  if (is_spread(caches)) return threads * caches[caches.size() - 2];
  return caches.back();
}

Stores choose_stores(const Signature& signature, const std::vector<std::int64_t>& caches,
                     int threads) {
  const bool gone = signature.reuse_bytes >= lost_bytes(caches, threads);
  return gone && signature.pages_mapped ? Stores::NonTemporal : Stores::Normal;
}

std::string explain_stores(const std::vector<std::int64_t>& caches, int threads) {
  std::string why = "the sizes of the caches are unknown";
  if (is_spread(caches)) {
    why = fmt::format("1.5 x {} of cache x {} thread{}: the last-level cache of {} is shared",
                      mebibytes(caches[caches.size() - 2]), threads, threads == 1 ? "" : "s",
                      mebibytes(caches.back()));
  } else if (!caches.empty()) {
    why = fmt::format("1.5 x the last-level cache of {}", mebibytes(caches.back()));
  }
  return fmt::format("non-temporal from {} on when pages are mapped ({})",
                     mebibytes(lost_bytes(caches, threads)), why);
}

StoresRule suitable_stores(const Signature& signature) {
  return [signature, caches = data_caches()](int threads) {
    return choose_stores(signature, caches, threads);
  };
}

StoresRule normal_stores(const Signature&) {
  return [](int) { return Stores::Normal; };
}

StoresRule non_temporal_stores(const Signature&) {
  return [](int) { return Stores::NonTemporal; };
}

}  // namespace normbench
