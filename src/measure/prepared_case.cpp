#include "measure/prepared_case.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>

namespace normbench {
namespace {

/// True if a case has fresh host memory, and all of it is for the link. What a team on the CPU
/// touches first is to lie with its threads.
bool fresh_for_link(const Case& work, const std::vector<Slot>& slots) {
  bool any = false;
  for (const Slot& slot : slots) {
    if (slot.kind != Slot::Kind::Fresh || !host_reaches(slot.memory)) continue;
    any = cuda_owns(slot.memory) || work.stages[slot.first_stage].place == Place::Cuda;
    if (!any) return false;
  }
  return any;
}

std::int64_t moved_bytes(const Stage& stage) {
  return stage.cost.read_bytes + stage.cost.written_bytes;
}

}  // namespace

void Interlude::run() {
  // The other readings take their time too, the more the more threads there are.
  const std::int64_t start_ns = clock_.now_ns(), cpu_ns = clock_.cpu_ns();
  const Counters counters = clock_.counters();
  work_();
  counters_ = counters_ + (clock_.counters() - counters);
  cpu_ns_ += clock_.cpu_ns() - cpu_ns;
  wall_ns_ += clock_.now_ns() - start_ns;
}

PreparedCase::PreparedCase(const Case& work, GroupMemory& memory, const Backends& backends,
                           Recorder& recorder)
    : work_(work),
      memory_(memory),
      backends_(backends),
      recorder_(recorder),
      cold_files_(work),
      buffers_(std::make_unique<CaseBuffers>(work, memory, backends)),
      fresh_for_link_(fresh_for_link(work, buffers_->slots())),
      graphs_(graph_runs(work, buffers_->slots())),
      used_by_device_(buffers_->slots().size()) {
  make_queues();
  stages_.emplace(work, *buffers_, memory, backends);
  make_steps();
  for (std::size_t s = 0; s < steps_.size(); ++s) stages_->make_rotation(s, *steps_[s].queue);
  make_graphs();
  const std::vector<StageRange> ranges = ranges_of(work.stages);
  ranges_ = named(ranges);
  ranges_of_graphs_ = named(around_whole_runs(ranges, graphs_));
}

std::int64_t PreparedCase::calls_left() const {
  auto left = std::numeric_limits<std::int64_t>::max();
  for (const int value : work_.outputs) {
    const Slot& slot = buffers_->slots()[buffers_->root(static_cast<std::size_t>(value))];
    if (slot.kind == Slot::Kind::Fresh) return 0;
    left = std::min(left, static_cast<std::int64_t>(memory_.sets(work_, slot.memory)));
  }
  return left;
}

bool PreparedCase::frees_outputs_last() const {
  return device_ == nullptr && std::ranges::all_of(work_.outputs, [&](int value) {
           const Slot& slot = buffers_->slots()[buffers_->root(static_cast<std::size_t>(value))];
           return slot.kind == Slot::Kind::Fresh &&
                  slot.last_stage + 1 == static_cast<int>(work_.stages.size());
         });
}

PreparedCase::~PreparedCase() {
  for (const auto& queue : queues_) {
    if (!queue || !queue->is_asynchronous()) continue;
    try {
      queue->drain();
    } catch (const std::exception&) {
      // Work that failed was reported by the wait that saw it.
    }
  }
}

void PreparedCase::make_queues() {
  for (const Stage& stage : work_.stages) {
    auto& queue = queues_[static_cast<std::size_t>(stage.place)];
    if (!queue) queue = backends_.at(stage.place)->make_queue(work_.threads, &recorder_);
    if (queue->is_asynchronous()) device_ = queue.get();
  }
}

void PreparedCase::make_steps() {
  std::vector<Hazards> hazards = hazards_of(work_, buffers_->slots());
  for (int s = 0; s < static_cast<int>(work_.stages.size()); ++s) {
    const Stage& stage = work_.stages[s];
    Step& step = steps_.emplace_back();
    step.queue = queues_[static_cast<std::size_t>(stage.place)].get();
    step.name = add_name(stage.label);
    step.bytes = moved_bytes(stage);
    if (device_ == nullptr) continue;
    step.hazards = std::move(hazards[s]);
    if (step.queue != device_) continue;
    for (const auto* values : {&stage.in, &stage.out})
      for (const int value : *values)
        used_by_device_[buffers_->root(static_cast<std::size_t>(value))] = true;
  }
}

void PreparedCase::make_graphs() {
  for (GraphRun& run : graphs_) {
    Step& step = steps_[run.first()];
    step.graph = &run;
    step.graph_name = add_name(run.label());
    for (std::size_t s = run.first(); s <= run.last(); ++s) step.graph_bytes += steps_[s].bytes;
  }
}

std::vector<PreparedCase::NamedRange> PreparedCase::named(const std::vector<StageRange>& ranges) {
  std::vector<NamedRange> named;
  for (const StageRange& range : ranges)
    named.push_back({.name = add_name(range.name), .first = range.first, .last = range.last});
  return named;
}

const PreparedCase::RangeName* PreparedCase::add_name(std::string_view label) {
  const std::string_view kept = recorder_.intern(label);
  return &names_.emplace_back(RangeName{.label = kept, .name = kept});
}

void PreparedCase::number(std::int64_t iteration) {
  for (RangeName& one : names_)
    if (is_numbered(one.label)) one.name = recorder_.intern(numbered(one.label, iteration));
}

std::vector<std::pair<std::string_view, std::string_view>> PreparedCase::numbered_names() const {
  std::vector<std::pair<std::string_view, std::string_view>> names;
  for (const RangeName& one : names_)
    if (one.name != one.label) names.emplace_back(one.name, one.label);
  return names;
}

void PreparedCase::load_kernels() {
  for (std::size_t s = 0; s < steps_.size(); ++s)
    if (device_ != nullptr && steps_[s].queue == device_) stages_->load(s, *device_);
}

void PreparedCase::place(std::mt19937_64& random) {
  drop_graphs();
  buffers_->place(random);
}

void PreparedCase::run(const IterationOptions& options) {
  std::span<const NamedRange> ranges;
  if (options.ranges) ranges = options.graphs ? ranges_of_graphs_ : ranges_;
  NextRange next = ranges.begin();
  run_stages(0, steps_.size(), next, ranges.end(), options);
  if (work_.wait == Wait::Iteration) drain();
}

/// The stages from `first` to before `last`, in the ranges from `range` on that start there.
void PreparedCase::run_stages(std::size_t first, std::size_t last, NextRange& range, NextRange end,
                              const IterationOptions& options) {
  for (std::size_t s = first; s < last;) {
    if (range == end || range->first != s) {
      s = run_next(s, options);
      continue;
    }
    const NamedRange& opened = *range++;
    const Range around(&recorder_, RangeKind::Range, opened.name->name);
    run_stages(s, opened.last + 1, range, end, options);
    s = opened.last + 1;
  }
}

/// A stage, or the graph that starts with it; returns the stage that comes after.
std::size_t PreparedCase::run_next(std::size_t s, const IterationOptions& options) {
  const Step& step = steps_[s];
  const bool is_graph = options.graphs && step.graph != nullptr;
  is_graph ? run_graph(step, options) : run_stage(s, options);
  if (work_.wait == Wait::Stage) step.queue->drain();
  return is_graph ? step.graph->last() + 1 : s + 1;
}

/// Does `work` in the range of its stages, timed and profiled as the options say.
template <class Work>
void PreparedCase::run_as(StageRun run, const Queue& queue, const IterationOptions& options,
                          Work work) {
  const StageProfile::Scope profiled(options.profile, run.label, queue.is_asynchronous());
  run.external_id = profiled.external_id();
  if (options.times) options.times->start();
  {
    const Range range(options.ranges ? &recorder_ : nullptr, RangeKind::Stage, run.name, run.bytes,
                      run.external_id);
    work();
  }
  if (options.times) options.times->stop(run);
}

void PreparedCase::run_stage(std::size_t s, const IterationOptions& options) {
  Step& step = steps_[s];
  wait_for_device(step);
  const RangeName& said = *step.name;
  run_as({.first = s, .last = s, .label = said.label, .name = said.name, .bytes = step.bytes},
         *step.queue, options, [&] {
           step.queue->stage = options.ranges ? said.name : std::string_view();
           step.queue->item = options.item;
           stages_->allocate_fresh(s, *step.queue, options.poison);
           if (options.times) options.times->mark_begin(*step.queue);
           stages_->submit(s, *step.queue);
           if (options.times) options.times->mark_end(*step.queue);
           free_finished(s, options);
         });
  watch(s, s);
}

void PreparedCase::run_graph(const Step& step, const IterationOptions& options) {
  Graph& graph = graph_of(*step.graph);
  const std::size_t first = step.graph->first(), last = step.graph->last();
  const RangeName& said = *step.graph_name;
  run_as({.first = first,
          .last = last,
          .label = said.label,
          .name = said.name,
          .bytes = step.graph_bytes},
         *step.queue, options, [&] {
           if (options.times) options.times->mark_begin(*step.queue);
           step.queue->launch(graph);
           if (options.times) options.times->mark_end(*step.queue);
         });
  watch(first, last);
}

Graph& PreparedCase::graph_of(GraphRun& run) {
  return run.at(stages_->used(), [&] {
    Queue& queue = *steps_[run.first()].queue;
    queue.begin_capture();
    for (std::size_t s = run.first(); s <= run.last(); ++s) stages_->submit(s, queue);
    return queue.end_capture();
  });
}

void PreparedCase::capture(std::int64_t iterations) {
  if (graphs_.empty()) return;
  const BufferSlots now = stages_->used();
  const std::size_t first = memory_.upcoming_iteration();
  for (std::size_t i = 0; i < static_cast<std::size_t>(iterations); ++i) {
    stages_->use(buffers_->slots_of(first + i));
    capture_here();
  }
  stages_->use(now);
}

void PreparedCase::capture_here() {
  for (GraphRun& run : graphs_) graph_of(run);
}

std::size_t PreparedCase::graphs() const {
  std::size_t count = 0;
  for (const GraphRun& run : graphs_) count += run.count();
  return count;
}

void PreparedCase::launch_graphs_once(std::int64_t iterations) {
  if (graphs_.empty()) return;
  const BufferSlots now = stages_->used();
  const std::size_t first = memory_.upcoming_iteration();
  std::size_t done = 0;
  for (std::size_t launched = 0; done < static_cast<std::size_t>(iterations); ++done) {
    stages_->use(buffers_->slots_of(first + done));
    capture_here();
    if (graphs() == launched) continue;
    launched = graphs();
    run({});
  }
  for (; done < buffers_->rotation(); ++done) {
    stages_->use(buffers_->slots_of(first + done));
    run({.graphs = false});
  }
  drain();
  stages_->use(now);
}

void PreparedCase::drop_graphs() {
  for (GraphRun& run : graphs_) run.clear();
}

void PreparedCase::free_finished(std::size_t stage, const IterationOptions& options) {
  if (options.before_free && stage + 1 == steps_.size()) {
    options.before_free->run();
    if (options.times) options.times->leave_out(options.before_free->wall_ns());
  }
  for (const std::size_t slot : stages_->finished(stage)) {
    if (options.keep_outputs && buffers_->is_output(slot)) continue;
    // Device memory is freed in the queue's order, host memory at once.
    if (used_by_device_[slot] && host_reaches(buffers_->slots()[slot].memory)) {
      device_->drain();
      pending_.clear();
    }
    stages_->free(slot);
  }
}

void PreparedCase::wait_for_device(const Step& step) {
  for (const int root : step.hazards.waits) {
    const auto last_use = pending_.find(stages_->address(static_cast<std::size_t>(root)));
    if (last_use == pending_.end()) continue;
    device_->wait(last_use->second);
    pending_.erase(last_use);
  }
}

void PreparedCase::watch(std::size_t first, std::size_t last) {
  int mark = -1;
  for (std::size_t s = first; s <= last; ++s)
    for (const int root : steps_[s].hazards.watched) {
      if (mark < 0) mark = device_->mark();
      pending_[stages_->address(static_cast<std::size_t>(root))] = mark;
    }
}

void PreparedCase::drain() {
  for (const auto& queue : queues_)
    if (queue) queue->drain();
  pending_.clear();
}

}  // namespace normbench
