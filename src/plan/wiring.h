/// Connects the stages that were read. Decides the values, places, kernels and buffers of a case.
#pragma once

#include "plan/case.h"
#include "plan/stage_spec.h"

namespace normbench {

/// Builds a case stage by stage. `add` connects a stage to earlier values and decides its place,
/// outputs and kernel. A stage that a peer runs has no kernel. `add` throws StageMistake or
/// Invalid.
class Wiring {
 public:
  explicit Wiring(const Backends& backends, bool for_peer = false)
      : backends_(backends), for_peer_(for_peer) {}

  void add(const StageSpec& spec);
  /// Adds as inputs the named values that the stages of `setup` make. Call it after all sources.
  /// Throws StageMistake if there are none.
  void add_inputs_of(Wiring setup);
  /// Sets the outputs of the case by name. Without names the output is the first one of the last
  /// stage. Throws Invalid.
  void set_outputs(const std::vector<std::string>& names);
  /// Marks the case as one that cannot run here. Does nothing if `reason` is empty or the case
  /// already has a reason.
  void skip(Skip kind, const std::optional<std::string>& reason);
  Case take();

 private:
  void add_source(const StageSpec& spec);
  void add_input(Input input);
  /// Sets the stage's kernel row and cost. Skips the case if no row exists for the op. Throws
  /// StageMistake if there are rows but none accepts the stage.
  void choose_kernel(Stage& stage);
  /// Counts the bytes of host memory that a stage on the GPU reads or writes as bytes over the link
  /// instead of bytes read or written. Call it only for stages that are no transfers.
  void count_link(Stage& stage) const;
  /// Returns true if a kernel on the GPU reads the value over the link. Managed pages are on the
  /// GPU, except right after a stage on the host wrote them.
  bool is_beyond_link(int value) const;
  std::vector<int> inputs(const StageSpec& spec) const;
  int input_named(const std::string& name) const;
  std::vector<std::string> known_names() const;
  void check_input(int input) const;
  void check_registration(const StageSpec& spec, const std::vector<int>& in) const;
  /// Returns `inferred`, the kind of memory that the op infers for its output. For an `unregister`,
  /// returns the kind that the memory had before it was registered.
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
