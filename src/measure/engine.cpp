#include "measure/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "measure/host_use.h"

namespace normbench {
namespace {

/// Returns the lanes of a case. A case without a pipeline has a single lane with all stages.
std::vector<Lane> lanes_of(const Case& planned) {
  if (planned.pipeline) return planned.pipeline->lanes;
  Lane lane{.name = "", .threads = planned.threads, .stages = {}};
  for (std::size_t s = 0; s < planned.stages.size(); ++s) lane.stages.push_back(s);
  return {std::move(lane)};
}

std::vector<Visit> visits_of_item(const Case& planned) {
  if (planned.pipeline) return visits_of(planned);
  return {{.lane = 0, .first = 0, .last = planned.stages.size() - 1}};
}

/// Returns true if iterations allocate host memory, and all of it is read or written over the link
/// between host and device. Returns false if CPU stages use some of it, because that memory should
/// lie near their threads.
bool fresh_for_link(const Case& planned, const std::vector<Slot>& slots) {
  if (planned.pipeline) return false;
  bool any = false;
  for (const Slot& slot : slots) {
    if (slot.kind != Slot::Kind::Fresh || !host_reaches(slot.memory)) continue;
    any = cuda_owns(slot.memory) || planned.stages[slot.first_stage].place == Place::Cuda;
    if (!any) return false;
  }
  return any;
}

}  // namespace

std::uint64_t external_id(const Case& planned, std::int64_t item, std::size_t stage) {
  return static_cast<std::uint64_t>(item) * planned.stages.size() + stage + 1;
}

Engine::Engine(const Case& planned, GroupMemory& memory, const Backends& backends,
               Recorder& recorder, Clock& clock, std::mt19937_64& random)
    : planned_(planned),
      memory_(memory),
      backends_(backends),
      recorder_(recorder),
      clock_(clock),
      cold_files_(planned),
      buffers_(planned, memory, backends),
      visits_(visits_of_item(planned)),
      fresh_for_link_(fresh_for_link(planned, buffers_.slots())),
      lane_of_(planned.stages.size()),
      lanes_(lanes_of(planned).size()),
      fed_(in_turn() ? std::vector<int>() : values_fed(planned)) {
  const std::vector<Lane> lanes = lanes_of(planned);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    lanes_[lane].lane = lanes[lane];
    for (const std::size_t stage : lanes[lane].stages) lane_of_[stage] = lane;
  }
  make_streams();
  own_.emplace(make_worker());
  make_items();
  place(random);  // before threads start, because nothing would end them if place() throws
  if (!runs_inline() && planned.pipeline->submit == Submit::Lane) start_hosts();
}

Engine::~Engine() {
  stop_hosts();
  for (const LaneState& lane : lanes_)
    for (const auto& stream : lane.streams) {
      try {
        stream->queue->drain();
      } catch (const std::exception&) {
        // This error is dropped, because an earlier wait, in which the device first failed, has
        // already reported it.
      }
    }
}

void Engine::make_streams() {
  std::int64_t streams = 0;  // number of streams so far, over all lanes
  for (std::size_t s = 0; s < planned_.stages.size(); ++s) {
    Backend& backend = *backends_.at(planned_.stages[s].place);
    LaneState& state = lanes_[lane_of_[s]];
    if (backend.place() == Place::Cpu || !state.streams.empty()) continue;
    for (int server = 0; server < state.lane.servers; ++server) {
      auto& stream = *state.streams.emplace_back(std::make_unique<Stream>());
      stream.queue = backend.make_queue(1, &recorder_);
      stream.number = ++streams;
      if (!in_turn()) stream.queue->sleep_in_waits();
      device_ = stream.queue.get();
    }
  }
}

