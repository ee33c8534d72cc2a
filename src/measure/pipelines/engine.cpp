#include "measure/pipelines/engine.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "measure/host_use.h"
#include "measure/stage_times.h"

namespace normbench {

std::uint64_t external_id(const Case& work, std::int64_t item, std::size_t stage) {
  return static_cast<std::uint64_t>(item) * work.stages.size() + stage + 1;
}

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
      lanes_(work.pipeline->lanes.size()),
      fed_(values_fed(work)) {
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
  std::int64_t streams = 0;  // so far, of all lanes
  for (std::size_t s = 0; s < work_.stages.size(); ++s) {
    Backend& backend = *backends_.at(work_.stages[s].place);
    const Lane& lane = work_.pipeline->lanes[lane_of_[s]];
    auto& of_lane = lanes_[lane_of_[s]].streams;
    if (backend.place() == Place::Cpu || !of_lane.empty()) continue;
    for (int server = 0; server < lane.servers; ++server) {
      auto& stream = *of_lane.emplace_back(std::make_unique<Stream>());
      stream.queue = backend.make_queue(1, &recorder_);
      stream.number = ++streams;
      stream.queue->sleep_in_waits();
      device_ = stream.queue.get();
    }
  }
}

/// Makes a worker with queues for this lane, or for all lanes.
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

void Engine::load_kernels() {
  for (std::size_t s = 0; s < work_.stages.size(); ++s) {
    const auto& streams = lanes_[lane_of_[s]].streams;
    if (work_.stages[s].place == Place::Cuda)
      passages_.front()->flight.stages().load(s, *streams.front()->queue);
  }
}

/// Runs the stages of an item up to the last that is fed, and gives what those that run are fed.
Engine::Fed Engine::make_fed(Passage& passage, std::int64_t item) {
  options_ = {};
  passage.flight.begin(item, buffers_of(passage));
  Fed bytes(fed_.size());
  std::size_t missing = fed_.size();
  for (std::size_t s = 0; missing > 0; ++s) {
    const auto& streams = lanes_[lane_of_[s]].streams;
    run_stage(passage, s, streams.empty() ? nullptr : streams.front().get(), own_);
    if (!streams.empty()) streams.front()->queue->drain();
    for (std::size_t i = 0; i < fed_.size(); ++i) {
      const Value& value = work_.values[static_cast<std::size_t>(fed_[i])];
      if (value.producer != static_cast<int>(s)) continue;
      bytes[i].resize(static_cast<std::size_t>(value.desc.bytes()));
      backends_.owner(value.desc.memory)
          .copy(bytes[i].data(), passage.flight.stages().address(static_cast<std::size_t>(fed_[i])),
                bytes[i].size());
      --missing;
    }
  }
  return bytes;
}

/// Puts what it is fed into buffers of every flight, which hold it from then on.
void Engine::prepare_part() {
  if (fed_.empty()) return;
  for (auto item = std::ssize(fed_bytes_); item < items_fed(work_); ++item)
    fed_bytes_.push_back(make_fed(*passages_.front(), item));
  const std::vector<std::size_t> slots(fed_.begin(), fed_.end());
  for (const auto& passage : passages_) {
    const Fed& bytes = fed_bytes_[(first_fed_ + passage->number) % fed_bytes_.size()];
    Flight& flight = passage->flight;
    flight.begin(0, buffers_of(*passage));
    flight.stages().hold(slots);
    for (std::size_t i = 0; i < fed_.size(); ++i) {
      const auto holder = static_cast<std::size_t>(holder_of(work_, fed_[i]));
      const auto stage = static_cast<std::size_t>(work_.values[holder].producer);
      const auto& streams = lanes_[lane_of_[stage]].streams;
      flight.stages().allocate_fresh(
          stage, streams.empty() ? *own_.host[lane_of_[stage]] : *streams.front()->queue, {});
      backends_.owner(work_.values[slots[i]].desc.memory)
          .copy(flight.stages().address(slots[i]), bytes[i].data(), bytes[i].size());
    }
  }
  ++first_fed_;
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

BufferSlots Engine::buffers_of(const Passage& passage) const {
  return buffers_.slots_of_flight(passage.number, passages_.size(), passage.round);
}

/// Opens the item's range, from its first stage to its last, whatever threads those are on.
void Engine::open_range(Passage& passage) {
  passage.range = 0;
  if (options_.ranges && recorder_.has_tool())
    passage.range =
        nvtx::start(RangeKind::Step, recorder_.intern("#" + std::to_string(passage.item)));
}

void Engine::begin(Passage& passage) {
  Flight& flight = passage.flight;
  flight.begin(passage.item, buffers_of(passage));
  if (options_.poison && !work_.pipeline->part) {
    buffers_.poison(flight.stages().used(), *options_.poison);
    flight.stages().remove_saved();
  }
  open_range(passage);
  flow_.begin_ns[static_cast<std::size_t>(passage.item)] = clock_.now_ns() - flow_.round.start_ns;
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
                      stage.cost.read_bytes + stage.cost.written_bytes,
                      options_.external_ids && !on_host ? external_id(work_, passage.item, s) : 0,
                      passage.item);
    queue.stage = name;
    passage.flight.run(s, queue, options_.poison);
  }
  if (from >= 0) worker.device_spans.push_back({s, passage.item, stream, from, queue.mark()});
  if (!on_host && !is_followed_there(s)) passage.flight.mark_end(queue);
  const std::int64_t end_ns = clock_.now_ns();
  worker.calls_ns[s] += end_ns - start_ns;
  if (on_host) worker.host_spans.push_back({lane_of_[s], start_ns, end_ns, s, passage.item});
}

