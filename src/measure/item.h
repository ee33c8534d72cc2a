/// An item of a case is a batch on its way through the stages. It has buffers, names, waits and
/// graphs. A case whose iterations run in turn uses a single item for all of them. In lanes, a
/// pipeline has several items in flight.
#pragma once

#include <deque>
#include <unordered_map>

#include "measure/case_buffers.h"
#include "measure/saved_files.h"
#include "measure/submission.h"
#include "record/recorder.h"

namespace normbench {

/// `label` may contain "{i}". `name` is the label with the number of the present item instead.
struct RangeName {
  std::string_view label, name;
};

/// A range around some stages.
struct NamedRange {
  const RangeName* name = nullptr;
  std::size_t first = 0, last = 0;  // stages, both included
};

/// Work that is submitted at once: one stage, or several that are launched as one graph.
struct Submission {
  std::size_t first = 0, last = 0;  // stages, both included
  const RangeName* name = nullptr;
  std::int64_t bytes = 0;     // bytes that the work moves
  GraphRun* graph = nullptr;  // null: a single stage
};

/// One thread at a time may use an item. Different threads may use different items of a case.
class Item {
 public:
  /// Prepares the kernels. `buffers` must outlive the item. `seat` numbers the items in flight from
  /// 0; the names of saved files contain it. `device` is the device's queue if iterations run in
  /// turn, else null.
  Item(const Case& planned, const CaseBuffers& buffers, GroupMemory& memory,
       const Backends& backends, Recorder& recorder, Queue* device, std::size_t seat = 0);
  /// Waits until no device works on the item.
  ~Item();
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;

  const std::size_t seat;
  std::int64_t number = 0;  // counted from 0 in every turn
  // Set by an engine with lanes: the index of the next visit, how often the item was started (this
  // chooses its buffers), and the id of its NVTX range (0 without a tool).
  std::size_t visit = 0, round = 0;
  std::uint64_t range = 0;

  /// In lanes: waits until the device is done with the previous item, then becomes item
  /// `its_number` on these buffers.
  void begin(std::int64_t its_number, const BufferSlots& buffers);
  /// In lanes: frees the fresh buffers, but not if the case uses a device (the next begin() frees
  /// them) or is a part of a pipeline.
  void finish();

  // Buffers:
  const BufferSlots& used() const { return used_; }
  void use(const BufferSlots& buffers) { used_ = buffers; }
  /// Fixes these slots at their present addresses: later calls of use() do not move them. All other
  /// slots still follow use().
  void hold(std::span<const std::size_t> slots);
  /// Call before the first iteration. Allocates the device memory that free_finished() keeps for a
  /// stage, so that the first iterations find as much memory in use as later ones.
  void make_rotation(std::size_t stage, Queue& queue);
  /// Allocates the fresh buffers of the stage, and fills them with `poison` if that is given.
  void allocate_fresh(std::size_t stage, Queue& queue, const std::optional<Poison>& poison) {
    if (!steps_[stage].fresh.empty()) allocate(steps_[stage].fresh, queue, poison);
  }
  /// Frees the fresh buffers that no later stage uses. With `keep_outputs`, outputs are not freed.
  /// Host memory is freed at once. Device memory is kept for one rotation of the buffer sets,
  /// because the device's pool would otherwise reuse it while it is still in the cache. The oldest
  /// kept buffer of the slot is freed instead.
  void free_finished(std::size_t stage, bool keep_outputs) {
    if (!steps_[stage].finished.empty() && frees_early_)
      free_slots(steps_[stage].finished, keep_outputs);
  }
  /// Poisons the item's placed buffers, and removes the files that the item saved. Call only while
  /// no work is in flight.
  void poison(const Poison& poison) const;
  /// Returns the present address of a slot; an invalid address for a fresh slot without memory.
  std::byte* address(std::size_t slot) const;
  /// Views of the inputs (none if the case loads files) and of the outputs, at their present
  /// addresses. A fresh output is valid only until it is freed.
  std::vector<View> inputs() const;
  std::vector<View> outputs() const;
  /// Returns why one of the saved files does not hold its image, or "" if all of them do.
  std::string why_not_saved() const;

