#include "measure/contender.h"

#include <cstring>
#include <exception>

namespace normbench {

namespace {

TensorDesc scratch_desc(const Slot& slot) {
  return dense(DType::UInt8, Layout::Nchw,
               {.n = 1, .c = 1, .h = 1, .w = static_cast<std::int64_t>(slot.bytes)}, slot.memory);
}

std::int64_t moved_bytes(const Stage& stage) {
  return stage.cost.read_bytes + stage.cost.written_bytes;
}

}  // namespace

Contender::Contender(const Case& work, GroupMemory& memory, const Backends& backends,
                     Recorder& recorder)
    : work_(work),
      memory_(memory),
      backends_(backends),
      recorder_(recorder),
      slots_(storage_of(work)),
      graphs_(graph_runs(work, slots_)),
      used_by_device_(slots_.size()),
      addresses_(slots_.size() * memory.most_sets()),
      fresh_(slots_.size()) {
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    roots_.push_back(static_cast<std::size_t>(root_of(slots_, i)));
    if (slots_[i].kind == Slot::Kind::Placed) memory_.arena(slots_[i].memory);
    if (slots_[i].kind == Slot::Kind::Source) source_ = memory_.source(work_);
  }
  make_queues();
  make_steps();
  make_graphs();
}

Contender::~Contender() {
  for (const auto& queue : queues_) {
    if (!queue || !queue->is_asynchronous()) continue;
    try {
      queue->drain();
    } catch (const std::exception&) {
      // Work that failed has been told of where it was waited for.
    }
  }
}

void Contender::make_queues() {
  for (const Stage& stage : work_.stages) {
    auto& queue = queues_[static_cast<std::size_t>(stage.place)];
    if (!queue) queue = backends_.at(stage.place)->make_queue(work_.threads, &recorder_);
    if (queue->is_asynchronous()) device_ = queue.get();
  }
}

void Contender::make_steps() {
  std::vector<Hazards> hazards = hazards_of(work_, slots_);
  for (int s = 0; s < static_cast<int>(work_.stages.size()); ++s) {
    const Stage& stage = work_.stages[s];
    Step& step = steps_.emplace_back();
    step.launch = stage.kernel->prepare(stage.op, stage.signature);
    step.queue = queues_[static_cast<std::size_t>(stage.place)].get();
    step.label = recorder_.intern(stage.label);
    step.bytes = moved_bytes(stage);
    for (const int in : stage.in) step.in.push_back({.desc = work_.values[in].desc});
    for (const int out : stage.out) step.out.push_back({.desc = work_.values[out].desc});
    step.scratch.desc = scratch_desc(slots_[work_.values.size() + s]);
    for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
      if (slots_[i].kind != Slot::Kind::Fresh) continue;
      if (slots_[i].first_stage == s) step.fresh.push_back(i);
      if (slots_[i].last_stage == s) step.finished.push_back(i);
    }
    if (device_ == nullptr) continue;
    step.hazards = std::move(hazards[s]);
    if (step.queue != device_) continue;
    for (const auto* values : {&stage.in, &stage.out})
      for (const int value : *values) used_by_device_[roots_[value]] = true;
  }
}

void Contender::make_graphs() {
  for (GraphRun& run : graphs_) {
    Step& step = steps_[run.first()];
    step.graph = &run;
    step.graph_label = recorder_.intern(run.label());
    for (std::size_t s = run.first(); s <= run.last(); ++s) step.graph_bytes += steps_[s].bytes;
  }
}

void Contender::place(std::mt19937_64& random) {
  drop_graphs();
  for (const auto& word : words(Memory{})) {
    const auto sizes = placed_sizes(slots_, word.value);
    if (sizes.empty()) continue;
    const std::size_t sets = memory_.sets(work_, word.value);
    Arena& arena = memory_.arena(word.value);
    const auto offsets =
        random_placement(sizes, sets, arena.bytes(), random, alignment_of(word.value));
    auto offset = offsets.begin();
    for (std::size_t set = 0; set < sets; ++set)
      for (std::size_t i = 0; i < slots_.size(); ++i)
        if (slots_[i].kind == Slot::Kind::Placed && slots_[i].memory == word.value)
          addresses_[set * slots_.size() + i] = arena.data() + *offset++;
  }
}

void Contender::poison(std::byte pattern) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].kind != Slot::Kind::Placed) continue;
    if (host_reaches(slots_[i].memory))
      std::memset(address(i), static_cast<int>(pattern), slots_[i].bytes);
    else
      backends_.owner(slots_[i].memory).fill(address(i), pattern, slots_[i].bytes);
  }
}

BufferSlots Contender::buffer_slots() const {
  return {iteration_ % source_.count, iteration_ % memory_.sets(Memory::Pageable),
          iteration_ % memory_.sets(Memory::Device)};
}

std::byte* Contender::address(std::size_t slot) const {
  const std::size_t root = roots_[slot];
  if (fresh_[root]) return fresh_[root]->data();
  if (slots_[root].kind == Slot::Kind::Source)
    return source_.first + iteration_ % source_.count * source_.stride;
  const std::size_t set = iteration_ % memory_.sets(slots_[root].memory);
  return addresses_[set * slots_.size() + root];
}

std::optional<View> Contender::source() const {
  for (std::size_t i = 0; i < work_.values.size(); ++i)
    if (slots_[i].kind == Slot::Kind::Source)
      return View{.data = address(i), .desc = work_.values[i].desc};
  return std::nullopt;
}

View Contender::result() const {
  return {.data = address(static_cast<std::size_t>(result_index())), .desc = work_.result()};
}

}  // namespace normbench
