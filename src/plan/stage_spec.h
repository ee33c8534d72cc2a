/// A stage as a type: the op, what every stage may say, and what follows for its place and memory.
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
  std::string label;                // the config's, or else own_label(); "" of a source
  std::vector<std::string> ranges;  // around it, outermost first
  std::vector<std::string> as, in;
  OutputPolicy output = OutputPolicy::Reuse;
  std::optional<Memory> memory;
  std::optional<Place> place;
  std::string kernel;    // "" for the default row
  std::string lane;      // "" for that of its engine
  Json parameters = {};  // members of the op itself, as written; null for none

  std::string name() const { return std::string(name_of(op)); }
};

/// The name that the member `key` gives, or `fallback`; one that is no label is a mistake.
std::string read_label(Reader& reader, std::string_view key, std::string fallback);

/// A mistake in a member of a stage; "": in the stage as a whole.
struct StageMistake {
  std::string member, text;
};

/// Reads every member of a stage. `op` must exist; unknown keys are mistakes.
StageSpec read_stage_members(const std::string& op, Reader& reader);

/// Sources and loads whose files were found, by their text: files are looked for once.
using ResolvedOps = std::map<std::string, Op>;

/// Reads a stage and finds its files; nothing when its mistakes would make later stages look wrong.
std::optional<StageSpec> read_stage(const StageText& text, const Paths& paths,
                                    ResolvedOps& resolved, std::vector<Issue>& issues);

/// Calls of the CUDA runtime run at place cuda; other stages where `spec.place` says, by default on
/// the GPU for device memory, else on the CPU. Throws StageMistake where inputs are out of reach.
Place place_of(const StageSpec& spec, std::span<const TensorDesc> in);

/// The memory kind of the outputs: `spec.memory`, by default device for a kernel on the GPU, else
/// `inferred` (by the op). Throws StageMistake where the stage cannot write it.
Memory output_memory(const StageSpec& spec, Place place, Memory inferred);

/// Throws StageMistake unless `spec.output` fits the op and the memory.
void check_policy(const StageSpec& spec, Memory memory);

/// Throws StageMistake unless the stage may write its output over its input.
void check_in_place(const Op& op, const TensorDesc& in, const TensorDesc& out);

}  // namespace normbench
