/// Profilers and checkers of others that this process runs under.
#pragma once

#include <optional>
#include <string>

namespace normbench {

struct AttachedTool {
  std::string name;         // "Nsight Systems"
  bool takes_cupti = true;  // it traces CUDA itself: ours would take its place, or disturb it
};

/// The tool, by the environment that such tools give to what they start; nothing without one, or
/// when NVTX cannot load the one that is asked for.
std::optional<AttachedTool> attached_tool();

/// What a document says of it: "Nsight Systems", "Nsight Systems, measured all the same".
std::string attached_text(const AttachedTool& tool, bool measured);

}  // namespace normbench
