#include <algorithm>
#include <map>

#include "plan/plan.h"

namespace normbench {
namespace {

std::vector<const Case*> runnable(const Group& group) {
  std::vector<const Case*> cases;
  for (const auto* list : {&group.cases, &group.limits})
    for (const Case& work : *list)
      if (!work.skip) cases.push_back(&work);
  return cases;
}

/// Adds, per memory kind, the buffers of one iteration beside the source.
void add_buffers(const Case& work, std::map<Memory, std::int64_t>& bytes) {
  for (const Value& value : work.values)
    if (value.producer >= 0 && value.in_place_of < 0)
      bytes[value.desc.memory] += value.desc.bytes();
  for (const Stage& stage : work.stages)
    if (stage.kernel != nullptr)
      bytes[stage.signature.out[0].memory] +=
          static_cast<std::int64_t>(stage.kernel->scratch(stage.op, stage.signature));
}

std::int64_t touched_bytes(const Case& work) {
  std::map<Memory, std::int64_t> bytes;
  add_buffers(work, bytes);
  std::int64_t sum = work.source ? work.source->desc().bytes() : 0;
  for (const auto& [memory, part] : bytes) sum += part;
  return std::max<std::int64_t>(sum, 1);
}

}  // namespace

std::int64_t memory_bytes(const Group& group, const Measure& measure, std::int64_t cache_bytes) {
  const std::vector<const Case*> cases = runnable(group);
  if (cases.empty()) return 0;
  std::int64_t least = touched_bytes(*cases.front());
  std::map<std::pair<std::string, std::string>, std::int64_t> sources;
  std::map<Memory, std::int64_t> arenas;
  for (const Case* work : cases) {
    least = std::min(least, touched_bytes(*work));
    if (work->source)
      sources[{describe(work->source->desc()), work->source->path}] = work->source->desc().bytes();
    std::map<Memory, std::int64_t> needed;
    add_buffers(*work, needed);
    for (const auto& [memory, bytes] : needed) arenas[memory] = std::max(arenas[memory], bytes);
  }
  const bool cold = measure.cache == Cache::Cold;
  const auto copies = [&](std::int64_t size) {
    return cold ? static_cast<double>(3 * cache_bytes / std::max<std::int64_t>(size, 1) + 1) : 1;
  };
  // In double: the products may be larger than any machine, and larger than 2^63.
  double bytes = 0;
  for (const auto& [source, size] : sources) bytes += static_cast<double>(size) * copies(size);
  for (const auto& [memory, size] : arenas) bytes += static_cast<double>(size) * copies(least);
  return static_cast<std::int64_t>(std::min(bytes, 0x1p62));
}

}  // namespace normbench
