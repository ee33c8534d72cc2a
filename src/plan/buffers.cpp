#include "plan/buffers.h"

#include <algorithm>
#include <set>

namespace normbench {
namespace {

bool is_made_by_register(const Case& planned, int index) {
  const int producer = planned.values[index].producer;
  return producer >= 0 && roles_of(planned.stages[producer].op).locks == PageLocking::Locks;
}

bool is_resident(const Case& planned, int index, const Sides& cache_bytes) {
  const Stage& stage = planned.stages[index];
  if (stage.in.empty() || passes_through(stage.op)) return false;
  int first = index;
  for (const int value : stage.in) first = std::min(first, writer_of(planned, value));
  if (first < 0) return false;
  // Stage `first` is the earliest stage that wrote an input of stage `index`. The buffers of the
  // stages after `first`, up to stage `index`, must fit into the cache together. The output of
  // `first` is among them, as an input of stage `index`. The inputs of `first` need not stay in the
  // cache.
  const Memory side = stage.signature.in[0].memory;
  return touched_bytes(planned, first + 1, index + 1, side) <=
         (host_reaches(side) ? cache_bytes.host : cache_bytes.device);
}

/// Returns the index of the next stage on the CPU that reads value `index`; the number of stages if
/// there is none.
int next_reader(const Case& planned, int index) {
  const int stages = static_cast<int>(planned.stages.size());
  for (int s = planned.values[index].producer + 1; s < stages; ++s) {
    const Stage& stage = planned.stages[s];
    const auto reads = [&](int value) {
      return buffer_of(planned, value) == buffer_of(planned, index);
    };
    if (stage.place == Place::Cpu && std::ranges::any_of(stage.in, reads)) return s;
  }
  return stages;
}

bool is_fresh(OutputPolicy policy, Memory memory, std::size_t bytes) {
  if (policy == OutputPolicy::CudaMalloc) return true;
  const bool recycled = !cuda_owns(memory) && bytes < fresh_mmap_bytes;
  return policy == OutputPolicy::Fresh && !recycled;
}

Slot buffer(OutputPolicy policy, Memory memory, std::size_t bytes, int stage) {
  Slot slot{.memory = memory,
            .bytes = bytes,
            .policy = policy,
            .first_stage = stage,
            .last_stage = stage};
  if (bytes > 0)
    slot.kind = is_fresh(policy, memory, bytes) ? Slot::Kind::Fresh : Slot::Kind::Placed;
  return slot;
}

Slot value_slot(const Case& planned, const Value& value) {
  const auto bytes = static_cast<std::size_t>(value.desc.bytes());
  if (value.producer < 0)
    return {.kind = Slot::Kind::Source, .memory = value.desc.memory, .bytes = bytes};
  if (value.in_place_of >= 0)
    return {.kind = Slot::Kind::InPlace, .memory = value.desc.memory, .bytes = bytes};
  if (!planned.peer.empty()) return {.memory = value.desc.memory, .bytes = bytes};
  return buffer(planned.stages[value.producer].output, value.desc.memory, bytes, value.producer);
}

/// Sets `near_link` of the slots in pageable memory that a stage on a device reads or writes over
/// the link. Host memory that CUDA allocates needs no mark, because it always comes from the NUMA
/// node of the device.
void mark_near_link(const Case& planned, std::vector<Slot>& slots) {
  for (const Stage& stage : planned.stages) {
    // The host does the work of `pin`; `register` and `unregister` move no bytes.
    if (stage.place != Place::Cuda || roles_of(stage.op).locks == PageLocking::Copies ||
        passes_through(stage.op))
      continue;
    for (const auto* values : {&stage.in, &stage.out})
      for (const int value : *values) {
        Slot& slot = slots[buffer_of(planned, value)];
        slot.near_link = !cuda_owns(slot.memory);
      }
  }
}

}  // namespace

int writer_of(const Case& planned, int index) {
  while (true) {
    const Value& value = planned.values[index];
    if (value.producer < 0 || !passes_through(planned.stages[value.producer].op))
      return value.producer;
    index = value.in_place_of;
  }
}

int buffer_of(const Case& planned, int index) {
  while (planned.values[index].in_place_of >= 0) index = planned.values[index].in_place_of;
  return index;
}

const Stage* overwriter_of(const Case& planned, int index) {
  for (int later = index + 1; later < static_cast<int>(planned.values.size()); ++later) {
    if (buffer_of(planned, later) != buffer_of(planned, index)) continue;
    const Stage& stage = planned.stages[planned.values[later].producer];
    if (!passes_through(stage.op)) return &stage;
  }
  return nullptr;
}

int registered_value(const Case& planned) {
  int registered = -1;
  for (const Stage& stage : planned.stages) {
    const PageLocking locks = roles_of(stage.op).locks;
    if (locks == PageLocking::Locks) registered = stage.out[0];
    if (locks == PageLocking::Unlocks) registered = -1;
  }
  return registered;
}

bool is_unregistered(const Case& planned, int index) {
  if (planned.values[index].desc.memory != Memory::Registered) return false;
  while (index >= 0 && !is_made_by_register(planned, index))
    index = planned.values[index].in_place_of;
  return index >= 0 && index != registered_value(planned);
}

std::int64_t touched_bytes(const Case& planned, int first, int end, Memory side, std::size_t line) {
  std::set<int> buffers;
  for (int s = first; s < end; ++s) {
    const Stage& stage = planned.stages[s];
    if (passes_through(stage.op)) continue;
    for (const auto* values : {&stage.in, &stage.out})
      for (const int value : *values) buffers.insert(buffer_of(planned, value));
  }
  std::size_t bytes = 0;
  for (const int buffer : buffers)
    if (const TensorDesc& desc = planned.values[buffer].desc; same_side(desc.memory, side))
      bytes += whole_lines(static_cast<std::size_t>(desc.bytes()), line);
  return static_cast<std::int64_t>(bytes);
}

void mark_resident(Case& planned, const Sides& cache_bytes) {
  for (int s = 0; s < static_cast<int>(planned.stages.size()); ++s)
    planned.stages[s].resident = is_resident(planned, s, cache_bytes);
}

void note_reuse(Case& planned, Cache cache) {
  const int stages = static_cast<int>(planned.stages.size());
  for (int s = 0; s < stages; ++s) {
    Stage& stage = planned.stages[s];
    if (stage.place != Place::Cpu) continue;
    const int output = stage.out[0];
    const int reader = next_reader(planned, output);
    stage.signature.read_next = reader < stages;
    std::int64_t& bytes = stage.signature.reuse_bytes;
    if (planned.values[output].in_place_of >= 0)
      bytes = 0;
    else if (reader < stages)
      bytes = touched_bytes(planned, s, reader, Memory::Pageable);
    else if (cache == Cache::Hot)
      bytes = touched_bytes(planned, 0, stages, Memory::Pageable);
    else
      bytes = std::numeric_limits<std::int64_t>::max();
  }
}

std::vector<Slot> storage_of(const Case& planned) {
  std::vector<Slot> slots;
  for (const Value& value : planned.values) slots.push_back(value_slot(planned, value));
  for (int i = 0; i < std::ssize(slots); ++i) slots[i].buffer = buffer_of(planned, i);
  const int last = static_cast<int>(planned.stages.size()) - 1;
  for (int s = 0; s <= last; ++s) {
    const Stage& stage = planned.stages[s];
    for (const int value : stage.in) slots[buffer_of(planned, value)].last_stage = s;
    const std::size_t scratch =
        planned.peer.empty() ? stage.kernel->scratch(stage.op, stage.signature) : 0;
    slots.push_back(buffer(stage.output, stage.signature.out.front().memory, scratch, s));
    slots.back().buffer = static_cast<int>(std::ssize(slots)) - 1;
  }
  for (const int output : planned.outputs)  // outputs live until the iteration ends
    slots[buffer_of(planned, output)].last_stage = last;
  if (planned.near_link) mark_near_link(planned, slots);
  return slots;
}

std::vector<std::size_t> placed_sizes(const std::vector<Slot>& slots, Memory memory,
                                      bool near_link) {
  std::vector<std::size_t> sizes;
  for (const Slot& slot : slots)
    if (is_placed(slot, memory, near_link)) sizes.push_back(slot.bytes);
  return sizes;
}

std::size_t gap_limit(std::size_t bytes, std::size_t line) {
  // Random gaps avoid 4K aliasing, where a core takes addresses with the same lower 12 bits for the
  // same address. Gaps below 4 KiB are enough to give these bits any value.
  constexpr std::size_t alias = 4096;
  return std::min(alias, whole_lines(bytes, line) + line);
}

std::size_t placement_bytes(std::span<const std::size_t> sizes, std::size_t sets,
                            std::size_t line) {
  std::size_t bytes = 0;
  for (const std::size_t size : sizes)
    bytes += whole_lines(size, line) + gap_limit(size, line) - line;
  return bytes > SIZE_MAX / std::max<std::size_t>(1, sets) ? SIZE_MAX : bytes * sets;
}

}  // namespace normbench
