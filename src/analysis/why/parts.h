/// Which resource a case spends its time on, and how much a faster other one could gain.
#pragma once

#include "document/results.h"

namespace normbench {

enum class Resource { Decode, Reading, Link, Pinning, Gpu, Cpu };

/// The part that one resource has in a case.
struct ResourceShare {
  Resource resource;
  std::vector<std::string> stages = {};  // labels
  double share = 0;                      // of the case's time
};

/// The parts of a case by resource, the largest first; empty when times were not attributed.
std::vector<ResourceShare> parts(const CaseResult& result);

/// Amdahl's law: a faster `other` can gain no more than the time that is not `part`.
struct Gain {
  ResourceShare part;
  Resource other;  // the largest part of another resource
};

/// The gain for this part; nothing when the case has only one resource, or not this one.
std::optional<Gain> gain_beside(const CaseResult& result, Resource resource);

/// True for a stage that page-locks memory, or copies into page-locked memory.
bool page_locks(const StageResult& stage);

}  // namespace normbench
