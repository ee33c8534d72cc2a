#include "measure/item.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

namespace normbench {
namespace {

/// While this object lives, kernels that are submitted to the queue are only loaded onto the
/// device, not run.
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

/// Returns the object for the files that the stage saves in the scratch folder. Returns null if
/// there is no scratch folder or the stage saves no files.
std::unique_ptr<SavedFiles> files_of(const Stage& stage, std::size_t index, std::size_t seat,
                                     const Backends& backends) {
  if (roles_of(stage.op).files != FileUse::Writes || backends.at(stage.place)->scratch.empty())
    return nullptr;
  return std::make_unique<SavedFiles>(
      stage.op, fmt::format("{}/{}-{}", backends.at(stage.place)->scratch, index, seat),
      stage.signature.in[0].shape.n);
}

/// Returns the number of device buffer sets that one item uses. The sets are divided equally among
/// the items in flight.
std::size_t sets_of_an_item(const Case& planned, const GroupMemory& memory) {
  const int items = planned.pipeline ? planned.pipeline->in_flight : 1;
  return std::max<std::size_t>(
      1, memory.sets(planned, Memory::Device) / static_cast<std::size_t>(items));
}

std::vector<bool> used_by_device(const Case& planned, const CaseBuffers& buffers) {
  std::vector<bool> used(buffers.slots().size());
  for (const Stage& stage : planned.stages) {
    if (stage.place != Place::Cuda) continue;
    for (const auto* values : {&stage.in, &stage.out})
      for (const int value : *values) used[buffers.root(static_cast<std::size_t>(value))] = true;
  }
  return used;
}

}  // namespace

Item::Item(const Case& planned, const CaseBuffers& buffers, GroupMemory& memory,
           const Backends& backends, Recorder& recorder, Queue* device, std::size_t its_seat)
    : seat(its_seat),
      planned_(planned),
      buffers_(buffers),
      backends_(backends),
      recorder_(recorder),
      device_(device),
      frees_early_(!planned.pipeline || (!planned.uses_gpu() && !planned.pipeline->part)),
      steps_(planned.stages.size()),
      held_(buffers.slots().size()),
      fresh_(buffers.slots().size()),
      rotating_(sets_of_an_item(planned, memory) - 1),
      earlier_(buffers.slots().size()),
      used_by_device_(used_by_device(planned, buffers)),
      graphs_(normbench::graph_runs(planned, buffers.slots())) {
  for (std::size_t s = 0; s < steps_.size(); ++s) bind(s, memory);
  if (device_ != nullptr) {
    std::vector<Hazards> hazards = hazards_of(planned, buffers.slots());
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      has_hazards_ = has_hazards_ || !hazards[s].watched.empty();
      steps_[s].hazards = std::move(hazards[s]);
    }
  }
  for (GraphRun& run : graphs_) {
    Submission whole{
        .first = run.first(), .last = run.last(), .name = add_name(run.label()), .graph = &run};
    for (std::size_t s = run.first(); s <= run.last(); ++s) whole.bytes += steps_[s].alone.bytes;
    steps_[run.first()].graph = whole;
  }
  const std::vector<StageRange> ranges = ranges_of(planned.stages);
  ranges_ = named(ranges);
  ranges_of_graphs_ = named(around_whole_runs(ranges, graphs_));
}

Item::~Item() {
  try {
    wait();
  } catch (const std::exception&) {
    // This error is dropped, because an earlier wait, in which the device first failed, has already
    // reported it.
  }
}

