#include "plan/buffers.h"

#include <algorithm>
#include <set>

#include "plan/placement.h"

namespace normbench {
namespace {

bool is_made_by_register(const Case& work, int index) {
  const int producer = work.values[index].producer;
  return producer >= 0 && std::holds_alternative<Register>(work.stages[producer].op);
}

bool is_resident(const Case& work, int index, const Sides& cache_bytes) {
  const Stage& stage = work.stages[index];
  if (stage.in.empty() || passes_through(stage.op)) return false;
  int first = index;
  for (const int value : stage.in) first = std::min(first, writer_of(work, value));
  if (first < 0) return false;
  // The first stage's input leaves the cache while it writes. Its output is an input here.
  const Memory side = stage.signature.in[0].memory;
  return touched_bytes(work, first + 1, index + 1, side) <=
         (host_reaches(side) ? cache_bytes.host : cache_bytes.device);
}

/// The next stage on the CPU that reads value `index`; the number of stages where none does.
int next_reader(const Case& work, int index) {
  const int stages = static_cast<int>(work.stages.size());
  for (int s = work.values[index].producer + 1; s < stages; ++s) {
    const Stage& stage = work.stages[s];
    const auto reads = [&](int value) { return buffer_of(work, value) == buffer_of(work, index); };
    if (stage.place == Place::Cpu && std::ranges::any_of(stage.in, reads)) return s;
  }
  return stages;
}

}  // namespace

int writer_of(const Case& work, int index) {
  while (true) {
    const Value& value = work.values[index];
    if (value.producer < 0 || !passes_through(work.stages[value.producer].op))
      return value.producer;
    index = value.in_place_of;
  }
}

int buffer_of(const Case& work, int index) {
  while (work.values[index].in_place_of >= 0) index = work.values[index].in_place_of;
  return index;
}

const Stage* overwriter_of(const Case& work, int index) {
  for (int later = index + 1; later < static_cast<int>(work.values.size()); ++later) {
    if (buffer_of(work, later) != buffer_of(work, index)) continue;
    const Stage& stage = work.stages[work.values[later].producer];
    if (!passes_through(stage.op)) return &stage;
  }
  return nullptr;
}

int registered_value(const Case& work) {
  int registered = -1;
  for (const Stage& stage : work.stages) {
    if (std::holds_alternative<Register>(stage.op)) registered = stage.out[0];
    if (std::holds_alternative<Unregister>(stage.op)) registered = -1;
  }
  return registered;
}

bool is_unregistered(const Case& work, int index) {
  if (work.values[index].desc.memory != Memory::Registered) return false;
  while (index >= 0 && !is_made_by_register(work, index)) index = work.values[index].in_place_of;
  return index >= 0 && index != registered_value(work);
}

std::int64_t touched_bytes(const Case& work, int first, int end, Memory side, std::size_t line) {
  std::set<int> buffers;
  for (int s = first; s < end; ++s) {
    const Stage& stage = work.stages[s];
    if (passes_through(stage.op)) continue;
    for (const auto* values : {&stage.in, &stage.out})
      for (const int value : *values) buffers.insert(buffer_of(work, value));
  }
  std::size_t bytes = 0;
  for (const int buffer : buffers)
    if (const TensorDesc& desc = work.values[buffer].desc; same_side(desc.memory, side))
      bytes += whole_lines(static_cast<std::size_t>(desc.bytes()), line);
  return static_cast<std::int64_t>(bytes);
}

void mark_resident(Case& work, const Sides& cache_bytes) {
  for (int s = 0; s < static_cast<int>(work.stages.size()); ++s)
    work.stages[s].resident = is_resident(work, s, cache_bytes);
}

void note_reuse(Case& work, Cache cache) {
  const int stages = static_cast<int>(work.stages.size());
  for (int s = 0; s < stages; ++s) {
    Stage& stage = work.stages[s];
    if (stage.place != Place::Cpu) continue;
    const int output = stage.out[0];
    const int reader = next_reader(work, output);
    stage.signature.read_next = reader < stages;
    std::int64_t& bytes = stage.signature.reuse_bytes;
    if (work.values[output].in_place_of >= 0)
      bytes = 0;
    else if (reader < stages)
      bytes = touched_bytes(work, s, reader, Memory::Pageable);
    else if (cache == Cache::Hot)
      bytes = touched_bytes(work, 0, stages, Memory::Pageable);
    else
      bytes = std::numeric_limits<std::int64_t>::max();
  }
}

}  // namespace normbench
