#include "plan/storage.h"

namespace normbench {
namespace {

/// True if a stage allocates and frees its output itself, inside the timed region.
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

Slot value_slot(const Case& work, const Value& value) {
  const auto bytes = static_cast<std::size_t>(value.desc.bytes());
  if (value.producer < 0)
    return {.kind = Slot::Kind::Source, .memory = value.desc.memory, .bytes = bytes};
  if (value.in_place_of >= 0)
    return {.kind = Slot::Kind::InPlace,
            .memory = value.desc.memory,
            .bytes = bytes,
            .in_place_of = value.in_place_of};
  if (!work.peer.empty()) return {.memory = value.desc.memory, .bytes = bytes};
  return buffer(work.stages[value.producer].output, value.desc.memory, bytes, value.producer);
}

/// Marks the slots that stages on a device read or write over its link. Host memory that CUDA owns
/// is always marked: it is there for the link.
void mark_near_link(const Case& work, std::vector<Slot>& slots) {
  for (const Stage& stage : work.stages) {
    // Pinning copies on the host; registering moves nothing.
    if (stage.place != Place::Cuda || std::holds_alternative<Pin>(stage.op) ||
        passes_through(stage.op))
      continue;
    for (const auto* values : {&stage.in, &stage.out})
      for (const int value : *values) {
        Slot& slot = slots[root_of(slots, value)];
        slot.near_link = !cuda_owns(slot.memory);
      }
  }
}

}  // namespace

int root_of(const std::vector<Slot>& slots, int index) {
  while (slots[index].kind == Slot::Kind::InPlace) index = slots[index].in_place_of;
  return index;
}

std::vector<Slot> storage_of(const Case& work) {
  std::vector<Slot> slots;
  for (const Value& value : work.values) slots.push_back(value_slot(work, value));
  const int last = static_cast<int>(work.stages.size()) - 1;
  for (int s = 0; s <= last; ++s) {
    const Stage& stage = work.stages[s];
    for (const int value : stage.in) slots[root_of(slots, value)].last_stage = s;
    const std::size_t scratch =
        work.peer.empty() ? stage.kernel->scratch(stage.op, stage.signature) : 0;
    slots.push_back(buffer(stage.output, stage.signature.out.front().memory, scratch, s));
  }
  for (const int output : work.outputs)  // they live until the iteration ends
    slots[root_of(slots, output)].last_stage = last;
  if (work.near_link) mark_near_link(work, slots);
  return slots;
}

std::vector<std::size_t> placed_sizes(const std::vector<Slot>& slots, Memory memory,
                                      bool near_link) {
  std::vector<std::size_t> sizes;
  for (const Slot& slot : slots)
    if (is_placed(slot, memory, near_link)) sizes.push_back(slot.bytes);
  return sizes;
}

}  // namespace normbench
