#include <algorithm>
#include <cstring>

#include "measure/contender.h"

namespace normbench {

void Contender::run(const IterationOptions& options) {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    if (options.graphs && step.graph != nullptr) {
      run_graph(step, options);
      s = step.graph->last();
    } else {
      run_stage(s, options);
    }
    if (work_.wait == Wait::Stage) step.queue->drain();
  }
  if (work_.wait == Wait::Iteration) drain();
}

/// Does `work` in the range of its stages, timed and profiled as the options say.
template <class Work>
void Contender::run_as(StageRun run, const Queue& queue, const IterationOptions& options,
                       Work work) {
  const StageProfile::Scope profiled(options.profile, run.label, queue.is_asynchronous());
  run.external_id = profiled.external_id();
  if (options.times) options.times->start();
  {
    const Range range(options.ranges ? &recorder_ : nullptr, RangeKind::Stage, run.label, run.bytes,
                      run.external_id);
    work();
  }
  if (options.times) options.times->stop(run);
}

void Contender::run_stage(std::size_t s, const IterationOptions& options) {
  Step& step = steps_[s];
  wait_for_device(step);
  run_as({.first = s, .last = s, .label = step.label, .bytes = step.bytes}, *step.queue, options,
         [&] {
           step.queue->stage = options.ranges ? step.label : std::string_view();
           allocate_fresh(step, options);
           if (options.times) options.times->mark_begin(*step.queue);
           submit(s);
           if (options.times) options.times->mark_end(*step.queue);
           free_finished(step, options.keep_result);
         });
  watch(s, s);
}

void Contender::run_graph(const Step& step, const IterationOptions& options) {
  Graph& graph = graph_of(*step.graph);
  const std::size_t first = step.graph->first(), last = step.graph->last();
  run_as({.first = first, .last = last, .label = step.graph_label, .bytes = step.graph_bytes},
         *step.queue, options, [&] {
           if (options.times) options.times->mark_begin(*step.queue);
           step.queue->launch(graph);
           if (options.times) options.times->mark_end(*step.queue);
         });
  watch(first, last);
}

void Contender::submit(std::size_t s) {
  Step& step = steps_[s];
  for (std::size_t i = 0; i < step.in.size(); ++i)
    step.in[i].data = address(static_cast<std::size_t>(work_.stages[s].in[i]));
  for (std::size_t i = 0; i < step.out.size(); ++i)
    step.out[i].data = address(static_cast<std::size_t>(work_.stages[s].out[i]));
  step.scratch.data = address(work_.values.size() + s);
  step.launch(*step.queue, step.in, step.out, step.scratch);
}

Graph& Contender::graph_of(GraphRun& run) {
  return run.at(buffer_slots(), [&] {
    Queue& queue = *steps_[run.first()].queue;
    queue.begin_capture();
    for (std::size_t s = run.first(); s <= run.last(); ++s) submit(s);
    return queue.end_capture();
  });
}

void Contender::capture(std::int64_t iterations) {
  if (graphs_.empty()) return;
  const std::size_t now = iteration_;
  iteration_ = memory_.upcoming_iteration();
  for (std::int64_t i = 0; i < iterations; ++i, ++iteration_)
    for (GraphRun& run : graphs_) graph_of(run);
  iteration_ = now;
}

void Contender::drop_graphs() {
  for (GraphRun& run : graphs_) run.clear();
}

void Contender::allocate_fresh(const Step& step, const IterationOptions& options) {
  for (const int index : step.fresh) {
    const Slot& slot = slots_[index];
    Backend& owner = backends_.owner(slot.memory);
    fresh_[index] = owner.allocate_fresh(slot.policy, slot.memory, slot.bytes, *step.queue);
    if (!options.poison) continue;
    if (host_reaches(slot.memory)) {
      std::memset(fresh_[index]->data(), static_cast<int>(*options.poison), slot.bytes);
    } else {
      step.queue->drain();  // it is there in the queue's order
      owner.fill(fresh_[index]->data(), *options.poison, slot.bytes);
    }
  }
}

void Contender::free_finished(const Step& step, bool keep_result) {
  for (const int slot : step.finished) {
    if (keep_result && slot == static_cast<int>(roots_[result_index()])) continue;
    // Device memory is freed in the queue's order, host memory at once.
    if (used_by_device_[slot] && host_reaches(slots_[slot].memory)) {
      device_->drain();
      pending_.clear();
    }
    fresh_[slot].reset();
  }
}

void Contender::wait_for_device(const Step& step) {
  for (const int root : step.hazards.waits) {
    const auto last_use = pending_.find(address(static_cast<std::size_t>(root)));
    if (last_use == pending_.end()) continue;
    device_->wait(last_use->second);
    pending_.erase(last_use);
  }
}

void Contender::watch(std::size_t first, std::size_t last) {
  int mark = -1;
  for (std::size_t s = first; s <= last; ++s)
    for (const int root : steps_[s].hazards.watched) {
      if (mark < 0) mark = device_->mark();
      pending_[address(static_cast<std::size_t>(root))] = mark;
    }
}

void Contender::drain() {
  for (const auto& queue : queues_)
    if (queue) queue->drain();
  pending_.clear();
}

}  // namespace normbench
