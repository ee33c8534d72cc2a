/// A case ready to run: its kernels prepared once, its views bound to a buffer set per iteration.
#pragma once

#include <array>
#include <deque>
#include <random>
#include <span>
#include <unordered_map>

#include "measure/bound_stages.h"
#include "measure/cold_files.h"
#include "measure/device_tracing.h"
#include "measure/stage_times.h"
#include "measure/submission.h"

namespace normbench {

/// Work in the middle of an iteration that is no part of it: what it takes and counts is taken off
/// the turn.
class Interlude {
 public:
  Interlude(Clock& clock, std::function<void()> work) : clock_(clock), work_(std::move(work)) {}
  void run();
  std::int64_t wall_ns() const { return wall_ns_; }
  std::int64_t cpu_ns() const { return cpu_ns_; }
  const Counters& counters() const { return counters_; }

 private:
  Clock& clock_;
  std::function<void()> work_;
  std::int64_t wall_ns_ = 0, cpu_ns_ = 0;
  Counters counters_;
};

/// The options of an iteration: what it does besides its work.
struct IterationOptions {
  bool ranges = false;                   // those of the config, of stages and of shares of them
  StageTimes* times = nullptr;           // given: takes the time of each stage
  StageProfile* profile = nullptr;       // given: is told of each stage
  std::optional<Poison> poison = {};     // fills fresh buffers before their stage writes them
  bool keep_outputs = false;             // fresh ones outlive the iteration
  bool graphs = true;                    // false: a case with graphs runs without them
  std::int64_t item = 0;                 // its number in the turn
  Interlude* before_free = nullptr;      // given: runs when all outputs are there, none freed yet
};

class PreparedCase {
 public:
  /// Prepares kernels and queues. Throws std::runtime_error when a kind of memory is not there.
  PreparedCase(const Case& work, GroupMemory& memory, const Backends& backends, Recorder& recorder);
  /// Waits for all work first: memory is freed before the queues that may still work on it.
  ~PreparedCase();
  PreparedCase(PreparedCase&&) = default;

  const Case& work() const { return work_; }
  /// The recorder of the ranges of its work.
  Recorder& recorder() const { return recorder_; }
  /// The queue whose work is done later than it is submitted, or null when there is none.
  Queue* device() const { return device_; }

  /// Files to be dropped from memory before a turn.
  const ColdFiles& cold_files() const { return cold_files_; }

  /// While what it returns lives, the fresh memory that iterations allocate for the link comes from
  /// near it. Hold it from before what is timed until after.
  Bound bind_fresh() const { return fresh_for_link_ ? memory_.bind_near_link() : nullptr; }
  /// Brings the code of its kernels to the device, so that no call has to. Call when placed.
  void load_kernels();
  /// Draws where every placed buffer of every set lies from now on. Call when drained.
  void place(std::mt19937_64& random);
  /// Moves on to the next buffer set and the next copy of the source in the group's rotation; a
  /// resident case stays on the first.
  void advance() {
    if (!work_.resident) stages_->use(buffers_->slots_of(memory_.next_iteration()));
  }
  /// How many of the latest iterations have left their outputs where they wrote them; 0 where one
  /// is freed.
  std::int64_t calls_left() const;
  /// Whether host code may look at all its outputs before the first of them is freed, which is in
  /// its last stage.
  bool frees_outputs_last() const;
  /// Goes back to the buffers of the iteration that was so many before the latest one.
  void look_back(std::size_t iterations) {
    if (!work_.resident)
      stages_->use(buffers_->slots_of(memory_.upcoming_iteration() - 1 - iterations));
  }
  /// The copy of the source that the latest iteration read.
  std::size_t copy() const { return stages_->used().front(); }
  /// The number of the next iteration, for names of ranges that have one; until the first call they
  /// have "{i}". Call it where no time counts: it makes names.
  void number(std::int64_t iteration);
  /// The numbered names of the next iteration with the labels that they were made of.
  std::vector<std::pair<std::string_view, std::string_view>> numbered_names() const;
  /// Captures those graphs of the next iterations that were not captured before.
  void capture(std::int64_t iterations);
  /// Captures them too, and launches each once: a graph's first launch costs more than the others.
  /// Then goes once round the other buffers, without graphs, so that the next iterations find
  /// their own as cold as ever. Drained when it returns.
  void launch_graphs_once(std::int64_t iterations);
  /// Drops all graphs.
  void drop_graphs();
  /// Fills the placed buffers of this set, and removes the files that were saved. Call when
  /// drained.
  void poison(const Poison& poison) {
    buffers_->poison(stages_->used(), poison);
    stages_->remove_saved();
  }
  /// Submits one iteration on this set; captures the graphs that it lacks.
  void run(const IterationOptions& options);
  /// Returns when all submitted work is done.
  void drain();

  /// What an iteration on this set reads (nothing when the case loads) and writes. A fresh output
  /// is there only when the last iteration kept it.
  std::vector<View> inputs() const { return stages_->inputs(); }
  std::vector<View> outputs() const { return stages_->outputs(); }
  /// Why a file that the last iteration saved is not of its image; "" when all are.
  std::string why_not_saved() const { return stages_->why_not_saved(); }

 private:
  /// What a range says: a label, and its name in this iteration.
  struct RangeName {
    std::string_view label, name;
  };
  struct NamedRange {
    const RangeName* name = nullptr;
    std::size_t first = 0, last = 0;  // stages
  };
  struct Step {
    Queue* queue = nullptr;
    const RangeName* name = nullptr;
    std::int64_t bytes = 0;
    Hazards hazards;
    GraphRun* graph = nullptr;              // the run of captured stages that starts here, …
    const RangeName* graph_name = nullptr;  // … what its ranges say …
    std::int64_t graph_bytes = 0;           // … and the bytes of its stages
  };

  void make_queues();
  void make_steps();
  void make_graphs();
  std::vector<NamedRange> named(const std::vector<StageRange>& ranges);
  const RangeName* add_name(std::string_view label);
  using NextRange = std::span<const NamedRange>::iterator;
  void run_stages(std::size_t first, std::size_t last, NextRange& range, NextRange end,
                  const IterationOptions& options);
  std::size_t run_next(std::size_t stage, const IterationOptions& options);
  template <class Work>
  void run_as(StageRun run, const Queue& queue, const IterationOptions& options, Work work);
  void run_stage(std::size_t stage, const IterationOptions& options);
  void run_graph(const Step& step, const IterationOptions& options);
  Graph& graph_of(GraphRun& run);
  void capture_here();
  std::size_t graphs() const;
  void free_finished(std::size_t stage, const IterationOptions& options);
  void wait_for_device(const Step& step);
  void watch(std::size_t first, std::size_t last);

  const Case& work_;
  GroupMemory& memory_;
  const Backends& backends_;
  Recorder& recorder_;
  ColdFiles cold_files_;
  std::unique_ptr<CaseBuffers> buffers_;
  bool fresh_for_link_;                           // all fresh host memory is
  std::array<std::unique_ptr<Queue>, 2> queues_;  // by place
  Queue* device_ = nullptr;
  std::deque<RangeName> names_;  // steps and ranges point to them
  std::vector<Step> steps_;
  std::vector<GraphRun> graphs_;
  std::vector<NamedRange> ranges_, ranges_of_graphs_;  // without graphs, and with them
  std::vector<bool> used_by_device_;                   // by root
  std::unordered_map<const std::byte*, int> pending_;  // watched buffers: mark of their last use
  // After the queues: fresh memory goes before those that may still work on it.
  std::optional<BoundStages> stages_;
};

}  // namespace normbench
