/// Which resource a case's time goes to, and what a faster other one could gain at most.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// What one resource does for a case.
struct ResourceShare {
  std::string resource;  // "link", "CPU", "GPU", "decode", "pinning"
  std::string work;      // "the copy", "sub and div"
  double share = 0;      // of the case's time
};

/// The stages of a case by resource, the largest part first; empty when times were not attributed.
std::vector<ResourceShare> parts(const CaseResult& result);

/// Amdahl's law for the part `resource`: "91 % of its time is the copy, so a faster kernel gains at
/// most 9 %." Nothing when the case has one resource only, or not that one.
std::optional<std::string> gain_at_most(const CaseResult& result, const std::string& resource);

}  // namespace normbench
