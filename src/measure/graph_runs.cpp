#include "measure/graph_runs.h"

#include <algorithm>

namespace normbench {

namespace {

/// The slots that a stage's views point into.
std::vector<int> roots_of(const Case& work, const std::vector<Slot>& slots, std::size_t stage) {
  std::vector<int> roots;
  for (const int value : work.stages[stage].in) roots.push_back(root_of(slots, value));
  for (const int value : work.stages[stage].out) roots.push_back(root_of(slots, value));
  roots.push_back(static_cast<int>(work.values.size() + stage));  // its scratch memory
  return roots;
}

bool can_be_captured(const Case& work, const std::vector<Slot>& slots, std::size_t index) {
  const Stage& stage = work.stages[index];
  return stage.place == Place::Cuda && stage.kernel->capturable(stage.op, stage.signature) &&
         std::ranges::none_of(roots_of(work, slots, index),
                              [&](int root) { return slots[root].kind == Slot::Kind::Fresh; });
}

}  // namespace

GraphRun::GraphRun(const Case& work, const std::vector<Slot>& slots, std::size_t first,
                   std::size_t last)
    : first_(first), last_(last) {
  for (std::size_t stage = first; stage <= last; ++stage) {
    label_ += (stage == first ? "graph (" : ", ") + work.stages[stage].label;
    for (const int root : roots_of(work, slots, stage)) use(slots[root]);
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

std::vector<GraphRun> graph_runs(const Case& work, const std::vector<Slot>& slots) {
  std::vector<GraphRun> runs;
  if (!work.graph) return runs;
  const std::size_t count = work.stages.size();
  for (std::size_t first = 0; first < count; ++first) {
    if (!can_be_captured(work, slots, first)) continue;
    std::size_t last = first;
    while (last + 1 < count && can_be_captured(work, slots, last + 1)) ++last;
    runs.emplace_back(work, slots, first, last);
    first = last;
  }
  return runs;
}

}  // namespace normbench
