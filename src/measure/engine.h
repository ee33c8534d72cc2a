/// Runs the items of a case. Without a pipeline, iterations run "in turn": one after another, on
/// the calling thread. With a pipeline, items run "in lanes": several items are in flight, and each
/// goes through the lanes. A lane is a set of stages.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "document/results.h"
#include "measure/cold_files.h"
#include "measure/device_tracing.h"
#include "measure/item.h"
#include "measure/stage_times.h"
#include "plan/pipeline.h"

namespace normbench {

/// How the engine runs the stages, and what it records.
struct EngineOptions {
  // Opens ranges in the recorder: those of the config, one for each stage, and one for the share of
  // each thread in a stage.
  bool ranges = false;
  // Times the device work of each stage between two marks (CUDA events), and the host's calls of
  // each stage. For a pipeline, the host's calls are timed even if this is false.
  bool marks = false;
  bool cycles = false;  // reads the mean clock rate of the device over the turn
  // Without a pipeline: adds the spans of device work to Flow::spans. For a pipeline, they are
  // added even if this is false. `marks` must be true for these spans.
  bool spans = false;
  bool external_ids = false;        // ranges of device stages get the number external_id()
  StageProfile* profile = nullptr;  // counts the page faults of each stage; null: no profile
  // The byte pattern with which buffers are filled; empty: buffers are not filled. Fresh buffers
  // are filled when they are allocated. For a pipeline, the placed buffers of an item (those in
  // arenas) are also filled, before its first stage.
  std::optional<Poison> poison = {};
  bool keep_outputs = false;  // without a pipeline: fresh outputs are not freed
  bool graphs = true;         // false: stages of graphs are submitted one by one
  // The number of the first item of the turn. Loaders choose their files by the number of the item.
  std::int64_t first = 0;
  /// For a pipeline: called for each item when all of its work is done, on any thread. Without a
  /// pipeline: called on the host during the last iteration, when all outputs exist and none is
  /// freed. The times and counts of the turn do not include this call.
  std::function<void(Item&)> on_done = {};
};

/// The times of a turn and its items in ns. They are durations or times since the start of the
/// turn, except that the times in `spans` are readings of the clock.
struct Flow {
  Round round;                                 // start_ns is a reading of the clock
  std::vector<std::int64_t> begin_ns, end_ns;  // by item; empty without a pipeline
  // By stage, summed over all items: the time of its work (0 for device work without marks), and
  // the time of the host's calls.
  std::vector<std::int64_t> stage_ns, calls_ns;
  std::int64_t clock_error_ns = 0;  // largest error of the device times in `spans`
  std::vector<StageSpan> spans;     // of all runs of stages; on a device only with marks
};

/// Returns the number that the range of a stage gets with EngineOptions::external_ids. The numbers
/// of all stages and items differ, and none is 0.
std::uint64_t external_id(const Case& planned, std::int64_t item, std::size_t stage);

class Engine {
 public:
  /// Prepares kernels and queues, places all buffers, and starts the host threads of the lanes,
  /// which sleep between turns. Throws std::runtime_error when a kind of memory cannot be
  /// allocated.
  Engine(const Case& planned, GroupMemory& memory, const Backends& backends, Recorder& recorder,
         Clock& clock, std::mt19937_64& random);
  /// Waits until all work is done, because memory is freed before the queues are destroyed.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Case& planned() const { return planned_; }
  /// Returns the recorder of the ranges of this engine.
  Recorder& recorder() const { return recorder_; }
  Clock& clock() const { return clock_; }
  /// Returns the device queue that was made last; null if no stage runs on a device. Without a
  /// pipeline, there is at most one.
  Queue* device() const { return device_; }
  /// Returns the files that must be dropped from the page cache before a turn.
  const ColdFiles& cold_files() const { return cold_files_; }
  /// While the returned object lives, fresh host memory (allocated within iterations) comes from
  /// the NUMA node of the link between host and device. For a pipeline, or if CPU stages use some
  /// of the fresh host memory, binds nothing and returns null. Call it before the timed part of a
  /// turn, and destroy the object after that part.
  Bound bind_fresh() const { return fresh_for_link_ ? memory_.bind_near_link() : nullptr; }
  /// Returns the labels of all ranges that this engine opens: those of stages, those of graphs, and
  /// those that the config puts around stages.
  std::vector<std::string_view> labels() const { return items_.front()->labels(); }

