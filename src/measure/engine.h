/// Runs the items of a case: one iteration after the other on the calling thread, or several in
/// flight through the lanes of a pipeline.
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

/// What is done besides the work.
struct EngineOptions {
  bool ranges = false;        // those of the config, of stages and of shares of them
  bool marks = false;         // work on a device is timed between marks, and in turn the host's
                              // calls are timed; in lanes they always are
  bool cycles = false;        // a device's clock rate is read over the turn
  bool spans = false;         // in turn: it is told when a device worked; in lanes it always is
  bool external_ids = false;  // ranges of work on a device have those of external_id()
  StageProfile* profile = nullptr;    // given: is told of each stage
  std::optional<Poison> poison = {};  // in lanes it fills all buffers of an item before its first
                                      // stage, in turn the fresh ones
  bool keep_outputs = false;          // in turn: fresh ones outlive the iteration
  bool graphs = true;                 // false: a case with graphs runs without them
  std::int64_t first = 0;             // in turn: the number of the first iteration
  /// In lanes it is called for each item when all of its work is done, on any thread. In turn it is
  /// called in the last iteration when all outputs are there and none is freed, on the host; what
  /// it takes and counts is taken off.
  std::function<void(Item&)> on_done = {};
};

/// What the items of a turn took. Times are ns since the turn's start, or durations; those of spans
/// are on the clock itself.
struct Flow {
  Round round;                                   // its start on the clock itself
  std::vector<std::int64_t> begin_ns, end_ns;    // of each item in lanes
  std::vector<std::int64_t> stage_ns, calls_ns;  // of all items in each stage: of its work (on a
                                                 // device 0 without marks), and of the host's calls
  std::int64_t clock_error_ns = 0;               // of spans of a device, either way
  std::vector<StageSpan> spans;                  // work of stages; none on a device without marks
};

/// The number of the range in which an item's stage is submitted to a device; never 0.
std::uint64_t external_id(const Case& planned, std::int64_t item, std::size_t stage);

class Engine {
 public:
  /// Prepares kernels and queues, starts the host threads of lanes, which sleep between turns, and
  /// places all buffers. Throws std::runtime_error when a kind of memory is not there.
  Engine(const Case& planned, GroupMemory& memory, const Backends& backends, Recorder& recorder,
         Clock& clock, std::mt19937_64& random);
  /// Waits for all work first: memory is freed before the queues that may still work on it.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Case& planned() const { return planned_; }
  /// The recorder of the ranges of its work.
  Recorder& recorder() const { return recorder_; }
  Clock& clock() const { return clock_; }
  /// One of its queues whose work is done later than it is submitted; null when there is none.
  Queue* device() const { return device_; }
  /// Files to be dropped from memory before a turn.
  const ColdFiles& cold_files() const { return cold_files_; }
  /// While what it returns lives, the fresh memory that iterations allocate for the link comes from
  /// near it. Hold it from before what is timed until after.
  Bound bind_fresh() const { return fresh_for_link_ ? memory_.bind_near_link() : nullptr; }
  /// All labels of the ranges of its work.
  std::vector<std::string_view> labels() const { return items_.front()->labels(); }

  /// Draws where every placed buffer of every set lies from now on, and drops all graphs. For a
  /// part of a pipeline it also puts there what the other stages gave. Call when drained.
  void place(std::mt19937_64& random);
  /// Brings the code of its kernels to the device, so that no call has to. Call when placed.
  void load_kernels();
  /// Runs so many items, from none under way to none. Throws what a stage threw once no lane works
  /// any more.
  Flow run(std::int64_t items, const EngineOptions& options);

  // One iteration after the other:

  /// The item that all iterations are.
  Item& item() { return *items_.front(); }
  /// Moves on to the next buffer set and the next copy of the source in the group's rotation; a
  /// resident case stays on the first.
  void advance() {
    if (!planned_.resident) item().use(buffers_.slots_of(memory_.next_iteration()));
  }
  /// Goes back to the buffers of the iteration that was so many before the latest one.
  void look_back(std::size_t iterations);
  /// How many of the latest iterations have left their outputs where they wrote them; 0 where one
  /// is freed.
  std::int64_t calls_left() const;
  /// Whether host code may look at all its outputs before the first of them is freed, which is in
  /// its last stage.
  bool frees_outputs_last() const;
  /// Submits one iteration on this set; captures the graphs that it lacks.
  void iterate(const EngineOptions& options);
  /// Returns when all submitted work is done.
  void drain();
  /// A step of a profile: begin_step() ties the device's clock to the host's where spans are told;
  /// step() runs one iteration in a range of this name until it is done; end_step() gives what it
  /// took. Its round has the wall time alone.
  void begin_step(const EngineOptions& options);
  void step(std::string_view name);
  Flow end_step();
  /// Captures those graphs of the next iterations that were not captured before.
  void capture(std::int64_t iterations);
  /// Captures them too, and launches each once: a graph's first launch costs more than the others.
  /// Then goes once round the other buffers, without graphs, so that the next iterations find
  /// their own as cold as ever. Drained when it returns.
  void launch_graphs_once(std::int64_t iterations);
  void drop_graphs();

 private:
  /// The device queue of a lane's server. Host threads take turns to submit to it.
  struct Stream {
    std::unique_ptr<Queue> queue;
    std::mutex mutex;
    std::int64_t number = 1;     // among all of them
    std::int64_t anchor_ns = 0;  // when its mark 0 was reached, on the clock
  };
  /// What a host thread has: its queues on the host, by lane, and the times of the stages it ran.
  struct Worker {
    std::vector<std::unique_ptr<Queue>> host;
    StageTimes times;
  };
  struct LaneState {
    Lane lane;
    std::vector<std::unique_ptr<Stream>> streams;  // by server; none without stages on a device
    std::vector<Item*> ready;
    std::condition_variable wake;
  };
  struct Host {
    std::thread thread;
    std::optional<Worker> worker;
  };
  /// Work in the middle of an iteration that is no part of it.
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
  using Fed = std::vector<std::vector<std::byte>>;  // by value
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
  const bool fresh_for_link_;         // all fresh host memory is
  std::vector<std::size_t> lane_of_;  // of each stage
  std::vector<LaneState> lanes_;
  Queue* device_ = nullptr;
  std::optional<Worker> own_;                 // of the thread that calls run()
  std::vector<Worker> item_workers_;          // where items have threads of their own, by seat, …
  std::vector<std::thread> item_threads_;     // … and the last one's
  std::vector<std::unique_ptr<Item>> items_;  // after the queues: their memory goes first
  const std::vector<int> fed_;  // values of a part that are there before its turns, …
  std::vector<Fed> fed_bytes_;  // … and what they hold, by item; seats take turns
  std::size_t first_fed_ = 0;   // the index of the first seat's
  std::vector<std::unique_ptr<Host>> hosts_;

  // The present turn:
  EngineOptions options_;
  Flow flow_;
  Interlude interlude_;
  std::mutex mutex_;
  std::condition_variable over_;
  std::deque<Item*> free_;
  std::vector<Item*> flying_;  // in the order of their numbers
  std::int64_t count_ = 0, admitted_ = 0, done_ = 0;
  int working_ = 0;          // host threads with an item in hand
  std::size_t started_ = 0;  // host threads
  bool quit_ = false;
  bool is_last_ = true;  // in turn: the iteration is the last one of run(), or alone
  std::exception_ptr error_;
  struct Ending {
    std::int64_t item;
    Queue* queue;
    int mark;
  };
  std::vector<Ending> endings_;  // items whose last work is a device's
};

}  // namespace normbench
