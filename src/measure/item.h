/// An item of a case: a batch on its way through the stages, with its buffers, names, waits and
/// graphs. One iteration after the other is one item again and again; in flight there are several.
#pragma once

#include <deque>
#include <unordered_map>

#include "measure/case_buffers.h"
#include "measure/saved_files.h"
#include "measure/submission.h"
#include "record/recorder.h"

namespace normbench {

/// What a range says: a label, and its name for the item that is under way.
struct RangeName {
  std::string_view label, name;
};

/// A range around stages.
struct NamedRange {
  const RangeName* name = nullptr;
  std::size_t first = 0, last = 0;  // stages
};

/// What is submitted at once: one stage, or several that are launched as one graph.
struct Submission {
  std::size_t first = 0, last = 0;  // stages
  const RangeName* name = nullptr;
  std::int64_t bytes = 0;     // that it moves
  GraphRun* graph = nullptr;  // null: one stage
};

/// One thread at a time may use an item; several items of a case may be used on several threads.
class Item {
 public:
  /// Prepares the kernels. `buffers` must outlive it. `seat` counts the items in flight: it is in
  /// the names of the files that are saved. `device` is the device's queue of a case that runs one
  /// iteration after the other, or null.
  Item(const Case& planned, const CaseBuffers& buffers, GroupMemory& memory,
       const Backends& backends, Recorder& recorder, Queue* device, std::size_t seat = 0);
  /// Waits for a device that may still work on it.
  ~Item();
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;

  const std::size_t seat;
  std::int64_t number = 0;  // counted from 0 in every turn
  // What an engine with lanes notes of it: the next visit, the items that it was so far, by which
  // its buffers go, and its NVTX range while a tool is attached.
  std::size_t visit = 0, round = 0;
  std::uint64_t range = 0;

  /// In lanes: becomes the item of this number on these buffers, once a device is done with the one
  /// before.
  void begin(std::int64_t its_number, const BufferSlots& buffers);
  /// In lanes: frees what it has fresh, unless a device may still work on it.
  void finish();

  // Buffers:
  const BufferSlots& used() const { return used_; }
  void use(const BufferSlots& buffers) { used_ = buffers; }
  /// Keeps these slots in the buffers used now, whatever use() is told later; all others follow
  /// use().
  void hold(std::span<const std::size_t> slots);
  /// Allocates the fresh device memory of a stage that is kept back when it is freed, so that the
  /// first iterations find as much of it as all later ones do.
  void make_rotation(std::size_t stage, Queue& queue);
  /// Allocates what the stage makes fresh; fills it with `poison` where that is given.
  void allocate_fresh(std::size_t stage, Queue& queue, const std::optional<Poison>& poison) {
    if (!steps_[stage].fresh.empty()) allocate(steps_[stage].fresh, queue, poison);
  }
  /// Frees what no stage after this one uses; outputs only where they are not kept. On a device,
  /// where a pool gives at once what is still in the cache, it frees what the iteration so long ago
  /// had that placed buffers come back, too.
  void free_finished(std::size_t stage, bool keep_outputs) {
    if (!steps_[stage].finished.empty() && frees_early_)
      free_slots(steps_[stage].finished, keep_outputs);
  }
  /// Fills the placed buffers that it uses, and removes the files that it saved. Call when drained.
  void poison(const Poison& poison) const;
  /// Where a slot lies now; nowhere if it is fresh and not allocated.
  std::byte* address(std::size_t slot) const;
  /// What it reads (nothing when the case loads) and writes. A fresh output is there only until it
  /// is freed.
  std::vector<View> inputs() const;
  std::vector<View> outputs() const;
  /// Why a file that it saved is not of its image; "" when all are.
  std::string why_not_saved() const;

  // Names:
  /// The numbered names are those of this iteration from now on; until the first call they have
  /// "{i}". Call it where no time counts: it makes names.
  void number_names(std::int64_t iteration);
  /// All labels of its ranges.
  std::vector<std::string_view> labels() const;
  /// The ranges of the config around its stages; with graphs, around those that are whole.
  std::span<const NamedRange> ranges(bool graphs) const {
    return graphs ? ranges_of_graphs_ : ranges_;
  }

