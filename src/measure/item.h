/// An item is a batch on its way through the stages of a case. It has the buffers, range names,
/// waits and graphs for this batch. A case without a pipeline uses a single item for all
/// iterations. A pipeline has several items in flight.
#pragma once

#include <deque>
#include <unordered_map>

#include "measure/case_buffers.h"
#include "measure/saved_files.h"
#include "measure/submission.h"
#include "record/recorder.h"

namespace normbench {

/// The name of a range. `label` may contain "{i}". In `name`, the number of the present item
/// replaces "{i}".
struct RangeName {
  std::string_view label, name;
};

/// A profiling range that the config puts around successive stages.
struct NamedRange {
  const RangeName* name = nullptr;
  std::size_t first = 0, last = 0;  // indices of stages, both included
};

/// Work that is submitted at once: one stage, or successive stages that are launched as one graph.
struct Submission {
  std::size_t first = 0, last = 0;  // indices of stages, both included
  const RangeName* name = nullptr;
  std::int64_t bytes = 0;     // bytes that the work moves
  GraphRun* graph = nullptr;  // null: one stage, without a graph
};

/// One thread at a time may use an item. Different threads may use different items of a case.
class Item {
 public:
  /// Prepares the kernels. `buffers` must outlive the item. `seat` is the index of the item among
  /// the items in flight, from 0; the names of saved files contain it. `device` is the queue of the
  /// device, or null for a pipeline or without a device.
  Item(const Case& planned, const CaseBuffers& buffers, GroupMemory& memory,
       const Backends& backends, Recorder& recorder, Queue* device, std::size_t seat = 0);
  /// Waits until no device works on the item.
  ~Item();
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;

  const std::size_t seat;
  // The number of the item. For a pipeline, it counts from 0 in every turn; for other cases, from
  // EngineOptions::first.
  std::int64_t number = 0;
  // For a pipeline, the engine sets these members. `visit`: the index of the next visit
  // (consecutive stages in one lane). `round`: how often the item was started; it chooses the
  // buffers. `range`: the id of the item's NVTX range; 0 if no tool is attached.
  std::size_t visit = 0, round = 0;
  std::uint64_t range = 0;

  /// For a pipeline: waits until the device has finished the previous item. Then starts item
  /// `its_number` on these buffers.
  void begin(std::int64_t its_number, const BufferSlots& buffers);
  /// For a pipeline: frees the fresh buffers. If the case uses a device, the next begin() frees
  /// them instead, after the device has finished. In a part of a pipeline, they are not freed.
  void finish();

  // Buffers:
  const BufferSlots& used() const { return used_; }
  void use(const BufferSlots& buffers) { used_ = buffers; }
  /// Fixes these slots at their present addresses, so that use() does not change them any more.
  /// use() still changes all other slots.
  void hold(std::span<const std::size_t> slots);
  /// Allocates as many device buffers for the stage as free_finished() will later keep. So the
  /// first iterations find as much device memory in use as later ones. Call it before the first
  /// iteration.
  void make_rotation(std::size_t stage, Queue& queue);
  /// Allocates the fresh buffers of the stage, and fills them with `poison` if it is set.
  void allocate_fresh(std::size_t stage, Queue& queue, const std::optional<Poison>& poison) {
    if (!steps_[stage].fresh.empty()) allocate(steps_[stage].fresh, queue, poison);
  }
  /// Frees the fresh buffers that no later stage uses. With `keep_outputs`, outputs are not freed.
  /// Host memory is freed at once. Device memory is kept until the item has used all of its other
  /// buffer sets. If it were freed at once, the memory pool of the device would reuse it while it
  /// is still in the cache. When a slot keeps one buffer too many, its oldest kept buffer is freed.
  void free_finished(std::size_t stage, bool keep_outputs) {
    if (!steps_[stage].finished.empty() && frees_early_)
      free_slots(steps_[stage].finished, keep_outputs);
  }
  /// Poisons the placed buffers of the item, and removes the files that it saved. Call it only
  /// while no work is in flight.
  void poison(const Poison& poison) const;
  /// Returns the present address of a slot. The address is invalid if the slot is fresh and its
  /// memory is not allocated now.
  std::byte* address(std::size_t slot) const;
  /// Return views of the inputs (none if the case loads files) and of the outputs, at their present
  /// addresses. The view of a fresh output is valid only until the output is freed.
  std::vector<View> inputs() const;
  std::vector<View> outputs() const;
  /// Returns why one of the saved files does not contain its image, or "" if all of them do.
  std::string why_not_saved() const;