/// Makes a worker, which has what one host thread uses. It has CPU queues for the lane `only`, or
/// for all lanes if `only` is empty.
Engine::Worker Engine::make_worker(std::optional<std::size_t> only) const {
  Worker worker{.host = {}, .times = StageTimes(clock_, planned_.stages.size(), !in_turn())};
  worker.host.resize(lanes_.size());
  for (std::size_t s = 0; s < planned_.stages.size(); ++s) {
    auto& queue = worker.host[lane_of_[s]];
    if (queue || planned_.stages[s].place != Place::Cpu || (only && *only != lane_of_[s])) continue;
    queue = backends_.at(Place::Cpu)->make_queue(lanes_[lane_of_[s]].lane.threads, &recorder_);
  }
  return worker;
}

void Engine::make_items() {
  const auto count = static_cast<std::size_t>(in_turn() ? 1 : planned_.pipeline->in_flight);
  for (std::size_t seat = 0; seat < count; ++seat) {
    items_.push_back(std::make_unique<Item>(planned_, buffers_, memory_, backends_, recorder_,
                                            in_turn() ? device_ : nullptr, seat));
    if (in_turn() || planned_.pipeline->submit != Submit::Item) continue;
    item_workers_.push_back(make_worker());
    item_threads_.emplace_back();
    for (const auto& queue : item_workers_.back().host)
      if (queue) queue->cpus.emplace();
  }
  for (std::size_t s = 0; in_turn() && s < planned_.stages.size(); ++s)
    if (Stream* const stream = first_stream(s)) item().make_rotation(s, *stream->queue);
}

void Engine::place(std::mt19937_64& random) {
  drop_graphs();
  buffers_.place(random);
  if (!in_turn() && planned_.pipeline->part) prepare_part();
}

void Engine::load_kernels() {
  for (std::size_t s = 0; s < planned_.stages.size(); ++s)
    if (planned_.stages[s].place == Place::Cuda) item().load(s, *first_stream(s)->queue);
}

/// Returns the first stream (device queue) of the lane of this stage; null if the stage runs on the
/// host.
Engine::Stream* Engine::first_stream(std::size_t stage) const {
  if (planned_.stages[stage].place == Place::Cpu) return nullptr;
  return lanes_[lane_of_[stage]].streams.front().get();
}

/// Runs stages of the item until all values of fed_ (the values that a part of a pipeline reads
/// from stages outside of it) are computed. Returns the bytes of these values.
Engine::Fed Engine::make_fed(Item& item, std::int64_t number) {
  options_ = {};
  item.begin(number, buffers_of(item));
  Fed bytes(fed_.size());
  std::size_t missing = fed_.size();
  for (std::size_t s = 0; missing > 0; ++s) {
    Stream* const stream = first_stream(s);
    run_next(item, s, stream, *own_);
    if (stream != nullptr) stream->queue->drain();
    for (std::size_t i = 0; i < fed_.size(); ++i) {
      const Value& value = planned_.values[static_cast<std::size_t>(fed_[i])];
      if (value.producer != static_cast<int>(s)) continue;
      bytes[i].resize(static_cast<std::size_t>(value.desc.bytes()));
      backends_.owner(value.desc.memory)
          .copy(bytes[i].data(), item.address(static_cast<std::size_t>(fed_[i])), bytes[i].size());
      --missing;
    }
  }
  return bytes;
}

/// Prepares a turn of a part of a pipeline: copies the values of fed_, which the part reads from
/// stages outside of it, into buffers of each item in flight. Fixes the addresses of these buffers.
void Engine::prepare_part() {
  if (fed_.empty()) return;
  for (auto number = std::ssize(fed_bytes_); number < items_fed(planned_); ++number)
    fed_bytes_.push_back(make_fed(item(), number));
  const std::vector<std::size_t> slots(fed_.begin(), fed_.end());
  for (const auto& item : items_) {
    const Fed& bytes = fed_bytes_[(first_fed_ + item->seat) % fed_bytes_.size()];
    item->begin(0, buffers_of(*item));
    item->hold(slots);
    for (std::size_t i = 0; i < fed_.size(); ++i) {
      const auto holder = static_cast<std::size_t>(buffer_of(planned_, fed_[i]));
      const auto stage = static_cast<std::size_t>(planned_.values[holder].producer);
      Stream* const stream = first_stream(stage);
      item->allocate_fresh(stage, stream ? *stream->queue : *own_->host[lane_of_[stage]], {});
      backends_.owner(planned_.values[slots[i]].desc.memory)
          .copy(item->address(slots[i]), bytes[i].data(), bytes[i].size());
    }
  }
  ++first_fed_;
}