  // Work:
  /// The stage, or the graph that starts with it.
  const Submission& submission(std::size_t stage, bool graphs) const {
    const Step& step = steps_[stage];
    return graphs && step.graph ? *step.graph : step.alone;
  }
  void submit(std::size_t stage, Queue& queue);
  /// Brings the code of the stage's kernels to the queue's device, if it has any.
  void load(std::size_t stage, Queue& queue);
  /// The graph of a run on the buffers that it uses; it is captured the first time.
  Graph& graph_of(GraphRun& run, Queue& queue);
  std::span<GraphRun> graph_runs() { return graphs_; }

  // Waits:
  /// Call before stages are submitted to the queue. Iterations in turn: the host waits for work of
  /// the device on buffers that its own stage uses. In lanes: what is submitted from now on starts
  /// when the item's earlier work on other queues is done, and the host waits for that only if it
  /// does the work itself.
  void wait_before(std::size_t stage, Queue& queue) {
    if (pending_ != nullptr) wait_elsewhere(queue);
    if (!steps_[stage].hazards.waits.empty()) wait_for_uses(steps_[stage].hazards.waits);
  }
  /// Call after stages were submitted to the queue: notes what others will have to wait for. In
  /// lanes only where the item leaves the queue.
  void watch(const Submission& submitted, Queue& queue, bool leaves) {
    if (leaves) mark_end(queue);
    if (has_hazards_) mark_uses(submitted, queue);
  }
  /// True if the stage could start only after the host has waited for a device.
  bool must_wait(std::size_t stage) const;
  /// The mark of its last work on a device that nobody has waited for; the queue is null for none.
  Queue* pending() const { return pending_; }
  int pending_mark() const { return mark_; }
  /// Returns when no device works on it.
  void wait();
  /// All of its work is known to be done.
  void drained() {
    pending_ = nullptr;
    in_use_.clear();
  }

 private:
  struct Step {
    Launch launch;
    std::unique_ptr<SavedFiles> files = {};  // of a stage that saves some
    std::vector<View> in, out;
    View scratch;
    std::vector<std::size_t> fresh, finished;  // slots allocated before the stage, freed after it
    Hazards hazards;
    Submission alone;
    std::optional<Submission> graph = {};  // the run of captured stages that starts here
  };

  void bind(std::size_t stage, GroupMemory& memory);
  const RangeName* add_name(std::string_view label);
  std::vector<NamedRange> named(const std::vector<StageRange>& ranges);
  void allocate(std::span<const std::size_t> slots, Queue& queue,
                const std::optional<Poison>& poison);
  void free_slots(std::span<const std::size_t> slots, bool keep_outputs);
  void wait_elsewhere(Queue& queue);
  void wait_for_uses(std::span<const int> roots);
  void mark_end(Queue& queue);
  void mark_uses(const Submission& submitted, Queue& queue);
  void free(std::size_t slot);
  void free_all();

  const Case& planned_;
  const CaseBuffers& buffers_;
  const Backends& backends_;
  Recorder& recorder_;
  Queue* const device_;
  const bool frees_early_;    // what no later stage uses, and not only when the next item begins
  bool has_hazards_ = false;  // the host waits for single uses of buffers
  std::vector<Step> steps_;
  BufferSlots used_ = {};
  std::vector<std::byte*> held_;                    // by slot; null for all others
  std::vector<std::unique_ptr<Allocation>> fresh_;  // by slot, while they live
  std::size_t rotating_;                            // how many of a slot on a device live on, …
  std::vector<std::deque<std::unique_ptr<Allocation>>> earlier_;  // … the oldest first
  std::vector<bool> used_by_device_;                              // by root

  std::deque<RangeName> names_;  // others point to them
  std::vector<GraphRun> graphs_;
  std::vector<NamedRange> ranges_, ranges_of_graphs_;  // without graphs, and with them

  std::unordered_map<const std::byte*, int> in_use_;  // watched buffers: mark of their last use
  Queue* pending_ = nullptr;                          // in lanes
  int mark_ = 0;
};

}  // namespace normbench