  // Names:
  /// Replaces "{i}" in the names of ranges by this number. Names contain "{i}" until the first
  /// call. For a pipeline with ranges, this call is within the timed part of a turn.
  void number_names(std::int64_t iteration);
  std::vector<std::string_view> labels() const;
  /// Returns the ranges of the config around stages. With `graphs`, a range contains all stages of
  /// a graph or none of them: stages that share a graph with stages outside of the range are left
  /// out.
  std::span<const NamedRange> ranges(bool graphs) const {
    return graphs ? ranges_of_graphs_ : ranges_;
  }

  // Work:
  /// Returns the work to submit for this stage. With `graphs`, this is the graph that starts with
  /// the stage, if there is one. Otherwise it is the stage alone.
  const Submission& submission(std::size_t stage, bool graphs) const {
    const Step& step = steps_[stage];
    return graphs && step.graph ? *step.graph : step.alone;
  }
  void submit(std::size_t stage, Queue& queue);
  /// Loads the code of the kernels of this stage onto the device of the queue, if the kernel
  /// supports it (Kernel::loads).
  void load(std::size_t stage, Queue& queue);
  /// Returns the graph of `run` for the present buffers of the item. Captures it if it does not
  /// exist yet.
  Graph& graph_of(GraphRun& run, Queue& queue);
  std::span<GraphRun> graph_runs() { return graphs_; }

  // Waits:
  /// Call it before a stage is submitted to the queue.
  /// - Without a pipeline: if the stage runs on the host, the host waits until the device has
  ///   finished with the buffers of the stage.
  /// - For a pipeline: work that is submitted to the queue after this call starts only after the
  ///   earlier work of the item on other queues. The host waits for the earlier work only if the
  ///   stage runs on the host.
  void wait_before(std::size_t stage, Queue& queue) {
    if (pending_ != nullptr) wait_elsewhere(queue);
    if (!steps_[stage].hazards.waits.empty()) wait_for_uses(steps_[stage].hazards.waits);
  }
  /// Call it after stages were submitted to the queue. Marks the work for which later stages must
  /// wait. `leaves`: for a pipeline, true if the next stage of the item is on another queue.
  void watch(const Submission& submitted, Queue& queue, bool leaves) {
    if (leaves) mark_end(queue);
    if (has_hazards_) mark_uses(submitted, queue);
  }
  /// Returns true if the host must wait for a device before the stage can start.
  bool must_wait(std::size_t stage) const;
  /// Return the queue of the item's last device work, and the mark after that work. The queue is
  /// null if there is no such work, or if something has already waited for it.
  Queue* pending() const { return pending_; }
  int pending_mark() const { return mark_; }
  /// Waits until no device works on the item.
  void wait();
  /// Forgets the marks that nothing has waited for. Call it when all work of the item is known to
  /// be done.
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
    // The slots that are allocated before the stage, and the slots that are freed after it.
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
  // True: a fresh buffer is freed after the last stage that uses it. False: only when the next item
  // begins.
  const bool frees_early_;
  bool has_hazards_ = false;  // true: a host stage must wait for the device
  std::vector<Step> steps_;
  BufferSlots used_ = {};
  std::vector<std::byte*> held_;                    // by slot: fixed address; null: not fixed
  std::vector<std::unique_ptr<Allocation>> fresh_;  // by fresh slot: its memory; null: none now
  std::size_t rotating_;  // number of freed buffers that each fresh device slot keeps
  // By slot: the freed buffers that are kept, oldest first.
  std::vector<std::deque<std::unique_ptr<Allocation>>> earlier_;
  std::vector<bool> used_by_device_;  // by root slot: a device stage uses it

  std::deque<RangeName> names_;  // a deque, since pointers to elements are kept
  std::vector<GraphRun> graphs_;
  std::vector<NamedRange> ranges_, ranges_of_graphs_;  // see ranges(): without, and with graphs

  // By address of a watched buffer: the mark after its last use.
  std::unordered_map<const std::byte*, int> in_use_;
  Queue* pending_ = nullptr;  // queue of the last device work; only for a pipeline
  int mark_ = 0;              // mark after the work in `pending_`
};

}  // namespace normbench
