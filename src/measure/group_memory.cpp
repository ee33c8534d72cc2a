#include "measure/group_memory.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <stdexcept>

#include "core/units.h"
#include "machine/topology.h"

namespace normbench {
namespace {

/// A multiple of `line` below `limit` bytes.
std::size_t random_lines(std::size_t limit, std::size_t line, std::mt19937_64& random) {
  return line * std::uniform_int_distribution<std::size_t>(0, limit / line - 1)(random);
}

std::int64_t side_of(const Sides& sides, Memory memory) {
  return host_reaches(memory) ? sides.host : sides.device;
}

}  // namespace

Arena::Arena(Backend& owner, Memory memory, std::size_t bytes) : bytes_(bytes) {
  try {
    allocation_ = owner.allocate(memory, bytes);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("needs {} of {} memory: {}",
                                         format_bytes(static_cast<double>(bytes)), name_of(memory),
                                         error.what()));
  }
  if (!host_caches(memory))
    owner.fill(data(), std::byte{1}, bytes);
  else
    for (std::size_t at = 0; at < bytes; at += static_cast<std::size_t>(page_bytes()))
      data()[at] = std::byte{1};
}

std::vector<std::size_t> random_placement(std::span<const std::size_t> sizes, std::size_t sets,
                                          std::size_t capacity, std::mt19937_64& random,
                                          std::size_t line) {
  std::vector<std::size_t> order(sizes.size() * sets);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);

  const std::size_t slack = capacity - placement_bytes(sizes, sets, line);
  std::size_t at = random_lines(slack + line, line, random);
  std::vector<std::size_t> offsets(order.size());
  for (const std::size_t buffer : order) {
    const std::size_t size = sizes[buffer % sizes.size()];
    at += random_lines(gap_limit(size, line), line, random);
    offsets[buffer] = at;
    at += whole_lines(size, line);
  }
  return offsets;
}

Sides cold_caches(const Backends& backends, std::int64_t last_level_cache_bytes) {
  const Backend* cuda = backends.at(Place::Cuda);
  const std::int64_t own = cuda == nullptr || cuda->unavailable() ? 0 : cuda->cache_bytes();
  return {.host = last_level_cache_bytes, .device = own > 0 ? own : last_level_cache_bytes};
}

GroupMemory::GroupMemory(std::span<const Case* const> cases, const Measure& measure,
                         const Backends& backends, std::int64_t cache_bytes)
    : backends_(backends),
      caches_(cold_caches(backends, cache_bytes)),
      sets_{.host = buffer_sets(cases, measure.cache, Memory::Pageable, caches_.host),
            .device = buffer_sets(cases, measure.cache, Memory::Device, caches_.device)} {
  for (const Case* work : cases)
    if (work->source && !find(*work)) add_source(*work, measure);
  add_arenas(cases);
}

GroupMemory::Block GroupMemory::make_block(Memory memory, std::size_t bytes) const {
  try {
    return {.arena = std::make_unique<Arena>(backends_.owner(memory), memory, bytes), .error = ""};
  } catch (const std::exception& error) {
    return {.arena = nullptr, .error = error.what()};
  }
}

void GroupMemory::add_source(const Case& work, const Measure& measure) {
  const TensorDesc desc = work.source->desc();
  const std::size_t stride =
      whole_lines(static_cast<std::size_t>(desc.bytes()), alignment_of(desc.memory));
  const auto count =
      static_cast<std::size_t>(source_copies(work, measure.cache, side_of(caches_, desc.memory)));
  SharedSource shared{.source = *work.source,
                      .resident = work.resident,
                      .stride = stride,
                      .count = count,
                      .block = make_block(desc.memory, stride * count)};
  if (shared.block.arena) try {
      fill(shared, static_cast<std::uint64_t>(measure.seed));
    } catch (const std::exception& error) {
      shared.block = {.arena = nullptr, .error = error.what()};
    }
  sources_.push_back(std::move(shared));
}

void GroupMemory::fill(const SharedSource& shared, std::uint64_t seed) const {
  TensorDesc desc = shared.source.desc();
  const auto bytes = static_cast<std::size_t>(desc.bytes());
  std::byte* const first = shared.block.arena->data();
  if (host_caches(desc.memory)) {
    shared.source.fill({.data = first, .desc = desc}, seed);
    for (std::size_t copy = 1; copy < shared.count; ++copy)
      std::memcpy(first + shared.stride * copy, first, bytes);
    return;
  }
  Backend& owner = backends_.owner(desc.memory);
  desc.memory = Memory::Pageable;
  const auto staging = backends_.owner(desc.memory).allocate(desc.memory, bytes);
  shared.source.fill({.data = staging->data(), .desc = desc}, seed);
  owner.copy(first, staging->data(), bytes);
  for (std::size_t copy = 1; copy < shared.count; ++copy)
    owner.copy(first + shared.stride * copy, first, bytes);
}

void GroupMemory::add_arenas(std::span<const Case* const> cases) {
  std::map<Memory, std::size_t> needed;
  for (const Case* work : cases) {
    const std::vector<Slot> slots = storage_of(*work);
    for (const auto& word : words(Memory{})) {
      const auto sizes = placed_sizes(slots, word.value);
      if (sizes.empty()) continue;
      std::size_t& bytes = needed[word.value];
      bytes = std::max(bytes,
                       placement_bytes(sizes, sets(*work, word.value), alignment_of(word.value)));
    }
  }
  for (const auto& [memory, bytes] : needed) arenas_.emplace(memory, make_block(memory, bytes));
}

GroupMemory::SharedSource* GroupMemory::find(const Case& work) {
  for (SharedSource& shared : sources_)
    if (shared.resident == work.resident && shared.source.desc() == work.source->desc() &&
        shared.source.path == work.source->path)
      return &shared;
  return nullptr;
}

SourceCopies GroupMemory::source(const Case& work) {
  SharedSource& shared = *find(work);
  if (!shared.block.arena) throw std::runtime_error(shared.block.error);
  return {.first = shared.block.arena->data(), .stride = shared.stride, .count = shared.count};
}

Arena& GroupMemory::arena(Memory memory) {
  Block& block = arenas_.at(memory);
  if (!block.arena) throw std::runtime_error(block.error);
  return *block.arena;
}

}  // namespace normbench
