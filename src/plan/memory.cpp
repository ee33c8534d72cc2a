#include <algorithm>
#include <cmath>
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

/// Bytes of host and device memory; in double, for products may be larger than any machine.
struct Amounts {
  double host = 0, device = 0;

  double& of(Memory memory) { return host_reaches(memory) ? host : device; }
};

/// What one iteration touches on each side where it has buffers of its own: sources alone do not
/// rotate with them.
Amounts touched_bytes(const Case& work) {
  Amounts touched, own;
  for (const Value& value : work.values) {
    if (value.in_place_of >= 0) continue;
    const auto bytes = static_cast<double>(value.desc.bytes());
    touched.of(value.desc.memory) += bytes;
    if (value.producer >= 0) own.of(value.desc.memory) += bytes;
  }
  return {.host = own.host > 0 ? touched.host : 0, .device = own.device > 0 ? touched.device : 0};
}

/// How many buffers of this size go past the cache threefold.
double cold_copies(double bytes, std::int64_t cache_bytes) {
  return std::floor(3 * static_cast<double>(cache_bytes) / bytes) + 1;
}

/// Buffer sets that a side rotates through, given what each case touches there: as many as the one
/// that touches least needs.
double cold_sets(const std::vector<Amounts>& touched, double Amounts::*side,
                 std::int64_t cache_bytes) {
  double least = 0;
  for (const Amounts& one : touched)
    if (one.*side > 0 && (least == 0 || one.*side < least)) least = one.*side;
  return least == 0 ? 1 : cold_copies(least, cache_bytes);
}

std::int64_t whole(double bytes) { return static_cast<std::int64_t>(std::min(bytes, 0x1p62)); }

}  // namespace

Sides memory_bytes(const Group& group, const Measure& measure, const Sides& cache_bytes) {
  const bool cold = measure.cache == Cache::Cold;
  std::map<std::pair<std::string, std::string>, TensorDesc> sources;
  std::map<Memory, std::int64_t> arenas;
  std::vector<Amounts> touched;
  for (const Case* work : runnable(group)) {
    touched.push_back(touched_bytes(*work));
    if (work->source)
      sources[{describe(work->source->desc()), work->source->path}] = work->source->desc();
    std::map<Memory, std::int64_t> needed;
    add_buffers(*work, needed);
    for (const auto& [memory, bytes] : needed) arenas[memory] = std::max(arenas[memory], bytes);
  }
  Amounts sets{.host = 1, .device = 1}, bytes;
  if (cold)
    sets = {.host = cold_sets(touched, &Amounts::host, cache_bytes.host),
            .device = cold_sets(touched, &Amounts::device, cache_bytes.device)};
  for (const auto& [key, desc] : sources) {
    const auto size = static_cast<double>(desc.bytes());
    const std::int64_t cache = host_reaches(desc.memory) ? cache_bytes.host : cache_bytes.device;
    bytes.of(desc.memory) += size * (cold ? cold_copies(size, cache) : 1);
  }
  for (const auto& [memory, size] : arenas)
    bytes.of(memory) += static_cast<double>(size) * sets.of(memory);
  return {.host = whole(bytes.host), .device = whole(bytes.device)};
}

}  // namespace normbench
