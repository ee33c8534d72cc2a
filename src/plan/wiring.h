/// Connects the stages of a case and decides their values, places, kernels and buffers.
#pragma once

#include "plan/case.h"
#include "plan/stage_spec.h"

namespace normbench {

/// Builds a case stage by stage. add() connects a stage to earlier values and decides its place,
/// outputs and kernel (no kernel for a peer). add() throws StageMistake or Invalid.
class Wiring {
 public:
  explicit Wiring(const Backends& backends, bool for_peer = false)
      : backends_(backends), for_peer_(for_peer) {}

  void add(const StageSpec& spec);
  /// Adds the named outputs of the stages of `setup` as inputs. Call it after all sources. Throws
  /// StageMistake if there are none.
  void add_inputs_of(Wiring setup);
  /// Sets the outputs of the case by name. Without names it is the first output of the last stage.
  /// Throws Invalid.
  void set_outputs(const std::vector<std::string>& names);
  /// Marks the case as skipped, unless `reason` is empty or the case is skipped already.
  void skip(Skip kind, const std::optional<std::string>& reason);
  Case take();

 private:
  void add_source(const StageSpec& spec);
  void add_input(Input input);
  /// Sets the kernel row and cost of the stage. Skips the case if the op has no rows in this place.
  /// Throws StageMistake if no row accepts the stage.
  void choose_kernel(Stage& stage);
  /// Subtracts the bytes of host memory that a stage on the GPU accesses from `read_bytes` and
  /// `written_bytes` of its cost, and adds them to `link_bytes`. Not for transfers.
  void count_link(Stage& stage) const;
  /// Returns true if a GPU kernel reads the value over the link. Managed memory is read there only
  /// if a stage on the CPU wrote it last.
  bool is_beyond_link(int value) const;
  std::vector<int> inputs(const StageSpec& spec) const;
  int input_named(const std::string& name) const;
  std::vector<std::string> known_names() const;
  void check_input(int input) const;
  void check_registration(const StageSpec& spec, const std::vector<int>& in) const;
  /// Returns `inferred`, the memory kind that the op gives its output. For `unregister` returns the
  /// kind of the memory before it was registered.
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
