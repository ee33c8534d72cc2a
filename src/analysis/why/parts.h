/// The share of each resource in a case's time, and what a faster resource could gain.
#pragma once

#include "document/results.h"

namespace normbench {

enum class Resource { Decode, Reading, Link, Pinning, Gpu, Cpu };

/// The stages of a case that use one resource, and their time.
struct ResourceShare {
  Resource resource;
  std::vector<std::string> stages = {};  // labels of the stages
  double share = 0;                      // share of the case's time; may exceed 1 if stages overlap
};

/// Returns the shares of a case by resource, the largest first; empty if the stages have no times.
std::vector<ResourceShare> parts(const CaseResult& result);

/// The limit of what a faster resource can gain, by Amdahl's law. However much faster `other`
/// becomes, the time of `part` remains.
struct Gain {
  ResourceShare part;
  Resource other;  // the largest of the other resources
};

/// Returns the Gain whose `part` is about `resource`. Returns nothing if the case does not use this
/// resource, or uses no other.
std::optional<Gain> gain_beside(const CaseResult& result, Resource resource);

/// Returns true for a stage that page-locks memory or copies into page-locked memory.
bool page_locks(const StageResult& stage);

}  // namespace normbench
