/// Connects the stages of a case (one variant at one point of a sweep). Decides which tensors each
/// stage reads and writes, where it runs, its kernel, and its buffers.
#pragma once

#include "plan/case.h"
#include "plan/stage_spec.h"

namespace normbench {

/// Builds a case stage by stage. A value is a tensor: an input of the case, or an output of a
/// stage. add() connects a stage to earlier values, and decides its place (CPU or GPU), its outputs
/// and its kernel. If a peer (an external program) runs the case, its stages have no kernel. add()
/// throws StageMistake or Invalid.
class Wiring {
 public:
  explicit Wiring(const Backends& backends, bool for_peer = false)
      : backends_(backends), for_peer_(for_peer) {}

  void add(const StageSpec& spec);
  /// Adds the named outputs of the stages of `setup` as inputs of this case. Call it after add() of
  /// the last source. Throws StageMistake if `setup` has no named outputs.
  void add_inputs_of(Wiring setup);
  /// Sets the outputs of the case by name. If `names` is empty, take() uses the first output of the
  /// last stage. Throws Invalid if a name is unknown, repeated, or the name of an input.
  void set_outputs(const std::vector<std::string>& names);
  /// Marks the case as skipped for `reason`. Does nothing if `reason` is empty or if the case is
  /// skipped already.
  void skip(Skip kind, const std::optional<std::string>& reason);
  Case take();

 private:
  void add_source(const StageSpec& spec);
  void add_input(Input input);
  /// Sets the kernel row (an implementation of the op) and the cost of the stage. Skips the case if
  /// the op has no kernel rows for the stage's place. Throws StageMistake if no row accepts the
  /// stage.
  void choose_kernel(Stage& stage);
  /// Corrects the cost of a stage whose GPU kernel accesses host memory directly: subtracts the
  /// bytes of these accesses from `read_bytes` and `written_bytes`, and adds them to `link_bytes`.
  /// Not called for transfers, whose cost has `link_bytes` already.
  void count_link(Stage& stage) const;
  /// Returns true if a GPU kernel that reads the value reads it over the link, because the value is
  /// in host memory. Managed memory counts as host memory only if a stage on the CPU wrote the
  /// value last.
  bool is_beyond_link(int value) const;
  std::vector<int> inputs(const StageSpec& spec) const;
  int input_named(const std::string& name) const;
  std::vector<std::string> known_names() const;
  void check_input(int input) const;
  void check_registration(const StageSpec& spec, const std::vector<int>& in) const;
  /// Returns the memory kind of the stage's output. For `unregister`, this is the kind that the
  /// memory had before it was registered. For any other op, it is `inferred`, the kind that infer()
  /// returned.
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