BufferSlots Engine::buffers_of(const Item& item) const {
  return buffers_.slots_of_flight(item.seat, items_.size(), item.round);
}

/// Returns true if `stage` is the last stage, or if the next stage is in another lane or place.
bool Engine::leaves_queue(std::size_t stage) const {
  const std::size_t next = stage + 1;
  return next == planned_.stages.size() || lane_of_[next] != lane_of_[stage] ||
         planned_.stages[next].place != planned_.stages[stage].place;
}

/// Starts an item of a pipeline, and opens its NVTX range. finish() closes the range, perhaps on
/// another thread.
void Engine::begin(Item& item) {
  item.begin(item.number, buffers_of(item));
  if (options_.poison && !planned_.pipeline->part) item.poison(*options_.poison);
  item.range = 0;
  if (options_.ranges) {
    item.number_names(item.number);
    if (recorder_.has_tool())
      item.range = nvtx::start(RangeKind::Step, recorder_.intern(fmt::format("#{}", item.number)));
  }
  flow_.begin_ns[static_cast<std::size_t>(item.number)] = clock_.now_ns() - flow_.round.start_ns;
}

void Engine::run_visit(Item& item, std::size_t server, Worker& worker) {
  if (item.visit == 0) begin(item);
  const Visit& visit = visits_[item.visit];
  const auto& streams = lanes_[visit.lane].streams;
  std::span<const NamedRange> ranges;
  if (options_.ranges) ranges = item.ranges(false);
  auto range =
      std::ranges::find_if(ranges, [&](const NamedRange& one) { return one.first >= visit.first; });
  run_stages(item, visit.first, visit.last + 1, range, ranges.end(),
             streams.empty() ? nullptr : streams[server].get(), worker);
  if (++item.visit == visits_.size()) finish(item);
}

/// Runs the stages [first, last), and opens the ranges of the config around them. `range` points to
/// the next range to open; it is moved past each range that is opened. `end` is the end of the list
/// of ranges.
void Engine::run_stages(Item& item, std::size_t first, std::size_t last, NextRange& range,
                        NextRange end, Stream* stream, Worker& worker) {
  for (std::size_t s = first; s < last;) {
    if (range == end || range->first != s) {
      s = run_next(item, s, stream, worker);
      continue;
    }
    const NamedRange& opened = *range++;
    const Range around(&recorder_, RangeKind::Range, opened.name->name);
    run_stages(item, s, opened.last + 1, range, end, stream, worker);
    s = opened.last + 1;
  }
}

/// Submits stage `s`, or the graph that starts with it, and returns the index of the next stage to
/// submit. First waits for earlier work on the same buffers. Afterwards sets marks, so that later
/// stages can wait for this work.
std::size_t Engine::run_next(Item& item, std::size_t s, Stream* stream, Worker& worker) {
  const Submission& what = item.submission(s, options_.graphs && in_turn());
  const bool on_host = planned_.stages[s].place == Place::Cpu;
  Queue& queue = on_host ? *worker.host[lane_of_[s]] : *stream->queue;
  if (in_turn()) {
    item.wait_before(s, queue);
    submit(item, what, queue, options_.marks ? &worker.times : nullptr);
    item.watch(what, queue, false);
    if (planned_.wait == Wait::Stage) queue.drain();
    return what.last + 1;
  }
  // Only submissions to a device need the lock of the stream. The submission of a host stage
  // returns only when the stage has run, so it would hold the lock for long.
  std::unique_lock<std::mutex> lock;
  if (!on_host) lock = std::unique_lock(stream->mutex);
  item.wait_before(s, queue);
  submit(item, what, queue, &worker.times);
  item.watch(what, queue, !on_host && leaves_queue(s));
  return what.last + 1;
}