/// Prepares the kernel of the stage, its views, and the lists of its fresh slots.
void Item::bind(std::size_t s, GroupMemory& memory) {
  const Stage& stage = planned_.stages[s];
  const std::vector<Slot>& slots = buffers_.slots();
  Step& step = steps_[s];
  {
    // The prepare() of a device kernel may allocate host memory. For example, the prepare() of
    // `exchange` allocates the target of its copy to the host. This memory must be on the NUMA node
    // of the link.
    const Bound bound = stage.place == Place::Cuda ? memory.bind_near_link() : nullptr;
    step.launch = stage.kernel->prepare(stage.op, stage.signature);
  }
  step.files = files_of(stage, s, seat, backends_);
  for (const int in : stage.in) step.in.push_back({.desc = planned_.values[in].desc});
  for (const int out : stage.out) step.out.push_back({.desc = planned_.values[out].desc});
  step.scratch.desc = scratch_desc(slots[planned_.values.size() + s]);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].kind != Slot::Kind::Fresh) continue;
    if (slots[i].first_stage == static_cast<int>(s)) step.fresh.push_back(i);
    if (slots[i].last_stage == static_cast<int>(s)) step.finished.push_back(i);
  }
  step.alone = {.first = s,
                .last = s,
                .name = add_name(stage.label),
                .bytes = stage.cost.moved()};
}

void Item::begin(std::int64_t its_number, const BufferSlots& buffers) {
  wait();
  if (!planned_.pipeline->part) free_all();
  use(buffers);
  number = its_number;
}

void Item::finish() {
  if (frees_early_) free_all();
}

void Item::hold(std::span<const std::size_t> slots) {
  std::ranges::fill(held_, nullptr);
  for (const std::size_t slot : slots) held_[buffers_.root(slot)] = buffers_.address(slot, used_);
}

void Item::make_rotation(std::size_t stage, Queue& queue) {
  for (const std::size_t index : steps_[stage].fresh) {
    const Slot& slot = buffers_.slots()[index];
    if (host_reaches(slot.memory)) continue;
    while (earlier_[index].size() < rotating_)
      earlier_[index].push_back(
          backends_.owner(slot.memory).allocate_fresh(slot.policy, slot.memory, slot.bytes, queue));
  }
}

void Item::allocate(std::span<const std::size_t> slots, Queue& queue,
                    const std::optional<Poison>& poison) {
  for (const std::size_t index : slots) {
    const Slot& slot = buffers_.slots()[index];
    Backend& owner = backends_.owner(slot.memory);
    free(index);
    fresh_[index] = owner.allocate_fresh(slot.policy, slot.memory, slot.bytes, queue);
    if (!poison) continue;
    const std::span<std::byte> bytes = poison->of(fresh_[index]->data(), slot.bytes);
    if (host_caches(slot.memory)) {
      std::memset(bytes.data(), static_cast<int>(poison->pattern), bytes.size());
    } else {
      queue.drain();  // allocation is work in the queue, and fill() does not wait for it
      owner.fill(bytes.data(), poison->pattern, bytes.size());
    }
  }
}

void Item::free_slots(std::span<const std::size_t> slots, bool keep_outputs) {
  for (const std::size_t slot : slots) {
    if (keep_outputs && buffers_.is_output(slot)) continue;
    // Host memory is freed at once, so the device must be finished with it. Device memory is freed
    // in the order of its queue, after earlier work.
    if (used_by_device_[slot] && host_reaches(buffers_.slots()[slot].memory)) {
      device_->drain();
      drained();
    }
    free(slot);
  }
}

void Item::free(std::size_t slot) {
  if (!fresh_[slot]) return;
  auto memory = std::move(fresh_[slot]);
  if (host_reaches(buffers_.slots()[slot].memory)) return;
  earlier_[slot].push_back(std::move(memory));
  if (earlier_[slot].size() > rotating_) earlier_[slot].pop_front();
}

void Item::free_all() {
  for (std::size_t slot = 0; slot < fresh_.size(); ++slot) free(slot);
}

void Item::poison(const Poison& poison) const {
  buffers_.poison(used_, poison);
  for (const Step& step : steps_)
    if (step.files) step.files->remove();
}

std::byte* Item::address(std::size_t slot) const {
  const std::size_t root = buffers_.root(slot);
  if (fresh_[root]) return fresh_[root]->data();
  return held_[root] != nullptr ? held_[root] : buffers_.address(slot, used_);
}

std::vector<View> Item::inputs() const {
  std::vector<View> views;
  for (std::size_t i = 0; i < planned_.inputs.size(); ++i)
    views.push_back({.data = address(i), .desc = planned_.values[i].desc});
  return views;
}

