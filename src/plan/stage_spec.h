/// Reads the text of a stage into a typed StageSpec. Decides the place and memory of a stage.
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
  std::string label;                // the config's label, else own_label(); "" for a source
  std::vector<std::string> ranges;  // names of the ranges around the stage, outermost first
  std::vector<std::string> as, in;
  OutputPolicy output = OutputPolicy::Reuse;
  std::optional<Memory> memory;
  std::optional<Place> place;
  std::string kernel;    // the kernel row that the config names; "" for the default row
  std::string lane;      // the lane that the config names; "" for the engine's
  Json parameters = {};  // the op's own members, as written; null if it has none

  std::string name() const { return std::string(name_of(op)); }
};

/// A mistake in a member of a stage. If `member` is "", the mistake is in the stage as a whole.
struct StageMistake {
  std::string member, text;
};

/// Reads every member of a stage with the op `op`, which must exist. Unknown members are mistakes.
StageSpec read_stage_members(const std::string& op, Reader& reader);

/// Sources and loads whose files were found, by their text. Each set of files is searched once.
using ResolvedOps = std::map<std::string, Op>;

/// Reads a stage and finds its files. Returns nothing if its mistakes would make later stages look
/// wrong. Mistakes go to `issues`.
std::optional<StageSpec> read_stage(const StageText& text, const Paths& paths,
                                    ResolvedOps& resolved, std::vector<Issue>& issues);

/// Returns the place of a stage. It is cuda for calls of the CUDA runtime, and else `spec.place`.
/// If that is not set, it is the GPU for an input in device memory, and the CPU otherwise. Throws
/// StageMistake if an input is in memory that the place cannot reach.
Place place_of(const StageSpec& spec, std::span<const TensorDesc> in);

/// Returns the memory kind of the outputs: `spec.memory`. If that is not set, it is device memory
/// for a kernel on the GPU, and otherwise `inferred`, which the op gives. Throws StageMistake if
/// the stage cannot write `spec.memory`.
Memory output_memory(const StageSpec& spec, Place place, Memory inferred);

/// Throws StageMistake if `spec.output` does not suit the op or the memory.
void check_policy(const StageSpec& spec, Memory memory);

/// Throws StageMistake if the stage may not write its output over its input.
void check_in_place(const Op& op, const TensorDesc& in, const TensorDesc& out);

}  // namespace normbench
