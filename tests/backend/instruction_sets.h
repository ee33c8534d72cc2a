/// Every instruction set that the rows are compiled for and this machine has, one after the other.
#pragma once

#include <hwy/targets.h>

#include <functional>
#include <string>
#include <vector>

namespace normbench {

inline std::vector<std::int64_t> instruction_sets() {
  hwy::SetSupportedTargetsForTest(0);
  return hwy::SupportedAndGeneratedTargets();
}

/// While it lives, rows prepared on this machine use this instruction set.
class ForcedInstructionSet {
 public:
  explicit ForcedInstructionSet(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  ~ForcedInstructionSet() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  ForcedInstructionSet(const ForcedInstructionSet&) = delete;
  ForcedInstructionSet& operator=(const ForcedInstructionSet&) = delete;
};

}  // namespace normbench
