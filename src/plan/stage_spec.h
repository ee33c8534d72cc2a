/// Reads the text of a stage into a StageSpec, and decides the place and memory of the stage.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/op.h"
#include "plan/variant.h"

namespace normbench {

struct StageSpec {
  Op op;
  std::string label;                // label in the config, else own_label(); "" for a source
  std::vector<std::string> ranges;  // names of the ranges around the stage, outermost first
  std::vector<std::string> as, in;
  OutputPolicy output = OutputPolicy::Reuse;
  std::optional<Memory> memory;
  std::optional<Place> place;
  std::string kernel;    // kernel row (implementation) that the config names; "": none
  std::string lane;      // lane that the config names; "": none
  Json parameters = {};  // the members of the op as written; null if there are none

  std::string name() const { return std::string(name_of(op)); }
};

/// A mistake in a stage, thrown as an exception. `member` is the member with the mistake; "" if the
/// mistake is in the stage as a whole.
struct StageMistake {
  std::string member, text;
};

/// Reads all members of a stage with the op `op`, which must be known. Unknown members are
/// mistakes.
StageSpec read_stage_members(const std::string& op, Reader& reader);

/// Sources and loads whose files were found, by the text of their stage. For equal texts, the files
/// are searched for only once.
using ResolvedOps = std::map<std::string, Op>;

/// Reads a stage and finds its files. Mistakes go to `issues`. After a mistake, returns the stage
/// if later stages can still be checked with it, and otherwise nothing.
std::optional<StageSpec> read_stage(const StageText& text, const Paths& paths,
                                    ResolvedOps& resolved, std::vector<Issue>& issues);

/// Returns the place of a stage, by the first rule that applies:
/// - no inputs: the CPU;
/// - a call of the CUDA runtime: the GPU;
/// - `spec.place` is set: that place;
/// - otherwise the GPU if the first input is in device memory, else the CPU.
/// Throws StageMistake if the op cannot run at `spec.place`, or if an input is in memory that the
/// place cannot reach.
Place place_of(const StageSpec& spec, std::span<const TensorDesc> in);

/// Returns the memory kind of the outputs: `spec.memory` if it is set, else device memory for a
/// kernel on the GPU, else `inferred`, the kind that infer() returned. Throws StageMistake if the
/// stage cannot write `spec.memory`.
Memory output_memory(const StageSpec& spec, Place place, Memory inferred);

/// Throws StageMistake if the op or the memory kind does not allow the output policy `spec.output`.
void check_policy(const StageSpec& spec, Memory memory);

/// Throws StageMistake if the stage may not write its output over its input.
void check_in_place(const Op& op, const TensorDesc& in, const TensorDesc& out);

}  // namespace normbench