std::vector<View> Item::outputs() const {
  std::vector<View> views;
  for (const int value : planned_.outputs)
    views.push_back(
        {.data = address(static_cast<std::size_t>(value)), .desc = planned_.values[value].desc});
  return views;
}

std::string Item::why_not_saved() const {
  std::vector<std::byte> bytes;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (!steps_[s].files) continue;
    const auto value = static_cast<std::size_t>(planned_.stages[s].in[0]);
    TensorDesc desc = planned_.values[value].desc;
    bytes.resize(static_cast<std::size_t>(desc.bytes()));
    backends_.owner(desc.memory).copy(bytes.data(), address(value), bytes.size());
    if (std::string why = steps_[s].files->why_wrong({.data = bytes.data(), .desc = desc});
        !why.empty())
      return why;
  }
  return "";
}

const RangeName* Item::add_name(std::string_view label) {
  const std::string_view kept = recorder_.intern(label);
  return &names_.emplace_back(RangeName{.label = kept, .name = kept});
}

std::vector<NamedRange> Item::named(const std::vector<StageRange>& ranges) {
  std::vector<NamedRange> named;
  for (const StageRange& range : ranges)
    named.push_back({.name = add_name(range.name), .first = range.first, .last = range.last});
  return named;
}

void Item::number_names(std::int64_t iteration) {
  for (RangeName& one : names_)
    if (is_numbered(one.label)) one.name = recorder_.intern(numbered(one.label, iteration));
}

std::vector<std::string_view> Item::labels() const {
  std::vector<std::string_view> labels;
  for (const RangeName& one : names_) labels.push_back(one.label);
  return labels;
}

void Item::submit(std::size_t s, Queue& queue) {
  Step& step = steps_[s];
  const Stage& stage = planned_.stages[s];
  for (std::size_t i = 0; i < step.in.size(); ++i)
    step.in[i].data = address(static_cast<std::size_t>(stage.in[i]));
  for (std::size_t i = 0; i < step.out.size(); ++i)
    step.out[i].data = address(static_cast<std::size_t>(stage.out[i]));
  step.scratch.data = address(planned_.values.size() + s);
  queue.files = step.files ? std::string_view(step.files->start()) : std::string_view();
  step.launch(queue, step.in, step.out, step.scratch);
}

void Item::load(std::size_t stage, Queue& queue) {
  if (!planned_.stages[stage].kernel->loads) return;
  const Loading loading(queue);
  submit(stage, queue);
}

Graph& Item::graph_of(GraphRun& run, Queue& queue) {
  return run.at(used_, [&] {
    queue.begin_capture();
    for (std::size_t s = run.first(); s <= run.last(); ++s) submit(s, queue);
    return queue.end_capture();
  });
}

void Item::wait_elsewhere(Queue& queue) {
  if (!queue.is_asynchronous())
    wait();
  else if (pending_ != &queue)
    queue.wait_for(*std::exchange(pending_, nullptr), mark_);
}

void Item::wait_for_uses(std::span<const int> roots) {
  for (const int root : roots) {
    const auto last_use = in_use_.find(address(static_cast<std::size_t>(root)));
    if (last_use == in_use_.end()) continue;
    device_->wait(last_use->second);
    in_use_.erase(last_use);
  }
}

void Item::mark_end(Queue& queue) {
  mark_ = queue.mark();
  pending_ = &queue;
}

void Item::mark_uses(const Submission& submitted, Queue& queue) {
  int mark = -1;
  for (std::size_t s = submitted.first; s <= submitted.last; ++s)
    for (const int root : steps_[s].hazards.watched) {
      if (mark < 0) mark = queue.mark();
      in_use_[address(static_cast<std::size_t>(root))] = mark;
    }
}

bool Item::must_wait(std::size_t stage) const {
  return pending_ != nullptr && planned_.stages[stage].place == Place::Cpu;
}

void Item::wait() {
  if (Queue* const queue = std::exchange(pending_, nullptr)) queue->wait(mark_);
}

}  // namespace normbench
