/// A pipeline in this process, or a part of one, that takes turns in a group.
#pragma once

#include "measure/cold_files.h"
#include "measure/contender.h"
#include "measure/pipelines/engine.h"

namespace normbench {

class PipelineContender final : public Contender {
 public:
  /// Holds `checked_items` items of a checked turn to the reference, or all where there are fewer.
  /// Throws std::runtime_error when a kind of memory is not there.
  PipelineContender(const Case& work, GroupMemory& memory, const Backends& backends,
                    Recorder& recorder, Clock& clock, std::mt19937_64& random,
                    std::int64_t checked_items);

  std::int64_t first_call() override;
  void last_call() override;
  CheckOutcome check() override;
  /// Nothing: checked turns hold some of their items to the reference, and compare all.
  std::optional<CheckOutcome> check_recent(std::mt19937_64&) override { return std::nullopt; }
  TurnShape shape_of_turns(double clock_cost_ns) override;
  Turn take_turn(const TurnShape& shape, std::mt19937_64& random) override;

 private:
  /// What an item started from and gave.
  struct Item {
    const std::byte* input = nullptr;  // its first one; null: it loads
    std::size_t hash = 0;              // of all outputs
  };
  /// The outputs of an item, copied when it was done.
  struct Kept {
    std::int64_t item;
    std::vector<View> inputs;
    std::vector<std::vector<std::byte>> outputs;
    std::string wrong_file = {};
  };

  void run_checked(std::int64_t items, std::byte poison);
  void keep(Flight& flight);
  void compare_items();

  const Backends& backends_;
  Clock& clock_;
  ColdFiles cold_files_;
  Engine engine_;
  std::mutex mutex_;                  // items are done on any thread
  std::vector<Kept> kept_;            // of some items of a checked turn, the first and the last too
  std::vector<std::int64_t> chosen_;  // which, in order
  std::vector<Item> items_;           // all
  std::mt19937_64 random_;
  std::int64_t checked_items_;
  // Two items that gave different outputs from the same input.
  std::optional<std::pair<std::int64_t, std::int64_t>> unlike_;
};

}  // namespace normbench
