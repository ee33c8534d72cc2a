/// A stage as its typed self: the op and what every stage may say beside its op's parameters.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
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

}  // namespace normbench
