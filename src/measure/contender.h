/// A contender takes turns in a group of cases that are measured together. It runs its case in this
/// process or in a peer, a process of another program.
#pragma once

#include <mutex>
#include <optional>
#include <random>

#include "measure/check.h"
#include "measure/contender_errors.h"
#include "measure/turn_shape.h"

namespace normbench {

/// Further times of a turn of a pipeline. `fill_ns`: from the start of the turn to the first end of
/// an item. `drain_ns`: from the last start of an item to the end of the turn. `latency_ns`: for
/// each item, the time from its start to its end. `lanes`: the times of each lane; empty if the
/// stages were not timed (TurnShape::marks).
struct FlowTimes {
  std::int64_t fill_ns = 0, drain_ns = 0;
  std::vector<std::int64_t> latency_ns = {};
  std::vector<LaneTimes> lanes = {};
};

struct Turn {
  Round round;  // start_ns is a reading of the clock, not the time since the start of the group
  // By stage: the time of its work, and the time of the host's calls. Both are empty if the stages
  // were not timed (TurnShape::marks).
  std::vector<std::int64_t> stage_ns, calls_ns;
  std::optional<FlowTimes> flow = {};  // set only for a pipeline
};

/// The interface through which a group uses a contender, which runs in this process or in a peer.
/// Every function may throw std::runtime_error on failure, CannotRunHere if the contender cannot
/// run on this machine, and CutShort if the run is interrupted.
class Contender {
 public:
  virtual ~Contender() = default;
  /// Runs the very first iteration, without a warm-up, and returns its time in ns. The code of
  /// kernels is loaded onto a device before that iteration is timed.
  virtual std::int64_t first_call() = 0;
  /// Call it after the last turn. Runs one more iteration (a pipeline: one more turn), so that
  /// check() finds its outputs. A peer runs nothing, because it keeps the outputs of its last turn.
  virtual void last_call() = 0;
  /// Compares the outputs of the latest first_call() or last_call() with the reference. If there is
  /// no reference, the outcome contains the output itself. Once `is_over` returns true, the
  /// remaining values are not compared.
  virtual CheckOutcome check(const std::function<bool()>& is_over = {}) = 0;
  /// Checks a random image of one call:
  /// - If outputs of the latest turn are still in memory, one of the calls that wrote them is
  ///   checked.
  /// - If calls free their outputs, but an image of the last call of the turn was kept, that image
  ///   is checked.
  /// - Otherwise a new call is made and checked.
  /// The first check makes and checks one more call; later checks may do so, too. Returns nothing
  /// if this contender is checked only at its first and last calls.
  virtual std::optional<CheckOutcome> check_recent(std::mt19937_64& random) = 0;
  /// Warms up, and decides how the turns of the contender run. `clock_cost_ns` is the time of one
  /// reading of the clock.
  virtual TurnShape shape_of_turns(double clock_cost_ns) = 0;
  virtual Turn take_turn(const TurnShape& shape, std::mt19937_64& random) = 0;
  /// Returns true if turns can start at any item (`TurnShape::first`). Returns false for a peer
  /// whose turns always start at item 0.
  virtual bool takes_first() const { return true; }
};

/// Prepares a turn: draws new addresses for the buffers, warms up and captures graphs. The
/// preparation is not timed. Then times the iterations from the first submission until all work is
/// done. If `look` is not empty, it is called in the last iteration, when all outputs exist and
/// none has been freed yet. The time of the turn does not include this call.
Turn take_turn(Engine& engine, const TurnShape& shape, std::mt19937_64& random,
               const std::function<void(Item&)>& look = {});

/// Runs iteration `item` of a turn on poisoned buffers (Poison) and returns its time in ns. With
/// `poison_fresh`, fresh buffers are poisoned, too. The time includes the poisoning of fresh
/// buffers, but not that of the other buffers.
std::int64_t poisoned_iteration(Engine& engine, const Poison& poison, bool poison_fresh,
                                std::int64_t item = 0);

/// Draws one image of the batch.
ImageRange drawn_image(const Case& planned, std::mt19937_64& random);

/// Writes a tensor in any kind of memory as a .npy file. Throws CannotWrite.
void write_array(const std::string& path, View view, const Backends& backends);

/// A contender whose case runs in this process: as single iterations, as a pipeline, or as a part
/// of a pipeline.
class CaseContender final : public Contender {
 public:
  /// `checked_items` is used only for a pipeline. It is the number of items of a checked turn that
  /// are compared with the reference; if the turn has fewer items, all are compared. In addition,
  /// all items of that turn with the same input must have the same outputs. Throws
  /// std::runtime_error when a kind of memory cannot be allocated.
  CaseContender(const Case& planned, GroupMemory& memory, const Backends& backends,
                Recorder& recorder, Clock& clock, std::mt19937_64& random,
                std::int64_t checked_items);

  std::int64_t first_call() override;
  void last_call() override;
  CheckOutcome check(const std::function<bool()>& is_over = {}) override;
  /// Returns nothing for a pipeline, because its items are checked in separate turns.
  std::optional<CheckOutcome> check_recent(std::mt19937_64& random) override;
  TurnShape shape_of_turns(double clock_cost_ns) override;
  Turn take_turn(const TurnShape& shape, std::mt19937_64& random) override;

 private:
  /// Copies of outputs: those of a finished item of a pipeline, or one image of an iteration that
  /// frees its outputs.
  struct Kept {
    std::int64_t item = 0;
    ImageRange image = {};  // count 0: all images
    std::vector<View> inputs = {};
    std::vector<std::vector<std::byte>> outputs = {};
    std::string wrong_file = {};  // why a saved file is wrong; "": all files are correct
  };
  /// Identifies the input and the outputs of an item of a pipeline.
  struct Given {
    const std::byte* input = nullptr;  // address of the first input; null if the case loads files
    std::size_t hash = 0;              // hash of all outputs
  };

  const Case& planned() const { return engine_.planned(); }
  CheckOutcome check_kept(const Kept& kept, std::optional<ImageRange> only,
                          const std::function<bool()>& is_over = {}) const;

  void keep_an_image(std::mt19937_64& random);
  CheckOutcome check_image(ImageRange image);
  CheckOutcome check_one_more(std::mt19937_64& random);

  void run_checked(std::int64_t items, std::byte poison);
  void keep(Item& item);
  void compare_items();
  CheckOutcome check_items(const std::function<bool()>& is_over);

  const Backends& backends_;
  std::mt19937_64 random_;  // draws the items and images of a pipeline that are checked
  Engine engine_;

  // For a case without a pipeline:
  std::int64_t last_item_ = 0;  // number of the last iteration of the latest turn
  std::int64_t checked_ = 0;    // number of the iteration whose outputs check() reads
  bool keeps_images_;           // turns with TurnShape::looked_at keep an image of their last call
  Kept kept_image_ = {};
  int drawn_ = 0;  // number of calls of check_recent() so far

  std::int64_t items_;  // number of iterations (a pipeline: items) of the latest turn

  // For a pipeline:
  std::mutex mutex_;        // guards what keep() writes; keep() is called on any thread
  std::vector<Kept> kept_;  // outputs of the chosen items of a checked turn
  // The numbers of the items of a checked turn that are compared with the reference, ascending.
  // They always include the first and the last item.
  std::vector<std::int64_t> chosen_;
  std::vector<Given> given_;  // by number of the item in a checked turn
  std::int64_t checked_items_;
  // The numbers of two items with the same input and different outputs, if there are any.
  std::optional<std::pair<std::int64_t, std::int64_t>> unlike_;
};

}  // namespace normbench
