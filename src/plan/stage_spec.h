/// A stage as a type: the op, what every stage may say, and its place and memory by these.
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
  std::string label;                // the config's, else own_label(); "" for a source
  std::vector<std::string> ranges;  // the names of those around it, outermost first
  std::vector<std::string> as, in;
  OutputPolicy output = OutputPolicy::Reuse;
  std::optional<Memory> memory;
  std::optional<Place> place;
  std::string kernel;    // "": the default row
  std::string lane;      // "": its engine's
  Json parameters = {};  // the op's own members, as written; null for none

  std::string name() const { return std::string(name_of(op)); }
};

/// A mistake in a member of a stage; with member "", in the stage as a whole.
struct StageMistake {
  std::string member, text;
};

/// Reads every member of a stage. `op` must exist. Unknown keys are mistakes.
StageSpec read_stage_members(const std::string& op, Reader& reader);

/// The sources and loads whose files were found, by their text, so that files are searched once.
using ResolvedOps = std::map<std::string, Op>;

/// Reads a stage and finds its files; nothing if its mistakes would make later stages look wrong.
std::optional<StageSpec> read_stage(const StageText& text, const Paths& paths,
                                    ResolvedOps& resolved, std::vector<Issue>& issues);

/// The place of a stage: cuda for calls of the CUDA runtime, else `spec.place`, which by default is
/// the GPU for device memory and else the CPU. Throws StageMistake where an input is out of reach.
Place place_of(const StageSpec& spec, std::span<const TensorDesc> in);

/// The memory kind of the outputs: `spec.memory`; by default device for a kernel on the GPU, else
/// `inferred` (by the op). Throws StageMistake where the stage cannot write it.
Memory output_memory(const StageSpec& spec, Place place, Memory inferred);

/// Throws StageMistake unless `spec.output` fits the op and the memory.
void check_policy(const StageSpec& spec, Memory memory);

/// Throws StageMistake unless the stage may write its output over its input.
void check_in_place(const Op& op, const TensorDesc& in, const TensorDesc& out);

}  // namespace normbench
