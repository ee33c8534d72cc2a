/// A case ready to run: its kernels prepared once, its views bound to a buffer set per iteration.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "measure/group_memory.h"

namespace normbench {

/// What an iteration does besides its work.
struct IterationOptions {
  Recorder* recorder = nullptr;  // records the stages' ranges; null: they reach NVTX only
  bool ranges = false;           // a range around each stage
  Clock* clock = nullptr;        // given: each stage's time is added to `stage_ns`
  std::vector<std::int64_t>* stage_ns = nullptr;
  std::optional<std::byte> poison = {};  // fills fresh buffers before their stage writes them
  bool keep_result = false;              // a fresh result outlives the iteration
};

class Contender {
 public:
  /// Prepares kernels and queues. Throws std::runtime_error when a kind of memory is not there.
  Contender(const Case& work, GroupMemory& memory, const Backends& backends, Recorder& recorder);

  const Case& work() const { return work_; }

  /// Draws where every placed buffer of every set lies from now on.
  void place(std::mt19937_64& random);
  /// Moves on to the next buffer set and the next copy of the source in the group's rotation.
  void advance() { iteration_ = memory_.next_iteration(); }
  /// Fills the placed buffers of this set.
  void poison(std::byte pattern);
  /// Submits one iteration on this set.
  void run(const IterationOptions& options);
  /// Returns when all submitted work is done.
  void drain();

  /// What an iteration on this set reads (nothing when the case loads) and writes. A fresh result
  /// is there only when the last iteration kept it.
  std::optional<View> source() const;
  View result() const;

 private:
  struct Step {
    Launch launch;
    Queue* queue = nullptr;
    std::string_view label;
    std::vector<View> in, out;
    View scratch;
    std::vector<int> fresh, finished;  // slots allocated before the stage, freed after it
  };

  void make_steps(Recorder& recorder);
  void run_stage(std::size_t stage, const IterationOptions& options);
  void allocate_fresh(const Step& step, const IterationOptions& options);
  void free_finished(const Step& step, bool keep_result);
  std::byte* address(std::size_t slot) const;
  int result_index() const { return static_cast<int>(work_.values.size()) - 1; }

  const Case& work_;
  GroupMemory& memory_;
  const Backends& backends_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> roots_;                // of each slot
  std::array<std::unique_ptr<Queue>, 2> queues_;  // by place
  std::vector<Step> steps_;
  std::size_t iteration_ = 0;  // decides the buffer set and the copy of the source
  SourceCopies source_;
  std::vector<std::byte*> addresses_;               // of slot i in set s at s * slots + i
  std::vector<std::unique_ptr<Allocation>> fresh_;  // by slot, while they live
};

}  // namespace normbench
