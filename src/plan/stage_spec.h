/// Reads the text of a stage into a StageSpec, and decides its place and memory.
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
  std::string kernel;    // kernel row that the config names; "": none
  std::string lane;      // lane that the config names; "": none
  Json parameters = {};  // the op's own members, as written; null if it has none

  std::string name() const { return std::string(name_of(op)); }
};

/// A mistake in a member of a stage; `member` is "" for the whole stage.
struct StageMistake {
  std::string member, text;
};

/// Reads all members of a stage with the op `op`, which must be known. Unknown members are
/// mistakes.
StageSpec read_stage_members(const std::string& op, Reader& reader);

/// Sources and loads with their files. The key is their text, so files for equal texts are searched
/// for only once.
using ResolvedOps = std::map<std::string, Op>;

/// Reads a stage and finds its files. Mistakes go to `issues`. Returns nothing after a mistake,
/// unless later stages can still be checked in spite of it.
std::optional<StageSpec> read_stage(const StageText& text, const Paths& paths,
                                    ResolvedOps& resolved, std::vector<Issue>& issues);

/// Returns the place of a stage, by the first rule that applies:
/// - no inputs: the CPU;
/// - a call of the CUDA runtime: the GPU;
/// - otherwise `spec.place`;
/// - otherwise the GPU if an input is in device memory, else the CPU.
/// Throws StageMistake if an input is in memory that the place cannot reach.
Place place_of(const StageSpec& spec, std::span<const TensorDesc> in);

/// Returns the memory kind of the outputs: `spec.memory` if it is set, else device memory for a
/// kernel on the GPU, else `inferred`, which comes from the op. Throws StageMistake if the stage
/// cannot write `spec.memory`.
Memory output_memory(const StageSpec& spec, Place place, Memory inferred);

/// Throws StageMistake if `spec.output` does not suit the op or the memory.
void check_policy(const StageSpec& spec, Memory memory);

/// Throws StageMistake if the stage may not write its output over its input.
void check_in_place(const Op& op, const TensorDesc& in, const TensorDesc& out);

}  // namespace normbench