  /// Draws new addresses for the placed buffers of all buffer sets, and drops all graphs. If the
  /// case is a part of a pipeline, also fills the buffers with the values that the part reads from
  /// stages outside of it. These values are computed only once. Call it while no work is in flight.
  void place(std::mt19937_64& random);
  /// Loads the code of all kernels onto the device, so that no timed call loads it. Call it after
  /// place().
  void load_kernels();
  /// Runs a turn of `items` items. No item is in flight before the call or after it. If a stage
  /// throws, waits until no lane works any more, and then throws the same exception.
  Flow run(std::int64_t items, const EngineOptions& options);

  // For a case without a pipeline:

  /// Returns the only item, which every iteration uses.
  Item& item() { return *items_.front(); }
  /// Moves on to the next buffer set and the next copy of the source. All contenders of a group
  /// share this rotation. A resident case, whose buffers stay in the cache, always uses the first
  /// set and copy.
  void advance() {
    if (!planned_.resident) item().use(buffers_.slots_of(memory_.next_iteration()));
  }
  /// Makes the item use the buffers of an earlier iteration again: the one that ran `iterations`
  /// iterations before the latest one.
  void look_back(std::size_t iterations);
  /// Returns how many of the latest iterations still have their outputs in memory; 0 if an output
  /// is freed at the end of each iteration.
  std::int64_t calls_left() const;
  /// Returns true if no device is used, and every output is a fresh buffer that is freed after the
  /// last stage and not earlier. Host code can then read all outputs before they are freed.
  bool frees_outputs_last() const;
  /// Submits one iteration on the present buffer set. Captures graphs that do not exist yet.
  void iterate(const EngineOptions& options);
  /// Waits until all submitted work is done.
  void drain();
  /// begin_step(), step() and end_step() run one step of a profile, in this order. begin_step()
  /// aligns the clocks of device and host if `options.spans` is set. step() runs one iteration in a
  /// range called `name` and waits for it. end_step() returns the times of the step; in
  /// Flow::round, only the start and the wall time are set.
  void begin_step(const EngineOptions& options);
  void step(std::string_view name);
  Flow end_step();
  /// Captures the graphs for the next `iterations` iterations that do not exist yet.
  void capture(std::int64_t iterations);
  /// Captures the graphs for the next `iterations` iterations and launches each once, because a
  /// first launch costs more than later ones. Then uses all other buffer sets once, without graphs,
  /// so that the buffers of the next iterations are cold again. Waits until all work is done.
  void launch_graphs_once(std::int64_t iterations);
  void drop_graphs();

 private:
  /// The device queue of one server of a lane. A server works on one item at a time, so a lane with
  /// several servers works on several items. Only one host thread at a time submits to the queue.
  struct Stream {
    std::unique_ptr<Queue> queue;
    std::mutex mutex;
    std::int64_t number = 1;     // number of this stream in the engine, from 1
    std::int64_t anchor_ns = 0;  // when the queue reached mark 0, on the host's clock
  };
  /// What one host thread uses: its CPU queues and the times of the stages that it ran. `host` has
  /// an element for each lane: a queue, or null if the thread runs no CPU stage of the lane.
  struct Worker {
    std::vector<std::unique_ptr<Queue>> host;
    StageTimes times;
  };
  struct LaneState {
    Lane lane;
    // One stream for each server of the lane. Empty if no stage of the lane runs on a device.
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<Item*> ready;  // items whose next stages are in this lane
    std::condition_variable wake;
  };
  struct Host {
    std::thread thread;
    std::optional<Worker> worker;
  };
  /// The time and the counts of the call of `on_done` within an iteration. They are subtracted from
  /// those of the turn.
  struct Interlude {
    std::int64_t wall_ns = 0, cpu_ns = 0;
    Counters counters = {};
  };

