/// What takes turns in a group: a case in this process, or one in a peer.
#pragma once

#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>

#include "measure/check.h"
#include "measure/turn.h"

namespace normbench {

/// A contender cannot run here, through no fault of its own: it is skipped for this reason.
struct CannotRunHere : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The run was interrupted in the middle of it.
struct CutShort : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Abstract so that a group need not know where its contenders run. Calls throw std::runtime_error
/// for a failure, or one of the two above.
class Contender {
 public:
  virtual ~Contender() = default;
  /// One iteration, the first of all and without a warm-up; a device has the code of its kernels
  /// before. Returns its time.
  virtual std::int64_t first_call() = 0;
  /// Runs one more iteration after the last turn where that leaves no output to check.
  virtual void last_call() = 0;
  /// Holds the output of the first call, or of the last one, to the reference. Without a reference
  /// the outcome holds that output.
  virtual CheckOutcome check() = 0;
  /// Checks one drawn image of a call drawn from those whose outputs the latest turn left; where
  /// outputs are freed, of the last call or of one more. The first time it checks the call after
  /// that too. Nothing where the checks of first and last calls say as much.
  virtual std::optional<CheckOutcome> check_recent(std::mt19937_64& random) = 0;
  /// Warms up and decides how its turns run.
  virtual TurnShape shape_of_turns(double clock_cost_ns) = 0;
  virtual Turn take_turn(const TurnShape& shape, std::mt19937_64& random) = 0;
};

/// Runs one iteration, `item` of a turn, on poisoned buffers and returns its time; fresh buffers
/// are poisoned only where that is no part of what is timed.
std::int64_t poisoned_iteration(Engine& engine, const Poison& poison, bool poison_fresh,
                                std::int64_t item = 0);

/// One image of the batch, drawn.
ImageRange drawn_image(const Case& planned, std::mt19937_64& random);

/// Writes the tensor as a .npy file, wherever it lies. Throws CannotWrite.
void write_array(const std::string& path, View view, const Backends& backends);

/// A case in this process: one iteration after the other, or a pipeline, or a part of one.
class CaseContender final : public Contender {
 public:
  /// A checked turn of a pipeline holds `checked_items` of its items to the reference, or all where
  /// there are fewer, and compares all with one another. Throws std::runtime_error when a kind of
  /// memory is not there.
  CaseContender(const Case& planned, GroupMemory& memory, const Backends& backends,
                Recorder& recorder, Clock& clock, std::mt19937_64& random,
                std::int64_t checked_items);

  std::int64_t first_call() override;
  void last_call() override;
  CheckOutcome check() override;
  /// Nothing for a pipeline.
  std::optional<CheckOutcome> check_recent(std::mt19937_64& random) override;
  TurnShape shape_of_turns(double clock_cost_ns) override;
  Turn take_turn(const TurnShape& shape, std::mt19937_64& random) override;

 private:
  /// Copies of outputs: of an item of a pipeline when it was done, or of one image of an iteration
  /// that frees them.
  struct Kept {
    std::int64_t item = 0;
    ImageRange image = {};  // empty: all
    std::vector<View> inputs = {};
    std::vector<std::vector<std::byte>> outputs = {};
    std::string wrong_file = {};
  };
  /// What an item of a pipeline started from and gave.
  struct Given {
    const std::byte* input = nullptr;  // its first one; null: it loads
    std::size_t hash = 0;              // of all outputs
  };

  const Case& planned() const { return engine_.planned(); }
  CheckOutcome check_kept(const Kept& kept, std::optional<ImageRange> only) const;

  void keep_an_image(std::mt19937_64& random);
  CheckOutcome check_image(ImageRange image);
  CheckOutcome check_one_more(std::mt19937_64& random);

  void run_checked(std::int64_t items, std::byte poison);
  void keep(Item& item);
  void compare_items();
  CheckOutcome check_items();

  const Backends& backends_;
  std::mt19937_64 random_;  // for checks of a pipeline
  Engine engine_;

  // One iteration after the other:
  std::int64_t last_item_ = 0;  // of the latest turn
  std::int64_t checked_ = 0;    // the item whose output is there
  bool keeps_images_;           // of the last call of a turn that is looked at
  Kept kept_image_ = {};
  int drawn_ = 0;  // turns so far

  // A pipeline:
  std::mutex mutex_;                  // items are done on any thread
  std::vector<Kept> kept_;            // of some items of a checked turn, the first and the last too
  std::vector<std::int64_t> chosen_;  // which, in order
  std::vector<Given> given_;          // by all
  std::int64_t checked_items_;
  // Two items that gave different outputs from the same input.
  std::optional<std::pair<std::int64_t, std::int64_t>> unlike_;
};

}  // namespace normbench
