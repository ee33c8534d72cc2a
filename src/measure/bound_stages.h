/// The stages of a case with their kernels prepared, launched on the buffers of one iteration.
#pragma once

#include <deque>

#include "measure/case_buffers.h"
#include "measure/saved_files.h"

namespace normbench {

/// One item's hold on the buffers: which set, and the fresh memory that it has by now. Two of a
/// case may be used on two threads at once, each by one thread at a time.
class BoundStages {
 public:
  /// Prepares the kernels. `buffers` must outlive it. `number` is in the names of files that are
  /// saved: those that are used at once have different ones.
  BoundStages(const Case& work, const CaseBuffers& buffers, GroupMemory& memory,
              const Backends& backends, std::size_t number = 0);

  const BufferSlots& used() const { return used_; }
  /// Uses these buffers from now on.
  void use(const BufferSlots& buffers) { used_ = buffers; }

  /// Keeps these slots in the buffers used now, whatever use() is told later; all others follow
  /// use().
  void hold(std::span<const std::size_t> slots);

  /// Allocates the fresh device memory of a stage that free() keeps back, so that the first
  /// iterations find as much of it as all later ones do.
  void make_rotation(std::size_t stage, Queue& queue);
  /// Allocates what the stage makes fresh; fills it with `poison` where that is given.
  void allocate_fresh(std::size_t stage, Queue& queue, std::optional<Poison> poison);
  void submit(std::size_t stage, Queue& queue);
  /// Brings the code of the stage's kernels to the queue's device, if it has any.
  void load(std::size_t stage, Queue& queue);
  /// Slots of fresh memory that no later stage uses.
  const std::vector<std::size_t>& finished(std::size_t stage) const {
    return steps_[stage].finished;
  }
  /// Frees the slot's memory; on a device, where a pool gives at once what is still in the cache,
  /// that of the iteration so long ago that placed buffers come back, too.
  void free(std::size_t slot);
  void free_all();

  /// Where a slot lies now; nowhere if it is fresh and not allocated.
  std::byte* address(std::size_t slot) const;
  /// What an iteration on the used buffers reads (nothing when the case loads) and writes. A fresh
  /// output is there only until it is freed.
  std::vector<View> inputs() const;
  std::vector<View> outputs() const;

  /// Removes the files that were saved.
  void remove_saved() const;
  /// Why a file that the latest item saved is not of its image; "" when all are.
  std::string why_not_saved() const;

 private:
  struct Step {
    Launch launch;
    std::unique_ptr<SavedFiles> files = {};  // of a stage that saves some
    std::vector<View> in, out;
    View scratch;
    std::vector<std::size_t> fresh, finished;  // slots allocated before the stage, freed after it
  };

  const Case& work_;
  const CaseBuffers& buffers_;
  const Backends& backends_;
  std::vector<Step> steps_;
  BufferSlots used_ = {};
  std::vector<std::byte*> held_;                    // by slot; null for all others
  std::vector<std::unique_ptr<Allocation>> fresh_;  // by slot, while they live
  std::size_t rotating_;                            // how many of a slot on a device live on, …
  std::vector<std::deque<std::unique_ptr<Allocation>>> earlier_;  // … the oldest first
};

}  // namespace normbench