/// Submits the work `what` to the queue. Depending on options_, opens its range, times it and
/// profiles it.
void Engine::submit(Item& item, const Submission& what, Queue& queue, StageTimes* times) {
  const bool on_host = planned_.stages[what.first].place == Place::Cpu;
  const RangeName& said = *what.name;
  const StageProfile::Scope profiled(options_.profile, said.label, !on_host);
  StageRun run{.first = what.first,
               .last = what.last,
               .item = item.number,
               .label = said.label,
               .name = said.name,
               .bytes = what.bytes,
               .external_id = profiled.external_id()};
  if (options_.external_ids && !on_host)
    run.external_id = external_id(planned_, item.number, what.first);
  StageTimes* const marked = options_.marks ? times : nullptr;
  queue.item = in_turn() ? item.number : options_.first + item.number;
  queue.stage = options_.ranges ? run.name : std::string_view();
  if (times != nullptr) times->start();
  {
    const Range range(options_.ranges ? &recorder_ : nullptr, RangeKind::Stage, run.name, run.bytes,
                      run.external_id, in_turn() ? -1 : item.number);
    if (what.graph != nullptr) {
      Graph& graph = item.graph_of(*what.graph, queue);
      if (marked != nullptr) marked->mark_begin(queue);
      queue.launch(graph);
      if (marked != nullptr) marked->mark_end(queue);
    } else {
      item.allocate_fresh(what.first, queue, options_.poison);
      if (marked != nullptr) marked->mark_begin(queue);
      item.submit(what.first, queue);
      if (marked != nullptr) marked->mark_end(queue);
      if (in_turn() && is_last_ && options_.on_done && what.last + 1 == planned_.stages.size())
        interrupt(item, times);
      item.free_finished(what.first, options_.keep_outputs || !in_turn());
    }
  }
  if (times != nullptr) times->stop(run, on_host);
}

/// Ends an item of a pipeline. Waits for the device only if `on_done` is set. Otherwise device work
/// of the item may still run.
void Engine::finish(Item& item) {
  if (options_.on_done) {
    item.wait();
    options_.on_done(item);
  }
  item.finish();
  flow_.end_ns[static_cast<std::size_t>(item.number)] = clock_.now_ns() - flow_.round.start_ns;
  if (item.range != 0) nvtx::end(item.range);
  if (item.pending() == nullptr) return;
  const std::lock_guard lock(mutex_);
  endings_.push_back({item.number, item.pending(), item.pending_mark()});
}

/// Resets the engine's state for a turn of `items` items.
void Engine::clear(std::int64_t items) {
  const std::lock_guard lock(mutex_);
  free_.clear();
  for (const auto& item : items_) free_.push_back(item.get());
  for (LaneState& lane : lanes_) lane.ready.clear();
  flying_.clear();
  endings_.clear();
  for (Worker* worker : workers()) worker->times.clear();
  count_ = admitted_ = done_ = 0;
  error_ = nullptr;
  interlude_ = {};
  const auto count = static_cast<std::size_t>(in_turn() ? 0 : items);
  flow_ = {.round = {},
           .begin_ns = std::vector<std::int64_t>(count),
           .end_ns = std::vector<std::int64_t>(count),
           .stage_ns = std::vector<std::int64_t>(planned_.stages.size()),
           .calls_ns = std::vector<std::int64_t>(planned_.stages.size()),
           .clock_error_ns = 0,
           .spans = {}};
  for (LaneState& lane : lanes_)
    for (const auto& stream : lane.streams) {
      if (in_turn() && !options_.spans) {
        stream->queue->reset_marks();
        continue;
      }
      const Anchor anchor = take_anchor(*stream->queue, clock_);
      stream->anchor_ns = anchor.host_ns;
      flow_.clock_error_ns = std::max(flow_.clock_error_ns, anchor.error_ns);
    }
}

