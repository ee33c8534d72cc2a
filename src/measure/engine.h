/// Runs the items of a case: "in turn", one iteration after the other on the calling thread, or "in
/// lanes", with several items in flight through the lanes of a pipeline.
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

/// What the engine does besides the work itself.
struct EngineOptions {
  // Opens ranges: those of the config, one for each stage, and one for each thread's share of a
  // stage.
  bool ranges = false;
  // Times work on a device between marks; in turn, also times the host's calls, which are always
  // timed in lanes.
  bool marks = false;
  bool cycles = false;  // reads the device's mean clock rate over the turn
  // In turn: stores the device's work in Flow::spans, where lanes always store it.
  bool spans = false;
  bool external_ids = false;        // ranges of work on a device carry external_id()
  StageProfile* profile = nullptr;  // is called around each stage; null: not used
  // In lanes: fills all buffers of an item before its first stage. In turn: fills fresh buffers
  // only.
  std::optional<Poison> poison = {};
  bool keep_outputs = false;  // in turn: fresh outputs are not freed at the end of an iteration
  bool graphs = true;         // false: a case with graphs runs without them
  // The number of the first item. Loaders read the files of items from this number on.
  std::int64_t first = 0;
  /// In lanes: called for each item when all of its work is done, on any thread. In turn: called on
  /// the host during the last iteration, when all outputs exist and none is freed; the turn's times
  /// and counts do not contain this call.
  std::function<void(Item&)> on_done = {};
};

/// The times of a turn's items in ns: durations, or times since the turn's start. The times in
/// `spans` are readings of the clock.
struct Flow {
  Round round;                                 // its start_ns is a reading of the clock
  std::vector<std::int64_t> begin_ns, end_ns;  // times of each item in lanes; empty in turn
  // Sums over all items, for each stage: the time of its work (0 on a device without marks), and
  // the time of the host's calls.
  std::vector<std::int64_t> stage_ns, calls_ns;
  std::int64_t clock_error_ns = 0;  // the largest error of times in spans of a device
  std::vector<StageSpan> spans;     // the stages' work; work on a device only with marks
};

/// Returns the number of the range in which `stage` of `item` is submitted to a device; never 0.
std::uint64_t external_id(const Case& planned, std::int64_t item, std::size_t stage);

class Engine {
 public:
  /// Prepares kernels and queues, places all buffers, and starts the host threads of lanes, which
  /// sleep between turns. Throws std::runtime_error when a kind of memory cannot be allocated.
  Engine(const Case& planned, GroupMemory& memory, const Backends& backends, Recorder& recorder,
         Clock& clock, std::mt19937_64& random);
  /// Waits for all work, because memory is freed before the queues are destroyed.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Case& planned() const { return planned_; }
  /// The recorder that gets the ranges of this engine's work.
  Recorder& recorder() const { return recorder_; }
  Clock& clock() const { return clock_; }
  /// The queue of a device; if there are several, the one that was made last. Null when no stage
  /// runs on a device.
  Queue* device() const { return device_; }
  /// The files to drop from the page cache before a turn.
  const ColdFiles& cold_files() const { return cold_files_; }
  /// Binds fresh host memory to the NUMA node of the link while the returned object lives. Does
  /// nothing and returns null unless all fresh host memory is for the link. Call before the
  /// timed part, and keep the object until after it.
  Bound bind_fresh() const { return fresh_for_link_ ? memory_.bind_near_link() : nullptr; }
  /// The labels of all ranges of this engine's work.
  std::vector<std::string_view> labels() const { return items_.front()->labels(); }

  /// Draws new addresses for all placed buffers of all sets, and drops all graphs. For a part of a
  /// pipeline, also computes and stores the values that the part reads from stages outside it. Call
  /// while no work is in flight.
  void place(std::mt19937_64& random);
  /// Loads the code of all kernels onto the device, so that no timed call loads it. Call after
  /// place().
  void load_kernels();
  /// Runs `items` items. No item is in flight before the call or after it. When a stage throws,
  /// waits until no lane works any more, then throws the same exception.
  Flow run(std::int64_t items, const EngineOptions& options);

  // For iterations in turn:

