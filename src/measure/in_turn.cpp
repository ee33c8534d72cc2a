/// The functions of the engine for a case without a pipeline. Such a case has one lane and one
/// item, and runs on the calling thread.
#include <algorithm>
#include <limits>

#include "measure/engine.h"

namespace normbench {

void Engine::look_back(std::size_t iterations) {
  if (!planned_.resident)
    item().use(buffers_.slots_of(memory_.upcoming_iteration() - 1 - iterations));
}

std::int64_t Engine::calls_left() const {
  auto left = std::numeric_limits<std::int64_t>::max();
  for (const int value : planned_.outputs) {
    const Slot& slot = buffers_.slots()[buffers_.root(static_cast<std::size_t>(value))];
    if (slot.kind == Slot::Kind::Fresh) return 0;
    left = std::min(left, static_cast<std::int64_t>(memory_.sets(planned_, slot.memory)));
  }
  return left;
}

bool Engine::frees_outputs_last() const {
  return in_turn() && device_ == nullptr && std::ranges::all_of(planned_.outputs, [&](int value) {
           const Slot& slot = buffers_.slots()[buffers_.root(static_cast<std::size_t>(value))];
           return slot.kind == Slot::Kind::Fresh &&
                  slot.last_stage + 1 == static_cast<int>(planned_.stages.size());
         });
}

/// Submits one iteration on the present buffers of the only item.
void Engine::iterate() {
  Item& only = item();
  std::span<const NamedRange> ranges;
  if (options_.ranges) ranges = only.ranges(options_.graphs);
  NextRange next = ranges.begin();
  const auto& streams = lanes_.front().streams;
  run_stages(only, 0, planned_.stages.size(), next, ranges.end(),
             streams.empty() ? nullptr : streams.front().get(), *own_);
  if (planned_.wait == Wait::Iteration) drain();
}

void Engine::iterate(const EngineOptions& options) {
  options_ = options;
  item().number = options.first;
  is_last_ = true;
  iterate();
}

void Engine::run_in_turn() {
  for (std::int64_t i = 0; i < count_; ++i) {
    item().number = options_.first + i;
    is_last_ = i + 1 == count_;
    advance();
    iterate();
  }
}

/// Calls `on_done` within an iteration, and measures the time and the counts of this call, so that
/// run() can subtract them.
void Engine::interrupt(Item& item, StageTimes* times) {
  // The wall time is read first and last. So the time that is subtracted includes the readings of
  // CPU time and counters, which take longer with more threads.
  const std::int64_t start_ns = clock_.now_ns(), cpu_ns = clock_.cpu_ns();
  const Counters counters = clock_.counters();
  options_.on_done(item);
  interlude_.counters = clock_.counters() - counters;
  interlude_.cpu_ns = clock_.cpu_ns() - cpu_ns;
  interlude_.wall_ns = clock_.now_ns() - start_ns;
  if (times != nullptr) times->leave_out(interlude_.wall_ns);
}

void Engine::begin_step(const EngineOptions& options) {
  options_ = options;
  clear(1);
}

void Engine::step(std::string_view name) {
  flow_.round.start_ns = clock_.now_ns();
  {
    const Range range(&recorder_, RangeKind::Step, name);
    advance();
    item().number = options_.first;
    iterate();
    drain();
  }
  flow_.round.wall_ns = clock_.now_ns() - flow_.round.start_ns;
}

Flow Engine::end_step() {
  collect(*own_);
  options_ = {};
  return std::move(flow_);
}

void Engine::capture(std::int64_t iterations) {
  if (item().graph_runs().empty()) return;
  const BufferSlots now = item().used();
  const std::size_t first = memory_.upcoming_iteration();
  for (std::size_t i = 0; i < static_cast<std::size_t>(iterations); ++i) {
    item().use(buffers_.slots_of(first + i));
    capture_here();
  }
  item().use(now);
}

void Engine::capture_here() {
  for (GraphRun& run : item().graph_runs()) item().graph_of(run, *device_);
}

std::size_t Engine::graph_count() {
  std::size_t count = 0;
  for (const GraphRun& run : item().graph_runs()) count += run.count();
  return count;
}

void Engine::launch_graphs_once(std::int64_t iterations) {
  if (item().graph_runs().empty()) return;
  const BufferSlots now = item().used();
  const std::size_t first = memory_.upcoming_iteration();
  std::size_t done = 0;
  for (std::size_t launched = 0; done < static_cast<std::size_t>(iterations); ++done) {
    item().use(buffers_.slots_of(first + done));
    capture_here();
    if (graph_count() == launched) continue;
    launched = graph_count();
    iterate({});
  }
  for (; done < buffers_.rotation(); ++done) {
    item().use(buffers_.slots_of(first + done));
    iterate({.graphs = false});
  }
  drain();
  item().use(now);
}

void Engine::drop_graphs() {
  for (GraphRun& run : item().graph_runs()) run.clear();
}

}  // namespace normbench
