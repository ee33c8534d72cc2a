#include "measure/case_buffers.h"

#include <algorithm>
#include <cstring>

namespace normbench {
namespace {

/// Returns an aligned but invalid address, as a placeholder for a buffer that has no memory yet.
std::byte* not_yet() { return reinterpret_cast<std::byte*>(std::uintptr_t{4096}); }

}  // namespace

CaseBuffers::CaseBuffers(const Case& planned, GroupMemory& memory, const Backends& backends)
    : work_(planned),
      memory_(memory),
      backends_(backends),
      slots_(storage_of(planned)),
      addresses_(slots_.size() * memory.most_sets(), not_yet()) {
  if (!work_.inputs.empty()) source_ = memory_.inputs(work_);
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    roots_.push_back(static_cast<std::size_t>(slots_[i].buffer));
    if (slots_[i].kind == Slot::Kind::Placed) memory_.arena(slots_[i].memory, slots_[i].near_link);
  }
}

bool CaseBuffers::is_output(std::size_t root) const {
  return std::ranges::any_of(
      work_.outputs, [&](int value) { return roots_[static_cast<std::size_t>(value)] == root; });
}

void CaseBuffers::place(std::mt19937_64& random) {
  for (const auto& word : words(Memory{}))
    for (const bool near_link : {false, true}) place(word.value, near_link, random);
  is_placed_ = true;
}

void CaseBuffers::place(Memory memory, bool near_link, std::mt19937_64& random) {
  // If there are more buffers than this, only the first call of place() draws addresses, because
  // drawing takes longer than a turn. Successive turns still run on different addresses, because
  // they use different buffers.
  constexpr std::size_t enough = 1 << 16;
  const auto sizes = placed_sizes(slots_, memory, near_link);
  if (sizes.empty()) return;
  const std::size_t sets = memory_.sets(work_, memory);
  if (is_placed_ && sets * sizes.size() > enough) return;
  Arena& arena = memory_.arena(memory, near_link);
  const auto offsets = random_placement(sizes, sets, arena.bytes(), random, alignment_of(memory));
  auto offset = offsets.begin();
  for (std::size_t set = 0; set < sets; ++set)
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (is_placed(slots_[i], memory, near_link))
        addresses_[set * slots_.size() + i] = arena.data() + *offset++;
}

std::byte* CaseBuffers::address(std::size_t slot, const BufferSlots& in) const {
  const std::size_t root = roots_[slot];
  const auto [source, host, device] = in;
  if (slots_[root].kind == Slot::Kind::Source)
    return source_.first + source * source_.stride + source_.offsets[root];
  const std::size_t set = host_reaches(slots_[root].memory) ? host : device;
  return addresses_[set * slots_.size() + root];
}

std::span<std::byte> Poison::of(std::byte* data, std::size_t bytes) const {
  const auto start = [&](std::int64_t one) {
    return bytes * static_cast<std::size_t>(one) / static_cast<std::size_t>(parts);
  };
  return std::span(data, bytes).subspan(start(part), start(part + 1) - start(part));
}

void CaseBuffers::poison(const BufferSlots& in, const Poison& poison) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].kind != Slot::Kind::Placed) continue;
    const std::span<std::byte> bytes = poison.of(address(i, in), slots_[i].bytes);
    if (host_caches(slots_[i].memory))
      std::memset(bytes.data(), static_cast<int>(poison.pattern), bytes.size());
    else
      backends_.owner(slots_[i].memory).fill(bytes.data(), poison.pattern, bytes.size());
  }
}

BufferSlots CaseBuffers::slots_of(std::size_t iteration) const {
  return {iteration % source_.count, iteration % memory_.sets(Memory::Pageable),
          iteration % memory_.sets(Memory::Device)};
}

BufferSlots CaseBuffers::slots_of_flight(std::size_t flight, std::size_t flights,
                                         std::size_t round) const {
  const auto set = [&](Memory side) {
    const std::size_t sets = memory_.sets(side), each = std::max<std::size_t>(1, sets / flights);
    return (flight + flights * (round % each)) % sets;
  };
  return {(flight + flights * round) % source_.count, set(Memory::Pageable), set(Memory::Device)};
}

std::size_t CaseBuffers::rotation() const {
  return std::max(
      {source_.count, memory_.sets(work_, Memory::Pageable), memory_.sets(work_, Memory::Device)});
}

}  // namespace normbench