  bool in_turn() const { return !planned_.pipeline; }
  bool runs_inline() const;
  Worker make_worker(std::optional<std::size_t> lane = {}) const;
  void make_streams();
  void make_items();
  void prepare_part();
  using Fed = std::vector<std::vector<std::byte>>;  // bytes of each value in fed_
  Fed make_fed(Item& item, std::int64_t number);
  Stream* first_stream(std::size_t stage) const;
  bool leaves_queue(std::size_t stage) const;

  BufferSlots buffers_of(const Item& item) const;
  void begin(Item& item);
  void run_visit(Item& item, std::size_t server, Worker& worker);
  using NextRange = std::span<const NamedRange>::iterator;
  void run_stages(Item& item, std::size_t first, std::size_t last, NextRange& range, NextRange end,
                  Stream* stream, Worker& worker);
  std::size_t run_next(Item& item, std::size_t stage, Stream* stream, Worker& worker);
  void submit(Item& item, const Submission& what, Queue& queue, StageTimes* times);
  void interrupt(Item& item, StageTimes* times);
  void finish(Item& item);

  void clear(std::int64_t items);
  void run_items();
  void run_in_turn();
  std::vector<Worker*> workers();
  Stream& stream_of(const Queue* queue) const;
  void collect_endings();
  void collect(const Worker& worker);

  void start_hosts();
  void stop_hosts();
  void serve(std::size_t lane, std::size_t server, const std::vector<int>& cpus,
             std::optional<Worker>& worker);
  bool can_admit() const;
  bool is_over() const;
  Item& admit();
  Item* take(std::size_t lane);
  void pass_on(Item& item);
  Item& next_inline();
  void run_inline();
  void run_on_lanes();
  void run_on_threads();
  void run_alone(Item& item);

  void iterate();
  void capture_here();
  std::size_t graph_count();

  const Case& planned_;
  GroupMemory& memory_;
  const Backends& backends_;
  Recorder& recorder_;
  Clock& clock_;
  ColdFiles cold_files_;
  CaseBuffers buffers_;
  const std::vector<Visit> visits_;
  const bool fresh_for_link_;         // see bind_fresh()
  std::vector<std::size_t> lane_of_;  // by stage: index of its lane
  std::vector<LaneState> lanes_;
  Queue* device_ = nullptr;
  std::optional<Worker> own_;              // what the thread that calls run() uses
  std::vector<Worker> item_workers_;       // with Submit::Item: one for each item in flight
  std::vector<std::thread> item_threads_;  // with Submit::Item: the threads of the items
  // Declared after the queues, so that the memory of items is freed first.
  std::vector<std::unique_ptr<Item>> items_;
  // For a part of a pipeline: the indices of the values that the part reads and that stages outside
  // of the part compute.
  const std::vector<int> fed_;
  std::vector<Fed> fed_bytes_;  // by item: the bytes of the values in fed_
  // The seat of an item is its index among the items in flight. The item in seat s uses element
  // first_fed_ + s of fed_bytes_, counted modulo the size of fed_bytes_.
  std::size_t first_fed_ = 0;
  std::vector<std::unique_ptr<Host>> hosts_;

  // The present turn:
  EngineOptions options_;
  Flow flow_;
  Interlude interlude_;
  std::mutex mutex_;
  std::condition_variable over_;
  std::deque<Item*> free_;     // items that are not in flight
  std::vector<Item*> flying_;  // items in flight in run_inline(), ordered by number
  // How many items the turn has, how many have started, and how many have ended.
  std::int64_t count_ = 0, admitted_ = 0, done_ = 0;
  int working_ = 0;          // number of host threads that run stages of an item
  std::size_t started_ = 0;  // number of host threads that have started
  bool quit_ = false;
  // Without a pipeline: true in the last iteration of run(), and in an iteration that the public
  // iterate() submits. Only such an iteration calls `on_done`.
  bool is_last_ = true;
  std::exception_ptr error_;
  struct Ending {
    std::int64_t item;
    Queue* queue;
    int mark;
  };
  // For each item that ends with work on a device: the mark after this work.
  std::vector<Ending> endings_;
};

}  // namespace normbench
