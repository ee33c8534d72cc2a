/// A stage as a type: the op, what every stage may say beside its op's parameters, and what follows
/// from that for its place and its memory.
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
  std::vector<std::string> as, in;
  OutputPolicy output = OutputPolicy::Reuse;
  std::optional<Memory> memory;
  std::optional<Place> place;
  std::string kernel;    // "" for the default row
  Json parameters = {};  // members of the op itself, as written; null for none

  std::string name() const { return std::string(name_of(op)); }
};

/// A mistake in a stage: in which of its members ("" for the stage) and what.
struct StageMistake {
  std::string member, text;
};

/// Reads every member of a stage of the op called `op`, which exists. Unknown keys are mistakes.
StageSpec read_stage_members(const std::string& op, Reader& reader);

/// Sources and loads whose files were found, by what was written: variants that start from the same
/// files share what is known of them.
using ResolvedOps = std::map<std::string, Op>;

/// Reads a stage, with paths resolved. Nothing when its mistakes would make the stages after it
/// look wrong too.
std::optional<StageSpec> read_stage(const StageText& text, const Paths& paths,
                                    ResolvedOps& resolved, std::vector<Issue>& issues);

/// Calls of the CUDA runtime belong to the GPU. Else device memory is worked on by the GPU and host
/// memory by the CPU, unless `spec.place` says otherwise and that place reaches the memory. Throws
/// StageMistake where it does not.
Place place_of(const StageSpec& spec, std::span<const TensorDesc> in);

/// The memory kind of the outputs: what `spec.memory` says where the stage can write it, else
/// device for a kernel on the GPU and `inferred`, what the op says, for all others. Throws
/// StageMistake.
Memory output_memory(const StageSpec& spec, Place place, Memory inferred);

/// Throws StageMistake unless outputs in `memory` can be allocated, or done without, as
/// `spec.output` says.
void check_policy(const StageSpec& spec, Memory memory);

/// Throws StageMistake unless the stage may write its output over its input.
void check_in_place(const Op& op, const TensorDesc& in, const TensorDesc& out);

}  // namespace normbench