  /// The only item: every iteration uses it again.
  Item& item() { return *items_.front(); }
  /// Moves on to the next buffer set and the next copy of the source in the group's rotation. A
  /// resident case stays on the first.
  void advance() {
    if (!planned_.resident) item().use(buffers_.slots_of(memory_.next_iteration()));
  }
  /// Goes back to the buffers that were used `iterations` iterations before the latest one.
  void look_back(std::size_t iterations);
  /// Returns how many of the latest iterations still have their outputs in memory; 0 if iterations
  /// free an output.
  std::int64_t calls_left() const;
  /// True if no device is used, and every output is a fresh buffer that is freed only after the
  /// last stage. Host code can then read all outputs before they are freed.
  bool frees_outputs_last() const;
  /// Submits one iteration on the present buffer set. Captures the graphs that are missing.
  void iterate(const EngineOptions& options);
  /// Waits until all submitted work is done.
  void drain();
  /// Run one step of a profile. begin_step() aligns the clocks of device and host if
  /// `options.spans` is set. step() runs one iteration in a range called `name` and waits for it.
  /// end_step() returns the times of the step; its round has only the start and the wall time.
  void begin_step(const EngineOptions& options);
  void step(std::string_view name);
  Flow end_step();
  /// Captures the missing graphs of the next `iterations` iterations.
  void capture(std::int64_t iterations);
  /// Captures the graphs of the next `iterations` iterations and launches each once, since a first
  /// launch costs more than later ones. Then uses all other buffer sets once, without graphs, so
  /// that the buffers of the next iterations are cold again. Waits until all work is done.
  void launch_graphs_once(std::int64_t iterations);
  void drop_graphs();

 private:
  /// The device queue of one server of a lane. Host threads submit to it one at a time.
  struct Stream {
    std::unique_ptr<Queue> queue;
    std::mutex mutex;
    std::int64_t number = 1;     // among all streams, from 1
    std::int64_t anchor_ns = 0;  // when its mark 0 was reached, on the host's clock
  };
  /// What one host thread uses: its CPU queues, by lane, and the times of the stages that it ran.
  struct Worker {
    std::vector<std::unique_ptr<Queue>> host;
    StageTimes times;
  };
  struct LaneState {
    Lane lane;
    // One per server; empty if no stage is on a device.
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<Item*> ready;
    std::condition_variable wake;
  };
  struct Host {
    std::thread thread;
    std::optional<Worker> worker;
  };
  /// The cost of the call of `on_done` in an iteration. It is subtracted from the turn's values.
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
  using Fed = std::vector<std::vector<std::byte>>;  // the bytes of each value in fed_
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
  const bool fresh_for_link_;         // all fresh host memory is for the link
  std::vector<std::size_t> lane_of_;  // lane of each stage
  std::vector<LaneState> lanes_;
  Queue* device_ = nullptr;
  std::optional<Worker> own_;              // the worker of the thread that calls run()
  std::vector<Worker> item_workers_;       // with Submit::Item: the worker of each seat
  std::vector<std::thread> item_threads_;  // with Submit::Item: the latest thread of each seat
  // Declared after the queues, so that the memory of items is freed first.
  std::vector<std::unique_ptr<Item>> items_;
  // Values that a part of a pipeline reads, and that stages outside of the part make.
  const std::vector<int> fed_;
  std::vector<Fed> fed_bytes_;  // the bytes of the values in fed_ for several items
  // The index in fed_bytes_ for seat 0. The next seats use the next indices.
  std::size_t first_fed_ = 0;
  std::vector<std::unique_ptr<Host>> hosts_;

  // The present turn:
  EngineOptions options_;
  Flow flow_;
  Interlude interlude_;
  std::mutex mutex_;
  std::condition_variable over_;
  std::deque<Item*> free_;
  std::vector<Item*> flying_;  // items in flight in run_inline(), in the order of their numbers
  std::int64_t count_ = 0, admitted_ = 0, done_ = 0;
  int working_ = 0;          // host threads that work on an item
  std::size_t started_ = 0;  // host threads that have started
  bool quit_ = false;
  bool is_last_ = true;  // in turn: the last iteration of run(), or one that iterate() runs
  std::exception_ptr error_;
  struct Ending {
    std::int64_t item;
    Queue* queue;
    int mark;
  };
  std::vector<Ending> endings_;  // items whose last work is on a device
};

}  // namespace normbench