/// The end of an item, as far as the host knows.
void Engine::finish(Passage& passage) {
  Flight& flight = passage.flight;
  if (options_.on_done) {
    flight.wait();
    options_.on_done(flight);
  }
  flight.finish();
  flow_.end_ns[static_cast<std::size_t>(passage.item)] = clock_.now_ns() - flow_.round.start_ns;
  if (passage.range != 0) nvtx::end(passage.range);
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
    worker->host_spans.clear();
    worker->device_spans.clear();
  }
  items_ = admitted_ = done_ = 0;
  error_ = nullptr;
  const auto count = static_cast<std::size_t>(items);
  flow_ = {.round = {},
           .begin_ns = std::vector<std::int64_t>(count),
           .end_ns = std::vector<std::int64_t>(count),
           .stage_ns = std::vector<std::int64_t>(work_.stages.size()),
           .calls_ns = std::vector<std::int64_t>(work_.stages.size()),
           .clock_error_ns = 0,
           .spans = {}};
  for (LaneState& lane : lanes_)
    for (const auto& stream : lane.streams) {
      const Anchor anchor = take_anchor(*stream->queue, clock_);
      stream->anchor_ns = anchor.host_ns;
      flow_.clock_error_ns = std::max(flow_.clock_error_ns, anchor.error_ns);
    }
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
  const HostUse used(clock_);
  flow_.round.start_ns = clock_.now_ns();
  {
    const std::lock_guard lock(mutex_);
    items_ = items;
  }
  run_items();
  if (device_ != nullptr) flow_.round.submitted_ns = clock_.now_ns() - flow_.round.start_ns;
  if (error_) std::rethrow_exception(error_);
  for (LaneState& lane : lanes_)
    for (const auto& stream : lane.streams) stream->queue->drain();
  flow_.round.wall_ns = clock_.now_ns() - flow_.round.start_ns;
  used.tell(flow_.round);
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
              stream->anchor_ns + ending.queue->ns_between(0, ending.mark) - flow_.round.start_ns;
}

/// Adds what a worker took to the flow.
void Engine::collect(const Worker& worker) {
  for (std::size_t s = 0; s < worker.calls_ns.size(); ++s) {
    flow_.calls_ns[s] += worker.calls_ns[s];
    if (work_.stages[s].place == Place::Cpu) flow_.stage_ns[s] += worker.calls_ns[s];
  }
  std::ranges::copy(worker.host_spans, std::back_inserter(flow_.spans));
  for (const auto& [stage, item, stream, from, to] : worker.device_spans) {
    const std::int64_t start_ns = stream->anchor_ns + stream->queue->ns_between(0, from);
    const std::int64_t took_ns = stream->queue->ns_between(from, to);
    flow_.stage_ns[stage] += took_ns;
    flow_.spans.push_back(
        {lane_of_[stage], start_ns, start_ns + took_ns, stage, item, stream->number});
  }
}

}  // namespace normbench
