/// Connects the stages that were read: decides the values, places, kernels and buffers of a case.
#pragma once

#include "plan/case.h"
#include "plan/stage_spec.h"

namespace normbench {

/// Puts a case together. `add` connects a stage to earlier values and decides its place, outputs
/// and kernel (a peer's stage has none); it throws StageMistake or Invalid.
class Wiring {
 public:
  explicit Wiring(const Backends& backends, bool for_peer = false)
      : backends_(backends), for_peer_(for_peer) {}

  void add(const StageSpec& spec);
  /// Adds the named values that the stages of `setup` give as inputs. Call it after the sources.
  void add_inputs_of(Wiring setup);
  /// Names the outputs; by default the first one of the last stage. Throws Invalid.
  void set_outputs(const std::vector<std::string>& names);
  /// Says why the case cannot run here. Only the first reason counts.
  void skip(Skip kind, const std::optional<std::string>& reason);
  Case take();

 private:
  void add_source(const StageSpec& spec);
  void add_input(Input input);
  /// Sets the stage's row and cost. Skips the case where the op has no row. Throws when none fits.
  void choose_kernel(Stage& stage);
  /// What a stage on the GPU, no transfer, reads and writes in host memory crosses the link.
  void count_link(Stage& stage) const;
  /// True if a kernel reaches the value over the link only. Managed pages are on the GPU, but where
  /// the host has just written them.
  bool is_beyond_link(int value) const;
  std::vector<int> inputs(const StageSpec& spec) const;
  int input_named(const std::string& name) const;
  std::vector<std::string> known_names() const;
  void check_input(int input) const;
  void check_registration(const StageSpec& spec, const std::vector<int>& in) const;
  /// The memory kind that the op infers; for unregister the kind before register.
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
