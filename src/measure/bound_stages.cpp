#include "measure/bound_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace normbench {
namespace {

/// What is submitted while it lives is only loaded.
class Loading {
 public:
  explicit Loading(Queue& queue) : queue_(queue) { queue_.begin_load(); }
  ~Loading() { queue_.end_load(); }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

 private:
  Queue& queue_;
};

TensorDesc scratch_desc(const Slot& slot) {
  return dense(DType::UInt8, Layout::Nchw,
               {.n = 1, .c = 1, .h = 1, .w = static_cast<std::int64_t>(slot.bytes)}, slot.memory);
}

/// In the scratch folder; none without one, or where the stage saves nothing.
std::unique_ptr<SavedFiles> files_of(const Stage& stage, std::size_t index, std::size_t number,
                                     const Backends& backends) {
  const auto* const op = std::get_if<Save>(&stage.op);
  if (op == nullptr || backends.at(stage.place)->scratch.empty()) return nullptr;
  return std::make_unique<SavedFiles>(
      *op, fmt::format("{}/{}-{}", backends.at(stage.place)->scratch, index, number),
      stage.signature.in[0].shape.n);
}

/// Sets of buffers on a device that an item finds one after the other: those in flight share them.
std::size_t sets_of_an_item(const Case& work, const GroupMemory& memory) {
  const int items = work.pipeline ? work.pipeline->in_flight : 1;
  return std::max<std::size_t>(1,
                               memory.sets(work, Memory::Device) / static_cast<std::size_t>(items));
}

}  // namespace

BoundStages::BoundStages(const Case& work, const CaseBuffers& buffers, GroupMemory& memory,
                         const Backends& backends, std::size_t number)
    : work_(work),
      buffers_(buffers),
      backends_(backends),
      held_(buffers.slots().size()),
      fresh_(buffers.slots().size()),
      rotating_(sets_of_an_item(work, memory) - 1),
      earlier_(buffers.slots().size()) {
  const std::vector<Slot>& slots = buffers.slots();
  for (std::size_t s = 0; s < work.stages.size(); ++s) {
    const Stage& stage = work.stages[s];
    Step& step = steps_.emplace_back();
    {
      // Such as the memory that `exchange` copies back to.
      const Bound bound = stage.place == Place::Cuda ? memory.bind_near_link() : nullptr;
      step.launch = stage.kernel->prepare(stage.op, stage.signature);
    }
    step.files = files_of(stage, s, number, backends);
    for (const int in : stage.in) step.in.push_back({.desc = work.values[in].desc});
    for (const int out : stage.out) step.out.push_back({.desc = work.values[out].desc});
    step.scratch.desc = scratch_desc(slots[work.values.size() + s]);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].kind != Slot::Kind::Fresh) continue;
      if (slots[i].first_stage == static_cast<int>(s)) step.fresh.push_back(i);
      if (slots[i].last_stage == static_cast<int>(s)) step.finished.push_back(i);
    }
  }
}

void BoundStages::hold(std::span<const std::size_t> slots) {
  std::ranges::fill(held_, nullptr);
  for (const std::size_t slot : slots)
    held_[buffers_.root(slot)] = buffers_.address(slot, used_);
}

void BoundStages::make_rotation(std::size_t stage, Queue& queue) {
  for (const std::size_t index : steps_[stage].fresh) {
    const Slot& slot = buffers_.slots()[index];
    if (host_reaches(slot.memory)) continue;
    while (earlier_[index].size() < rotating_)
      earlier_[index].push_back(
          backends_.owner(slot.memory).allocate_fresh(slot.policy, slot.memory, slot.bytes, queue));
  }
}

void BoundStages::allocate_fresh(std::size_t stage, Queue& queue, std::optional<Poison> poison) {
  for (const std::size_t index : steps_[stage].fresh) {
    const Slot& slot = buffers_.slots()[index];
    Backend& owner = backends_.owner(slot.memory);
    free(index);
    fresh_[index] = owner.allocate_fresh(slot.policy, slot.memory, slot.bytes, queue);
    if (!poison) continue;
    const std::span<std::byte> bytes = poison->of(fresh_[index]->data(), slot.bytes);
    if (host_caches(slot.memory)) {
      std::memset(bytes.data(), static_cast<int>(poison->pattern), bytes.size());
    } else {
      queue.drain();  // it is there in the queue's order
      owner.fill(bytes.data(), poison->pattern, bytes.size());
    }
  }
}

void BoundStages::submit(std::size_t s, Queue& queue) {
  Step& step = steps_[s];
  const Stage& stage = work_.stages[s];
  for (std::size_t i = 0; i < step.in.size(); ++i)
    step.in[i].data = address(static_cast<std::size_t>(stage.in[i]));
  for (std::size_t i = 0; i < step.out.size(); ++i)
    step.out[i].data = address(static_cast<std::size_t>(stage.out[i]));
  step.scratch.data = address(work_.values.size() + s);
  queue.files = step.files ? std::string_view(step.files->start()) : std::string_view();
  step.launch(queue, step.in, step.out, step.scratch);
}

void BoundStages::load(std::size_t stage, Queue& queue) {
  if (!work_.stages[stage].kernel->loads) return;
  const Loading loading(queue);
  submit(stage, queue);
}

void BoundStages::remove_saved() const {
  for (const Step& step : steps_)
    if (step.files) step.files->remove();
}

std::string BoundStages::why_not_saved() const {
  std::vector<std::byte> bytes;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (!steps_[s].files) continue;
    const auto value = static_cast<std::size_t>(work_.stages[s].in[0]);
    TensorDesc desc = work_.values[value].desc;
    bytes.resize(static_cast<std::size_t>(desc.bytes()));
    backends_.owner(desc.memory).copy(bytes.data(), address(value), bytes.size());
    if (std::string why = steps_[s].files->why_wrong({.data = bytes.data(), .desc = desc});
        !why.empty())
      return why;
  }
  return "";
}

void BoundStages::free(std::size_t slot) {
  if (!fresh_[slot]) return;
  auto memory = std::move(fresh_[slot]);
  if (host_reaches(buffers_.slots()[slot].memory)) return;
  earlier_[slot].push_back(std::move(memory));
  if (earlier_[slot].size() > rotating_) earlier_[slot].pop_front();
}

void BoundStages::free_all() {
  for (std::size_t slot = 0; slot < fresh_.size(); ++slot) free(slot);
}

std::byte* BoundStages::address(std::size_t slot) const {
  const std::size_t root = buffers_.root(slot);
  if (fresh_[root]) return fresh_[root]->data();
  return held_[root] != nullptr ? held_[root] : buffers_.address(slot, used_);
}

std::vector<View> BoundStages::inputs() const {
  std::vector<View> views;
  for (std::size_t i = 0; i < work_.inputs.size(); ++i)
    views.push_back({.data = address(i), .desc = work_.values[i].desc});
  return views;
}

std::vector<View> BoundStages::outputs() const {
  std::vector<View> views;
  for (const int value : work_.outputs)
    views.push_back(
        {.data = address(static_cast<std::size_t>(value)), .desc = work_.values[value].desc});
  return views;
}

}  // namespace normbench
