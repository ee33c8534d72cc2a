/// What takes turns in a group: a case in this process, or one in a peer.
#pragma once

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
std::int64_t poisoned_iteration(PreparedCase& prepared, const Poison& poison, bool poison_fresh,
                                Clock& clock, std::int64_t item = 0);

/// One image of the batch, drawn.
ImageRange drawn_image(const Case& work, std::mt19937_64& random);

/// Writes the tensor as a .npy file, wherever it lies. Throws CannotWrite.
void write_array(const std::string& path, View view, const Backends& backends);

/// A case in this process.
class CaseContender final : public Contender {
 public:
  /// Throws std::runtime_error when a kind of memory is not there.
  CaseContender(const Case& work, GroupMemory& memory, const Backends& backends, Recorder& recorder,
                Clock& clock, std::mt19937_64& random);

  std::int64_t first_call() override;
  void last_call() override;
  CheckOutcome check() override;
  std::optional<CheckOutcome> check_recent(std::mt19937_64& random) override;
  TurnShape shape_of_turns(double clock_cost_ns) override;
  Turn take_turn(const TurnShape& shape, std::mt19937_64& random) override;

 private:
  const Backends& backends_;
  Clock& clock_;
  PreparedCase prepared_;
  /// An image of each output of a call that frees them.
  struct Kept {
    ImageRange image;
    std::vector<std::vector<std::byte>> outputs = {};
  };
  void keep_an_image(std::mt19937_64& random);
  CheckOutcome check_image(ImageRange image);
  CheckOutcome check_kept();
  CheckOutcome check_one_more(std::mt19937_64& random);

  std::int64_t last_item_ = 0;  // of the latest turn
  std::int64_t checked_ = 0;    // the item whose output is there
  bool keeps_images_;           // of the last call of a turn that is looked at
  Kept kept_ = {};
  int drawn_ = 0;  // turns so far
};

}  // namespace normbench
