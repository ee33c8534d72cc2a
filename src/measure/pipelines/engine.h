/// Runs items through the lanes of a pipeline, several of them in flight.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "document/results.h"
#include "measure/pipelines/flight.h"
#include "measure/pipelines/lane_times.h"
#include "plan/label.h"
#include "plan/pipeline.h"
#include "record/recorder.h"

namespace normbench {

/// What is done besides the work.
struct FlowOptions {
  bool ranges = false;                   // those of the config, of stages and of shares of them
  bool device_marks = false;             // stages on a device are timed
  bool external_ids = false;             // their ranges have those of external_id()
  std::optional<Poison> poison = {};     // fills each item's buffers before its first stage
  /// Called for each item when all of its work is done, on any thread.
  std::function<void(Flight&)> on_done = {};
};

/// What the items of a turn took. Times are ns since the turn's start, or durations.
struct Flow {
  Round round;                                   // its start on the clock itself; no device time
  std::vector<std::int64_t> begin_ns, end_ns;    // of each item
  std::vector<std::int64_t> stage_ns, calls_ns;  // of all items in each stage: of its work (on a
                                                 // device 0 without marks), and of the host's calls
  std::int64_t clock_error_ns = 0;               // of spans of a device, either way
  std::vector<LaneSpan> spans;                   // work of stages; none on a device without marks
};

/// The number of the range in which an item's stage is submitted to a device; never 0.
std::uint64_t external_id(const Case& work, std::int64_t item, std::size_t stage);

/// Runs the items of a pipeline. The host threads of its lanes sleep between turns.
class Engine {
 public:
  /// Throws std::runtime_error when a kind of memory is not there.
  Engine(const Case& work, GroupMemory& memory, const Backends& backends, Recorder& recorder,
         Clock& clock);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Case& work() const { return work_; }
  bool has_device() const { return device_ != nullptr; }
  /// The queue of one of its streams; only where has_device().
  Queue& device() { return *device_; }

  /// Draws where every buffer lies from now on. For a part of a pipeline it also puts there what
  /// the other stages gave.
  void place(std::mt19937_64& random);
  /// Brings the code of its kernels to the device, so that no item has to. Call when placed.
  void load_kernels();
  /// Runs so many items, from none in flight to none. Throws what a stage threw once no lane works
  /// any more.
  Flow run(std::int64_t items, const FlowOptions& options);

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
    std::vector<std::int64_t> calls_ns;  // of each stage
    std::vector<LaneSpan> host_spans;
    struct DeviceSpan {
      std::size_t stage;
      std::int64_t item;
      const Stream* stream;
      int from, to;  // marks
    };
    std::vector<DeviceSpan> device_spans;
  };
  /// A flight on its way through the visits.
  struct Passage {
    Passage(const Case& work, const CaseBuffers& buffers, GroupMemory& memory,
            const Backends& backends, std::size_t among)
        : flight(work, buffers, memory, backends, among), number(among) {}
    Flight flight;
    std::int64_t item = 0;
    std::size_t visit = 0;    // the next one
    std::size_t number;       // among the flights
    std::uint64_t range = 0;  // its NVTX range, while a tool is attached
    std::size_t round = 0;    // items so far, which its buffers go by
    Worker worker = {};       // where items have threads of their own, …
    std::thread thread = {};  // … and the last one's
  };
  struct LaneState {
    std::vector<std::unique_ptr<Stream>> streams;  // by server; none without stages on a device
    std::vector<Passage*> ready;
    std::condition_variable wake;
  };
  struct Host {
    std::thread thread;
    Worker worker;
  };

  bool runs_inline() const;
  Worker make_worker(std::optional<std::size_t> lane = {}) const;
  void make_streams();
  void prepare_part();
  using Fed = std::vector<std::vector<std::byte>>;  // by value
  Fed make_fed(Passage& passage, std::int64_t item);
  bool is_followed_there(std::size_t stage) const;

  BufferSlots buffers_of(const Passage& passage) const;
  void begin(Passage& passage);
  void run_visit(Passage& passage, std::size_t server, Worker& worker);
  using NextRange = std::vector<StageRange>::const_iterator;
  void run_stages(Passage& passage, std::size_t first, std::size_t last, NextRange& range,
                  Stream* stream, Worker& worker);
  void run_stage(Passage& passage, std::size_t stage, Stream* stream, Worker& worker);
  void finish(Passage& passage);
  void open_range(Passage& passage);
  std::string_view range_name(const std::string& label, const Passage& passage);

  void clear(std::int64_t items);
  void run_items();
  std::vector<Worker*> workers();
  void collect_endings();
  void collect(const Worker& worker);

  void start_hosts();
  void stop_hosts();
  void serve(std::size_t lane, std::size_t server, const std::vector<int>& cpus, Worker& worker);
  bool can_admit() const;
  bool is_over() const;
  Passage& admit();
  Passage* take(std::size_t lane);
  void pass_on(Passage& passage);
  Passage& next_inline();
  void run_inline();
  void run_on_lanes();
  void run_on_threads();
  void run_alone(Passage& passage);

  const Case& work_;
  const Backends& backends_;
  Recorder& recorder_;
  Clock& clock_;
  CaseBuffers buffers_;
  const std::vector<Visit> visits_;
  const std::vector<StageRange> ranges_;
  std::vector<std::size_t> lane_of_;  // of each stage
  std::vector<LaneState> lanes_;
  Queue* device_ = nullptr;
  std::vector<std::unique_ptr<Passage>> passages_;
  const std::vector<int> fed_;  // values of a part that are there before its turns, …
  std::vector<Fed> fed_bytes_;  // … and what they hold, by item; flights take them by turns
  std::size_t first_fed_ = 0;   // the index of the first flight's
  Worker own_;                  // of the thread that calls run()
  std::vector<std::unique_ptr<Host>> hosts_;

  // The present turn:
  FlowOptions options_;
  Flow flow_;
  std::mutex mutex_;
  std::condition_variable over_;
  std::deque<Passage*> free_;
  std::vector<Passage*> flying_;  // in the order of their items
  std::int64_t items_ = 0, admitted_ = 0, done_ = 0;
  int working_ = 0;          // host threads with a passage in hand
  std::size_t started_ = 0;  // host threads
  bool quit_ = false;
  std::exception_ptr error_;
  struct Ending {
    std::int64_t item;
    Queue* queue;
    int mark;
  };
  std::vector<Ending> endings_;  // items whose last work is a device's
};

}  // namespace normbench
