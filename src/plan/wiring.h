/// Values and stages of a case, one stage after another.
#pragma once

#include <map>
#include <string>

#include "plan/plan.h"
#include "plan/stage_spec.h"

namespace normbench {

/// Puts a case together. Each `add` connects a stage to the values before it, decides its place,
/// its outputs and its kernel, and throws StageMistake or Invalid where it cannot be. The stages of
/// a peer's case have no kernel of ours.
class Wiring {
 public:
  explicit Wiring(const Backends& backends, bool for_peer = false)
      : backends_(backends), for_peer_(for_peer) {}

  void add(const StageSpec& spec);
  /// Notes why the case cannot run here; the first reason counts.
  void skip(const std::optional<std::string>& reason);
  Case take() { return std::move(case_); }

 private:
  void start(const StageSpec& spec);
  /// The row that runs the stage and what it costs; skips where there is none. A forced row that
  /// does not fit is a mistake, and so are rows of which none does.
  void choose_kernel(Stage& stage);
  std::vector<int> inputs(const StageSpec& spec) const;
  int input_named(const std::string& name) const;
  void check_input(int input) const;
  void check_registration(const StageSpec& spec, const std::vector<int>& in) const;
  /// What the op says of its output's memory, and for unregister what was there before register.
  Memory inferred_memory(const Stage& stage, Memory inferred) const;
  void add_outputs(const StageSpec& spec, Stage& stage);
  void share_buffer(const StageSpec& spec, const Stage& stage);
  void name_value(const std::string& name, int value);
  void skip_without(Memory memory);

  const Backends& backends_;
  const bool for_peer_;
  Case case_;
  std::map<std::string, int> names_;
};

}  // namespace normbench
