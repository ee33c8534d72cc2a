#include "measure/hazards.h"

#include <algorithm>

namespace normbench {

namespace {

/// The buffers that a stage uses.
struct Access {
  std::vector<int> reads, writes;
};

/// True for stages whose work is done when their call returns: those on the CPU, and calls of the
/// device's runtime that work on host memory.
bool works_on_host(const Stage& stage) {
  return stage.place == Place::Cpu || std::holds_alternative<Pin>(stage.op) ||
         std::holds_alternative<Unregister>(stage.op);
}

Access access_of(const Stage& stage, const std::vector<Slot>& slots) {
  // Pages may be unlocked only when the device is done with them: as if they were written.
  if (std::holds_alternative<Unregister>(stage.op))
    return {.reads = {}, .writes = {root_of(slots, stage.in.back())}};
  Access access;
  if (passes_through(stage.op)) return access;
  for (const int value : stage.in) access.reads.push_back(root_of(slots, value));
  for (const int value : stage.out) access.writes.push_back(root_of(slots, value));
  return access;
}

bool contains(const std::vector<int>& slots, int slot) {
  return std::ranges::find(slots, slot) != slots.end();
}

void add(std::vector<int>& slots, int slot) {
  if (!contains(slots, slot)) slots.push_back(slot);
}

/// What both use and at least one writes.
std::vector<int> conflicts(const Access& device, const Access& host) {
  std::vector<int> slots;
  for (const int slot : device.writes)
    if (contains(host.reads, slot) || contains(host.writes, slot)) add(slots, slot);
  for (const int slot : device.reads)
    if (contains(host.writes, slot)) add(slots, slot);
  return slots;
}

}  // namespace

std::vector<Hazards> hazards_of(const Case& work, const std::vector<Slot>& slots) {
  std::vector<Hazards> hazards(work.stages.size());
  if (work.wait == Wait::Stage) return hazards;
  std::vector<Access> accesses;
  for (const Stage& stage : work.stages) accesses.push_back(access_of(stage, slots));
  for (std::size_t host = 0; host < hazards.size(); ++host) {
    if (!works_on_host(work.stages[host])) continue;
    // What comes later in the pipeline is still under way when its next iteration starts.
    const std::size_t end = work.wait == Wait::Turn ? hazards.size() : host;
    for (std::size_t device = 0; device < end; ++device) {
      if (works_on_host(work.stages[device])) continue;
      for (const int slot : conflicts(accesses[device], accesses[host])) {
        // Each iteration has fresh buffers of its own.
        if (device > host && slots[slot].kind == Slot::Kind::Fresh) continue;
        add(hazards[device].watched, slot);
        add(hazards[host].waits, slot);
      }
    }
  }
  return hazards;
}

}  // namespace normbench
