#include "measure/submission.h"

#include <algorithm>

namespace normbench {
namespace {

/// The buffers that a stage reads, and the buffers that it writes. A buffer is given as the index
/// of the slot that owns it.
struct Access {
  std::vector<int> reads, writes;
};

/// Returns true if the work of the stage is done when its call returns. This is so on the CPU, and
/// for calls of the CUDA runtime that work on host memory.
bool works_on_host(const Stage& stage) {
  return stage.place == Place::Cpu || roles_of(stage.op).locks != PageLocking::None;
}

Access access_of(const Stage& stage, const std::vector<Slot>& slots) {
  // Unlocking counts as a write, because pages may be unlocked only when the device has finished
  // with them.
  if (roles_of(stage.op).locks == PageLocking::Unlocks)
    return {.reads = {}, .writes = {slots[stage.in.back()].buffer}};
  Access access;
  for (const int value : stage.in)
    if (needs_input(stage.op)) access.reads.push_back(slots[value].buffer);
  if (passes_through(stage.op)) return access;
  for (const int value : stage.out) access.writes.push_back(slots[value].buffer);
  return access;
}

bool contains(const std::vector<int>& slots, int slot) {
  return std::ranges::find(slots, slot) != slots.end();
}

void add(std::vector<int>& slots, int slot) {
  if (!contains(slots, slot)) slots.push_back(slot);
}

/// Returns the slots that both stages use and that at least one of them writes.
std::vector<int> conflicts(const Access& device, const Access& host) {
  std::vector<int> slots;
  for (const int slot : device.writes)
    if (contains(host.reads, slot) || contains(host.writes, slot)) add(slots, slot);
  for (const int slot : device.reads)
    if (contains(host.writes, slot)) add(slots, slot);
  return slots;
}

/// Returns the buffers of a stage's inputs, outputs and scratch memory. A buffer is given as the
/// index of the slot that owns it (the root slot).
std::vector<int> roots_of(const Case& planned, const std::vector<Slot>& slots, std::size_t stage) {
  std::vector<int> roots;
  for (const int value : planned.stages[stage].in) roots.push_back(slots[value].buffer);
  for (const int value : planned.stages[stage].out) roots.push_back(slots[value].buffer);
  roots.push_back(static_cast<int>(planned.values.size() + stage));  // scratch memory of the stage
  return roots;
}

bool can_be_captured(const Case& planned, const std::vector<Slot>& slots, std::size_t index) {
  const Stage& stage = planned.stages[index];
  return stage.place == Place::Cuda && stage.kernel->capturable(stage.op, stage.signature) &&
         std::ranges::none_of(roots_of(planned, slots, index),
                              [&](int root) { return slots[root].kind == Slot::Kind::Fresh; });
}

}  // namespace

std::vector<Hazards> hazards_of(const Case& planned, const std::vector<Slot>& slots) {
  std::vector<Hazards> hazards(planned.stages.size());
  if (planned.wait == Wait::Stage) return hazards;
  std::vector<Access> accesses;
  for (const Stage& stage : planned.stages) accesses.push_back(access_of(stage, slots));
  for (std::size_t host = 0; host < hazards.size(); ++host) {
    if (!works_on_host(planned.stages[host])) continue;
    // With Wait::Turn, a device stage after the host stage may still run when the host stage of the
    // next iteration starts. So all device stages are tested, not only those before the host stage.
    const std::size_t end = planned.wait == Wait::Turn ? hazards.size() : host;
    for (std::size_t device = 0; device < end; ++device) {
      if (works_on_host(planned.stages[device])) continue;
      for (const int slot : conflicts(accesses[device], accesses[host])) {
        // A device stage after the host stage can overlap in time only with the host stage of the
        // next iteration, and fresh buffers are not shared between iterations.
        if (device > host && slots[slot].kind == Slot::Kind::Fresh) continue;
        add(hazards[device].watched, slot);
        add(hazards[host].waits, slot);
      }
    }
  }
  return hazards;
}

GraphRun::GraphRun(const Case& planned, const std::vector<Slot>& slots, std::size_t first,
                   std::size_t last)
    : first_(first), last_(last) {
  for (std::size_t stage = first; stage <= last; ++stage) {
    label_ += (stage == first ? "graph (" : ", ") + planned.stages[stage].label;
    for (const int root : roots_of(planned, slots, stage)) use(slots[root]);
  }
  label_ += ")";
}

void GraphRun::use(const Slot& slot) {
  if (slot.kind == Slot::Kind::Source) uses_[0] = true;
  if (slot.kind == Slot::Kind::Placed) uses_[host_reaches(slot.memory) ? 1 : 2] = true;
}

Graph& GraphRun::at(const BufferSlots& slots,
                    const std::function<std::unique_ptr<Graph>()>& capture) {
  BufferSlots key = {};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = uses_[i] ? slots[i] : 0;
  auto& graph = graphs_[key];
  if (!graph) graph = capture();
  return *graph;
}

std::vector<StageRange> around_whole_runs(std::vector<StageRange> ranges,
                                          const std::vector<GraphRun>& runs) {
  for (const GraphRun& run : runs)
    std::erase_if(ranges, [&](StageRange& range) {
      const bool meets = run.first() <= range.last && range.first <= run.last();
      const bool lies_in_it = range.first <= run.first() && run.last() <= range.last;
      if (!meets || lies_in_it) return false;
      if (run.first() <= range.first && range.last <= run.last()) return true;
      if (run.first() < range.first)
        range.first = run.last() + 1;
      else
        range.last = run.first() - 1;
      return false;
    });
  return ranges;
}

std::vector<GraphRun> graph_runs(const Case& planned, const std::vector<Slot>& slots) {
  std::vector<GraphRun> runs;
  if (!planned.graph) return runs;
  const std::size_t count = planned.stages.size();
  for (std::size_t first = 0; first < count; ++first) {
    if (!can_be_captured(planned, slots, first)) continue;
    std::size_t last = first;
    while (last + 1 < count && can_be_captured(planned, slots, last + 1)) ++last;
    runs.emplace_back(planned, slots, first, last);
    first = last;
  }
  return runs;
}

}  // namespace normbench
