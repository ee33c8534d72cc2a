#include "plan/memory.h"

#include <algorithm>

#include "plan/extra_memory.h"
#include "plan/placement.h"
#include "plan/storage.h"

namespace normbench {
namespace {

std::int64_t whole(double bytes) { return static_cast<std::int64_t>(std::min(bytes, 0x1p60)); }

Sides whole(const Amounts& bytes) {
  return {.host = whole(bytes.host), .device = whole(bytes.device)};
}

std::int64_t of_side(const Sides& sides, Memory memory) {
  return host_reaches(memory) ? sides.host : sides.device;
}

/// What a group's cases are placed with.
struct Rotation {
  Cache cache;
  Sides cache_bytes;
  Sides sets;  // of buffers

  std::int64_t sets_of(const Case& work, Memory memory) const {
    return work.resident ? 1 : of_side(sets, memory);
  }
};

/// Every source once, with its copies.
Amounts source_bytes(std::span<const Case* const> cases, const Rotation& rotation) {
  Amounts bytes;
  for (auto work = cases.begin(); work != cases.end(); ++work) {
    if (!(*work)->source) continue;
    const auto shares = [&](const Case* other) {
      return other->source && share_source(*other, **work);
    };
    if (std::any_of(cases.begin(), work, shares)) continue;
    const TensorDesc desc = (*work)->source->desc();
    const std::int64_t copies =
        source_copies(**work, rotation.cache, of_side(rotation.cache_bytes, desc.memory));
    bytes.of(desc.memory) += static_cast<double>(copies) *
                             static_cast<double>(whole_lines(static_cast<std::size_t>(desc.bytes()),
                                                             alignment_of(desc.memory)));
  }
  return bytes;
}

/// One arena per kind of memory, as large as the case that needs most of it.
Amounts arena_bytes(std::span<const Case* const> cases, const Rotation& rotation) {
  Amounts bytes;
  for (const auto& kind : words(Memory{})) {
    std::size_t most = 0;
    for (const Case* work : cases)
      most = std::max(most,
                      placement_bytes(placed_sizes(storage_of(*work), kind.value),
                                      static_cast<std::size_t>(rotation.sets_of(*work, kind.value)),
                                      alignment_of(kind.value)));
    bytes.of(kind.value) += static_cast<double>(most);
  }
  return bytes;
}

/// What peers hold in processes of their own: their copies of the source, and all their outputs.
Amounts peer_bytes(std::span<const Case* const> cases, const Rotation& rotation) {
  Amounts bytes;
  for (const Case* work : cases) {
    if (work->peer.empty()) continue;
    for (const Value& value : work->values) {
      if (value.in_place_of >= 0) continue;
      const Memory memory = value.desc.memory;
      const std::int64_t copies =
          value.producer >= 0
              ? 1
              : source_copies(*work, rotation.cache, of_side(rotation.cache_bytes, memory));
      bytes.of(memory) += static_cast<double>(copies) * static_cast<double>(value.desc.bytes());
    }
  }
  return bytes;
}

}  // namespace

std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache, Memory side,
                         std::int64_t cache_bytes) {
  if (cache == Cache::Hot) return 1;
  std::size_t least = 0;
  for (const Case* work : cases) {
    if (work->resident) continue;
    const std::size_t touched = touched_bytes(*work, side);
    if (touched > 0 && (least == 0 || touched < least)) least = touched;
  }
  return least == 0 ? 1 : 3 * cache_bytes / static_cast<std::int64_t>(least) + 1;
}

std::int64_t source_copies(const Case& work, Cache cache, std::int64_t cache_bytes) {
  if (cache == Cache::Hot || work.resident) return 1;
  const TensorDesc desc = work.source->desc();
  const std::size_t bytes =
      whole_lines(static_cast<std::size_t>(desc.bytes()), alignment_of(desc.memory));
  return 3 * cache_bytes / static_cast<std::int64_t>(bytes) + 1;
}

bool share_source(const Case& one, const Case& other) {
  return one.resident == other.resident && one.source->desc() == other.source->desc() &&
         one.source->path == other.source->path;
}

MemoryNeed memory_need(std::span<const Case* const> cases, Cache cache, const Sides& cache_bytes) {
  const Rotation rotation{
      .cache = cache,
      .cache_bytes = cache_bytes,
      .sets = {.host = buffer_sets(cases, cache, Memory::Pageable, cache_bytes.host),
               .device = buffer_sets(cases, cache, Memory::Device, cache_bytes.device)}};
  Amounts kept, held, passing;
  for (const Amounts& part :
       {source_bytes(cases, rotation), arena_bytes(cases, rotation), peer_bytes(cases, rotation)}) {
    kept.host += part.host;
    kept.device += part.device;
  }
  const std::int64_t most_sets = std::max(rotation.sets.host, rotation.sets.device);
  for (const Case* work : cases) {
    const ExtraMemory extra = extra_memory(*work, most_sets);
    held.host += extra.held.host;
    held.device += extra.held.device;
    passing.host = std::max(passing.host, extra.passing.host);
    passing.device = std::max(passing.device, extra.passing.device);
  }
  return {.kept = whole(kept),
          .passing = whole(
              Amounts{.host = held.host + passing.host, .device = held.device + passing.device})};
}

std::vector<const Case*> runnable(const Group& group) {
  std::vector<const Case*> cases;
  for (const auto* list : {&group.cases, &group.limits})
    for (const Case& work : *list)
      if (!work.skip) cases.push_back(&work);
  return cases;
}

Sides memory_bytes(const Group& group, const Measure& measure, const Sides& cache_bytes) {
  return memory_need(runnable(group), measure.cache, cache_bytes).total();
}

}  // namespace normbench
