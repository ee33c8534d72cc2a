#include "measure/group_memory.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace normbench {

std::int64_t buffer_sets(std::span<const Case* const> cases, Cache cache,
                         std::int64_t cache_bytes) {
  if (cache == Cache::Hot || cases.empty()) return 1;
  std::size_t least = touched_bytes(*cases.front());
  for (const Case* work : cases) least = std::min(least, touched_bytes(*work));
  return 3 * cache_bytes / static_cast<std::int64_t>(least) + 1;
}

GroupMemory::GroupMemory(std::span<const Case* const> cases, const Measure& measure,
                         const Backends& backends, std::int64_t cache_bytes)
    : backends_(backends), sets_(buffer_sets(cases, measure.cache, cache_bytes)) {
  for (const Case* work : cases)
    if (work->source && !find(*work->source)) add_source(*work->source, measure, cache_bytes);
  add_arenas(cases);
}

GroupMemory::Block GroupMemory::make_block(Memory memory, std::size_t bytes) const {
  try {
    return {.arena = std::make_unique<Arena>(backends_.owner(memory), memory, bytes), .error = ""};
  } catch (const std::exception& error) {
    return {.arena = nullptr, .error = error.what()};
  }
}

void GroupMemory::add_source(const Source& source, const Measure& measure,
                             std::int64_t cache_bytes) {
  const TensorDesc desc = source.desc();
  const auto bytes = static_cast<std::size_t>(desc.bytes());
  const std::size_t stride = whole_lines(bytes);
  const std::size_t count = measure.cache == Cache::Hot ? 1 : 3 * cache_bytes / stride + 1;
  Block block = make_block(desc.memory, stride * count);
  if (block.arena) try {
      if (!host_reaches(desc.memory))
        throw std::runtime_error("a source in device memory cannot be filled by this build");
      std::byte* const first = block.arena->data();
      source.fill({.data = first, .desc = desc}, static_cast<std::uint64_t>(measure.seed));
      for (std::size_t copy = 1; copy < count; ++copy)
        std::memcpy(first + stride * copy, first, bytes);
    } catch (const std::exception& error) {
      block = {.arena = nullptr, .error = error.what()};
    }
  sources_.push_back(
      {.source = source, .stride = stride, .count = count, .block = std::move(block)});
}

void GroupMemory::add_arenas(std::span<const Case* const> cases) {
  std::map<Memory, std::size_t> needed;
  for (const Case* work : cases) {
    const std::vector<Slot> slots = storage_of(*work);
    for (const auto& word : words(Memory{})) {
      const auto sizes = placed_sizes(slots, word.value);
      if (sizes.empty()) continue;
      std::size_t& bytes = needed[word.value];
      bytes = std::max(bytes, placement_bytes(sizes, static_cast<std::size_t>(sets_)));
    }
  }
  for (const auto& [memory, bytes] : needed) arenas_.emplace(memory, make_block(memory, bytes));
}

GroupMemory::SharedSource* GroupMemory::find(const Source& source) {
  for (SharedSource& shared : sources_)
    if (shared.source.desc() == source.desc() && shared.source.path == source.path) return &shared;
  return nullptr;
}

SourceCopies GroupMemory::source(const Source& source) {
  SharedSource& shared = *find(source);
  if (!shared.block.arena) throw std::runtime_error(shared.block.error);
  return {.first = shared.block.arena->data(), .stride = shared.stride, .count = shared.count};
}

Arena& GroupMemory::arena(Memory memory) {
  Block& block = arenas_.at(memory);
  if (!block.arena) throw std::runtime_error(block.error);
  return *block.arena;
}

}  // namespace normbench