  // Names:
  /// Sets the number of the iteration in the names of ranges; before the first call they contain
  /// "{i}". This takes time, which is part of a turn's time in lanes with ranges.
  void number_names(std::int64_t iteration);
  std::vector<std::string_view> labels() const;
  /// The config's ranges around stages. With `graphs`, a range lacks the stages of each graph that
  /// also has stages outside the range.
  std::span<const NamedRange> ranges(bool graphs) const {
    return graphs ? ranges_of_graphs_ : ranges_;
  }

  // Work:
  /// Returns what to submit next: the stage alone, or with `graphs` the graph that starts with it.
  const Submission& submission(std::size_t stage, bool graphs) const {
    const Step& step = steps_[stage];
    return graphs && step.graph ? *step.graph : step.alone;
  }
  void submit(std::size_t stage, Queue& queue);
  /// Loads the code of the stage's kernels onto the queue's device, if the kernel row supports
  /// that.
  void load(std::size_t stage, Queue& queue);
  /// Returns the graph of `run` on the item's present buffers; captures it if there is none yet.
  Graph& graph_of(GraphRun& run, Queue& queue);
  std::span<GraphRun> graph_runs() { return graphs_; }

  // Waits:
  /// Call before a stage is submitted to the queue. In turn, if the stage runs on the host, the
  /// host waits until the device has finished with the stage's buffers. In lanes, work submitted
  /// from now on starts after the item's earlier work on other queues. The host waits for that
  /// earlier work only if the stage runs on the host.
  void wait_before(std::size_t stage, Queue& queue) {
    if (pending_ != nullptr) wait_elsewhere(queue);
    if (!steps_[stage].hazards.waits.empty()) wait_for_uses(steps_[stage].hazards.waits);
  }
  /// Call after stages were submitted to the queue. Marks the work that later stages have to wait
  /// for. `leaves`: in lanes, the item's next stage is on another queue.
  void watch(const Submission& submitted, Queue& queue, bool leaves) {
    if (leaves) mark_end(queue);
    if (has_hazards_) mark_uses(submitted, queue);
  }
  /// True if the host has to wait for a device before the stage can start.
  bool must_wait(std::size_t stage) const;
  /// The queue and mark of the item's last device work that nobody has waited for. The queue is
  /// null if there is none.
  Queue* pending() const { return pending_; }
  int pending_mark() const { return mark_; }
  /// Waits until no device works on the item.
  void wait();
  /// Call when all work of the item is known to be done: forgets marks that were not waited for.
  void drained() {
    pending_ = nullptr;
    in_use_.clear();
  }

 private:
  struct Step {
    Launch launch;
    std::unique_ptr<SavedFiles> files = {};  // null: the stage saves no files
    std::vector<View> in, out;
    View scratch;
    // Slots that are allocated before the stage, and slots that are freed after it.
    std::vector<std::size_t> fresh, finished;
    Hazards hazards;
    Submission alone;
    std::optional<Submission> graph = {};  // the graph that starts with this stage
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
  // Frees buffers after their last stage, not only when the next item begins.
  const bool frees_early_;
  bool has_hazards_ = false;  // some host stage must wait until the device has used a buffer
  std::vector<Step> steps_;
  BufferSlots used_ = {};
  std::vector<std::byte*> held_;                    // fixed addresses, by slot; null: not held
  std::vector<std::unique_ptr<Allocation>> fresh_;  // memory of each slot; null: not allocated
  std::size_t rotating_;  // how many freed buffers of each device slot are kept
  // Freed buffers that are kept, by slot, the oldest first.
  std::vector<std::deque<std::unique_ptr<Allocation>>> earlier_;
  std::vector<bool> used_by_device_;  // for each root slot

  std::deque<RangeName> names_;  // a deque, since pointers to elements are kept
  std::vector<GraphRun> graphs_;
  std::vector<NamedRange> ranges_, ranges_of_graphs_;  // without graphs, and with graphs

  // The mark of the last use of each watched buffer.
  std::unordered_map<const std::byte*, int> in_use_;
  Queue* pending_ = nullptr;  // used only in lanes
  int mark_ = 0;
};

}  // namespace normbench
