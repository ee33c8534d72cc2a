#include "plan/aliases.h"

namespace normbench {
namespace {

bool is_made_by_register(const Case& work, int index) {
  const int producer = work.values[index].producer;
  return producer >= 0 && std::holds_alternative<Register>(work.stages[producer].op);
}

}  // namespace

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

}  // namespace normbench
