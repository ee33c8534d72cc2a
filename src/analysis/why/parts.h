/// Which resource a case's time goes to, and what a faster other one could gain at most.
#pragma once

#include "document/results.h"

namespace normbench {

enum class Resource { Decode, Reading, Link, Pinning, Gpu, Cpu };

/// What one resource does for a case.
struct ResourceShare {
  Resource resource;
  std::vector<std::string> stages = {};  // labels
  double share = 0;                      // of the case's time
};

/// The stages of a case by resource, the largest part first; empty when times were not attributed.
std::vector<ResourceShare> parts(const CaseResult& result);

/// Amdahl's law: what is not `part` is all that a faster `other` could gain.
struct Gain {
  ResourceShare part;
  Resource other;  // the largest part of another resource
};

/// Nothing when the case has one resource only, or not that one.
std::optional<Gain> gain_beside(const CaseResult& result, Resource resource);

/// True for a stage that page-locks memory, or copies into memory that is.
bool page_locks(const StageResult& stage);

}  // namespace normbench