void Engine::run_items() {
  if (in_turn()) return run_in_turn();
  if (runs_inline()) return run_inline();
  planned_.pipeline->submit == Submit::Lane ? run_on_lanes() : run_on_threads();
}

std::vector<Engine::Worker*> Engine::workers() {
  std::vector<Worker*> all{&*own_};
  for (const auto& host : hosts_)
    if (host->worker) all.push_back(&*host->worker);
  for (Worker& worker : item_workers_) all.push_back(&worker);
  return all;
}

Flow Engine::run(std::int64_t items, const EngineOptions& options) {
  options_ = options;
  clear(items);
  const bool reads_cycles = options_.cycles && device_ != nullptr;
  if (reads_cycles) device_->start_cycles();
  const HostUse used(clock_);
  flow_.round.start_ns = clock_.now_ns();
  const bool marks_ends = in_turn() && device_ != nullptr;
  const int first = marks_ends ? device_->mark() : 0;
  {
    const std::lock_guard lock(mutex_);
    count_ = items;
  }
  run_items();
  const int last = marks_ends ? device_->mark() : 0;
  if (device_ != nullptr) flow_.round.submitted_ns = clock_.now_ns() - flow_.round.start_ns;
  if (error_) std::rethrow_exception(error_);
  drain();
  flow_.round.wall_ns = clock_.now_ns() - flow_.round.start_ns - interlude_.wall_ns;
  used.tell(flow_.round);
  if (reads_cycles) flow_.round.turn_clock_mhz = device_->stop_cycles();
  flow_.round.cpu_ns -= interlude_.cpu_ns;
  flow_.round.counters = flow_.round.counters - interlude_.counters;
  if (marks_ends) flow_.round.device_ns = device_->ns_between(first, last);
  collect_endings();
  for (const auto& item : items_) item->wait();  // before the next turn resets the items' marks
  for (const Worker* worker : workers()) collect(*worker);
  options_ = {};
  return std::move(flow_);
}

void Engine::drain() {
  if (in_turn() && own_->host.front()) own_->host.front()->drain();
  for (LaneState& lane : lanes_)
    for (const auto& stream : lane.streams) stream->queue->drain();
  if (in_turn()) item().drained();
}

Engine::Stream& Engine::stream_of(const Queue* queue) const {
  for (const LaneState& lane : lanes_)
    for (const auto& stream : lane.streams)
      if (stream->queue.get() == queue) return *stream;
  throw std::logic_error("a queue of no lane");
}

/// Sets the end times of the items whose last work was on a device.
void Engine::collect_endings() {
  for (const auto& [item, queue, mark] : endings_)
    flow_.end_ns[static_cast<std::size_t>(item)] =
        stream_of(queue).anchor_ns + queue->ns_between(0, mark) - flow_.round.start_ns;
}

/// Adds to flow_ the times of the stages that a worker has run.
void Engine::collect(const Worker& worker) {
  const std::vector<std::int64_t>& host_ns = worker.times.host_ns();
  for (std::size_t s = 0; s < host_ns.size(); ++s) {
    flow_.calls_ns[s] += host_ns[s];
    if (planned_.stages[s].place == Place::Cpu) flow_.stage_ns[s] += host_ns[s];
  }
  for (const auto& [run, host_start_ns, host_end_ns, queue, from, to] : worker.times.spans()) {
    StageSpan span{
        .run = run, .lane = lane_of_[run.first], .start_ns = host_start_ns, .end_ns = host_end_ns};
    if (queue != nullptr) {
      const std::int64_t took_ns = queue->ns_between(from, to);
      flow_.stage_ns[run.first] += took_ns;
      if (in_turn() && !options_.spans) continue;
      const Stream& stream = stream_of(queue);
      span.stream = stream.number;
      span.start_ns = stream.anchor_ns + queue->ns_between(0, from);
      span.end_ns = span.start_ns + took_ns;
    }
    flow_.spans.push_back(span);
  }
}

}  // namespace normbench
