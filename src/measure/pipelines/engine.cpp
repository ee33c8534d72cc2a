#include "measure/pipelines/engine.h"

#include <algorithm>
#include <utility>

#include "measure/stage_times.h"

namespace normbench {

Engine::Engine(const Case& work, GroupMemory& memory, const Backends& backends, Recorder& recorder,
               Clock& clock)
    : work_(work),
      backends_(backends),
      recorder_(recorder),
      clock_(clock),
      buffers_(work, memory, backends),
      visits_(visits_of(work)),
      ranges_(ranges_of(work.stages)),
      lane_of_(work.stages.size()),
      lanes_(work.pipeline->lanes.size()) {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    for (const std::size_t stage : work.pipeline->lanes[lane].stages) lane_of_[stage] = lane;
  make_streams();
  own_ = make_worker();
  for (std::size_t i = 0; i < static_cast<std::size_t>(work.pipeline->in_flight); ++i) {
    passages_.push_back(std::make_unique<Passage>(work, buffers_, memory, backends, i));
    if (work.pipeline->submit != Submit::Item) continue;
    passages_.back()->worker = make_worker();
    for (const auto& queue : passages_.back()->worker.host) queue->cpus.emplace();
  }
  if (!runs_inline() && work.pipeline->submit == Submit::Lane) start_hosts();
}

Engine::~Engine() { stop_hosts(); }

/// One item has nothing to overlap with, and a lane alone no other lane.
bool Engine::runs_inline() const {
  const Pipeline& pipeline = *work_.pipeline;
  const bool one_lane = pipeline.part && !pipeline.part->lane.empty();
  return pipeline.in_flight == 1 || pipeline.submit == Submit::One || one_lane;
}

void Engine::make_streams() {
  for (std::size_t s = 0; s < work_.stages.size(); ++s) {
    Backend& backend = *backends_.at(work_.stages[s].place);
    const Lane& lane = work_.pipeline->lanes[lane_of_[s]];
    auto& streams = lanes_[lane_of_[s]].streams;
    if (backend.place() == Place::Cpu || !streams.empty()) continue;
    for (int server = 0; server < lane.servers; ++server) {
      auto& stream = *streams.emplace_back(std::make_unique<Stream>());
      stream.queue = backend.make_queue(1, &recorder_);
      stream.queue->sleep_in_waits();
      device_ = stream.queue.get();
    }
  }
}

/// With queues for this lane, or for all.
Engine::Worker Engine::make_worker(std::optional<std::size_t> only) const {
  Worker worker;
  worker.host.resize(lanes_.size());
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    if (!only || *only == lane)
      worker.host[lane] =
          backends_.at(Place::Cpu)->make_queue(work_.pipeline->lanes[lane].threads, &recorder_);
  worker.calls_ns.resize(work_.stages.size());
  return worker;
}

void Engine::place(std::mt19937_64& random) {
  buffers_.place(random);
  if (work_.pipeline->part) prepare_part();
}

/// Runs every stage once on the buffers of every flight, so that what the part reads is there.
void Engine::prepare_part() {
  options_ = {};
  for (std::size_t i = 0; i < passages_.size(); ++i) {
    Passage& passage = *passages_[i];
    passage.flight.begin(static_cast<std::int64_t>(i), buffers_of(passage));
    for (std::size_t s = 0; s < work_.stages.size(); ++s) {
      const auto& streams = lanes_[lane_of_[s]].streams;
      run_stage(passage, s, streams.empty() ? nullptr : streams.front().get(), own_);
    }
    passage.flight.wait();
  }
}

/// True if the next stage goes to the same queue of a device in the same visit.
bool Engine::is_followed_there(std::size_t stage) const {
  const std::size_t next = stage + 1;
  return next < work_.stages.size() && lane_of_[next] == lane_of_[stage] &&
         work_.stages[next].place == work_.stages[stage].place;
}

std::string_view Engine::range_name(const std::string& label, const Passage& passage) {
  return recorder_.intern(is_numbered(label) ? numbered(label, passage.item) : label);
}

/// A part's sets stay those that hold what it reads; its source goes on.
BufferSlots Engine::buffers_of(const Passage& passage) const {
  BufferSlots buffers = buffers_.slots_of_flight(passage.number, passages_.size(), passage.round);
  if (!work_.pipeline->part) return buffers;
  const std::size_t source = buffers[0];
  buffers = buffers_.slots_of_flight(passage.number, passages_.size(), 0);
  buffers[0] = source;
  return buffers;
}

void Engine::begin(Passage& passage) {
  Flight& flight = passage.flight;
  flight.begin(passage.item, buffers_of(passage));
  if (options_.poison && !work_.pipeline->part) {
    buffers_.poison(flight.stages().used(), *options_.poison);
    flight.stages().remove_saved();
  }
  flow_.begin_ns[static_cast<std::size_t>(passage.item)] = clock_.now_ns() - flow_.start_ns;
}

void Engine::run_visit(Passage& passage, std::size_t server, Worker& worker) {
  if (passage.visit == 0) begin(passage);
  const Visit& visit = visits_[passage.visit];
  const auto& streams = lanes_[visit.lane].streams;
  Stream* const stream = streams.empty() ? nullptr : streams[server].get();
  auto range = std::ranges::find_if(
      ranges_, [&](const StageRange& one) { return one.first >= visit.first; });
  run_stages(passage, visit.first, visit.last + 1, range, stream, worker);
  if (++passage.visit == visits_.size()) finish(passage);
}

/// Stages [first, last), in the ranges from `range` on that start there.
void Engine::run_stages(Passage& passage, std::size_t first, std::size_t last, NextRange& range,
                        Stream* stream, Worker& worker) {
  for (std::size_t s = first; s < last;) {
    if (!options_.ranges || range == ranges_.end() || range->first != s) {
      run_stage(passage, s++, stream, worker);
      continue;
    }
    const StageRange& opened = *range++;
    const Range around(&recorder_, RangeKind::Range, range_name(opened.name, passage));
    run_stages(passage, s, opened.last + 1, range, stream, worker);
    s = opened.last + 1;
  }
}

void Engine::run_stage(Passage& passage, std::size_t s, Stream* stream, Worker& worker) {
  const Stage& stage = work_.stages[s];
  const bool on_host = stage.place == Place::Cpu;
  Queue& queue = on_host ? *worker.host[lane_of_[s]] : *stream->queue;
  // Submitting is short; a stage on the host is not, and needs no lock.
  std::unique_lock<std::mutex> lock;
  if (!on_host) lock = std::unique_lock(stream->mutex);
  passage.flight.wait_before(queue);
  const std::int64_t start_ns = clock_.now_ns();
  const int from = options_.device_marks && !on_host ? queue.mark() : -1;
  {
    const std::string_view name =
        options_.ranges ? range_name(stage.label, passage) : std::string_view();
    const Range range(options_.ranges ? &recorder_ : nullptr, RangeKind::Stage, name,
                      stage.cost.read_bytes + stage.cost.written_bytes);
    queue.stage = name;
    passage.flight.run(s, queue, options_.poison);
  }
  if (from >= 0) worker.spans.push_back({s, &queue, from, queue.mark()});
  if (!on_host && !is_followed_there(s)) passage.flight.mark_end(queue);
  worker.calls_ns[s] += clock_.now_ns() - start_ns;
}

/// The end of an item, as far as the host knows.
void Engine::finish(Passage& passage) {
  Flight& flight = passage.flight;
  if (options_.on_done) {
    flight.wait();
    options_.on_done(flight);
  }
  flight.finish();
  flow_.end_ns[static_cast<std::size_t>(passage.item)] = clock_.now_ns() - flow_.start_ns;
  if (flight.pending() == nullptr) return;
  const std::lock_guard lock(mutex_);
  endings_.push_back({passage.item, flight.pending(), flight.pending_mark()});
}

/// As before the first item of a turn.
void Engine::clear(std::int64_t items) {
  const std::lock_guard lock(mutex_);
  free_.clear();
  for (const auto& passage : passages_) free_.push_back(passage.get());
  for (LaneState& lane : lanes_) lane.ready.clear();
  flying_.clear();
  endings_.clear();
  for (Worker* worker : workers()) {
    std::ranges::fill(worker->calls_ns, 0);
    worker->spans.clear();
  }
  items_ = admitted_ = done_ = 0;
  error_ = nullptr;
  const auto count = static_cast<std::size_t>(items);
  flow_ = {.begin_ns = std::vector<std::int64_t>(count),
           .end_ns = std::vector<std::int64_t>(count),
           .stage_ns = std::vector<std::int64_t>(work_.stages.size()),
           .calls_ns = std::vector<std::int64_t>(work_.stages.size())};
  for (LaneState& lane : lanes_)
    for (const auto& stream : lane.streams)
      stream->anchor_ns = take_anchor(*stream->queue, clock_).host_ns;
}

void Engine::run_items() {
  if (runs_inline()) return run_inline();
  work_.pipeline->submit == Submit::Lane ? run_on_lanes() : run_on_threads();
}

std::vector<Engine::Worker*> Engine::workers() {
  std::vector<Worker*> all{&own_};
  for (const auto& host : hosts_) all.push_back(&host->worker);
  for (const auto& passage : passages_) all.push_back(&passage->worker);
  return all;
}

Flow Engine::run(std::int64_t items, const FlowOptions& options) {
  options_ = options;
  clear(items);
  flow_.start_ns = clock_.now_ns();
  {
    const std::lock_guard lock(mutex_);
    items_ = items;
  }
  run_items();
  if (device_ != nullptr) flow_.submitted_ns = clock_.now_ns() - flow_.start_ns;
  if (error_) std::rethrow_exception(error_);
  for (LaneState& lane : lanes_)
    for (const auto& stream : lane.streams) stream->queue->drain();
  flow_.wall_ns = clock_.now_ns() - flow_.start_ns;
  collect_endings();
  for (const auto& passage : passages_) passage->flight.wait();  // its marks are forgotten next
  for (Worker* worker : workers()) collect(*worker);
  return std::move(flow_);
}

/// When items ended whose last work was a device's.
void Engine::collect_endings() {
  for (const Ending& ending : endings_)
    for (LaneState& lane : lanes_)
      for (const auto& stream : lane.streams)
        if (stream->queue.get() == ending.queue)
          flow_.end_ns[static_cast<std::size_t>(ending.item)] =
              stream->anchor_ns + ending.queue->ns_between(0, ending.mark) - flow_.start_ns;
}

/// Adds what a worker took to the flow.
void Engine::collect(const Worker& worker) {
  for (std::size_t s = 0; s < worker.calls_ns.size(); ++s) {
    flow_.calls_ns[s] += worker.calls_ns[s];
    if (work_.stages[s].place == Place::Cpu) flow_.stage_ns[s] += worker.calls_ns[s];
  }
  for (const Worker::Span& span : worker.spans)
    flow_.stage_ns[span.stage] += span.queue->ns_between(span.from, span.to);
}

}  // namespace normbench
