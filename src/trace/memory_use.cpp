#include "trace/memory_use.h"

#include <algorithm>

namespace normbench {

MemoryUse::MemoryUse(std::vector<TraceMemory> records) : records_(std::move(records)) {
  if (records_.empty()) return;
  std::ranges::stable_sort(records_, {}, &TraceMemory::ns);
  sums_.reserve(records_.size() + 1);
  sums_.emplace_back();
  for (const TraceMemory& record : records_) {
    Bytes sum = sums_.back();
    sum += record.on_device ? Bytes{.device = record.bytes} : Bytes{.host = record.bytes};
    sums_.push_back(sum);
  }
  opened_.resize(records_.size() + 1);
}

Bytes MemoryUse::during(const TraceSlice& slice) {
  if (records_.empty()) return {};
  const auto at = [&](auto found) { return static_cast<std::size_t>(found - records_.begin()); };
  const std::size_t first =
      at(std::ranges::lower_bound(records_, slice.start_ns, {}, &TraceMemory::ns));
  const std::size_t last =
      at(std::ranges::upper_bound(records_, slice.end_ns, {}, &TraceMemory::ns));
  ++opened_[first];
  --opened_[last];
  return sums_[last] - sums_[first];
}

std::vector<TraceMemory> MemoryUse::uncovered() const {
  std::vector<TraceMemory> rest;
  std::int64_t open = 0;
  for (std::size_t i = 0; i < records_.size(); ++i)
    if ((open += opened_[i]) == 0) rest.push_back(records_[i]);
  return rest;
}

}  // namespace normbench
