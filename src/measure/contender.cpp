#include "measure/contender.h"

#include <cstring>

namespace normbench {

namespace {

TensorDesc scratch_desc(const Slot& slot) {
  return dense(DType::UInt8, Layout::Nchw,
               {.n = 1, .c = 1, .h = 1, .w = static_cast<std::int64_t>(slot.bytes)}, slot.memory);
}

}  // namespace

Contender::Contender(const Case& work, GroupMemory& memory, const Backends& backends,
                     Recorder& recorder)
    : work_(work),
      memory_(memory),
      backends_(backends),
      slots_(storage_of(work)),
      addresses_(slots_.size() * static_cast<std::size_t>(memory.sets())),
      fresh_(slots_.size()) {
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    roots_.push_back(static_cast<std::size_t>(root_of(slots_, i)));
    if (slots_[i].kind == Slot::Kind::Placed) memory_.arena(slots_[i].memory);
    if (slots_[i].kind == Slot::Kind::Source) source_ = memory_.source(*work_.source);
  }
  make_steps(recorder);
}

void Contender::make_steps(Recorder& recorder) {
  for (int s = 0; s < static_cast<int>(work_.stages.size()); ++s) {
    const Stage& stage = work_.stages[s];
    auto& queue = queues_[static_cast<std::size_t>(stage.place)];
    if (!queue) queue = backends_.at(stage.place)->make_queue(work_.threads, &recorder);
    Step& step = steps_.emplace_back();
    step.launch = stage.kernel->prepare(stage.op, stage.signature);
    step.queue = queue.get();
    step.label = recorder.intern(stage.label);
    for (const int in : stage.in) step.in.push_back({.desc = work_.values[in].desc});
    for (const int out : stage.out) step.out.push_back({.desc = work_.values[out].desc});
    step.scratch.desc = scratch_desc(slots_[work_.values.size() + s]);
    for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
      if (slots_[i].kind != Slot::Kind::Fresh) continue;
      if (slots_[i].first_stage == s) step.fresh.push_back(i);
      if (slots_[i].last_stage == s) step.finished.push_back(i);
    }
  }
}

void Contender::place(std::mt19937_64& random) {
  const auto sets = static_cast<std::size_t>(memory_.sets());
  for (const auto& word : words(Memory{})) {
    const auto sizes = placed_sizes(slots_, word.value);
    if (sizes.empty()) continue;
    Arena& arena = memory_.arena(word.value);
    const auto offsets = random_placement(sizes, sets, arena.bytes(), random);
    auto offset = offsets.begin();
    for (std::size_t set = 0; set < sets; ++set)
      for (std::size_t i = 0; i < slots_.size(); ++i)
        if (slots_[i].kind == Slot::Kind::Placed && slots_[i].memory == word.value)
          addresses_[set * slots_.size() + i] = arena.data() + *offset++;
  }
}

void Contender::poison(std::byte pattern) {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].kind == Slot::Kind::Placed && host_reaches(slots_[i].memory))
      std::memset(address(i), static_cast<int>(pattern), slots_[i].bytes);
}

void Contender::run(const IterationOptions& options) {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const std::int64_t start_ns = options.clock ? options.clock->now_ns() : 0;
    run_stage(s, options);
    if (options.clock) (*options.stage_ns)[s] += options.clock->now_ns() - start_ns;
  }
  if (work_.wait == Wait::Iteration) drain();
}

void Contender::run_stage(std::size_t stage, const IterationOptions& options) {
  Step& step = steps_[stage];
  std::optional<Range> range;
  if (options.ranges)
    range.emplace(options.recorder, RangeKind::Stage, step.label,
                  work_.stages[stage].cost.read_bytes + work_.stages[stage].cost.written_bytes);
  allocate_fresh(step, options);
  for (std::size_t i = 0; i < step.in.size(); ++i)
    step.in[i].data = address(static_cast<std::size_t>(work_.stages[stage].in[i]));
  for (std::size_t i = 0; i < step.out.size(); ++i)
    step.out[i].data = address(static_cast<std::size_t>(work_.stages[stage].out[i]));
  step.scratch.data = address(work_.values.size() + stage);
  step.launch(*step.queue, step.in, step.out, step.scratch);
  const bool leaves_place = stage + 1 < steps_.size() && steps_[stage + 1].queue != step.queue;
  if (work_.wait == Wait::Stage || leaves_place) step.queue->drain();
  free_finished(step, options.keep_result);
}

void Contender::allocate_fresh(const Step& step, const IterationOptions& options) {
  for (const int slot : step.fresh) {
    fresh_[slot] =
        backends_.owner(slots_[slot].memory).allocate(slots_[slot].memory, slots_[slot].bytes);
    if (options.poison && host_reaches(slots_[slot].memory))
      std::memset(fresh_[slot]->data(), static_cast<int>(*options.poison), slots_[slot].bytes);
  }
}

void Contender::free_finished(const Step& step, bool keep_result) {
  for (const int slot : step.finished)
    if (!keep_result || slot != static_cast<int>(roots_[result_index()])) fresh_[slot].reset();
}

void Contender::drain() {
  for (const auto& queue : queues_)
    if (queue) queue->drain();
}

std::byte* Contender::address(std::size_t slot) const {
  const std::size_t root = roots_[slot];
  if (fresh_[root]) return fresh_[root]->data();
  if (slots_[root].kind == Slot::Kind::Source)
    return source_.first + iteration_ % source_.count * source_.stride;
  const std::size_t set = iteration_ % static_cast<std::size_t>(memory_.sets());
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
