/// What an image costs besides time.
#pragma once

#include <optional>
#include <string>

#include "document/results.h"

namespace normbench {

/// CPU seconds of all threads of the process: the median of the rounds. Nothing for a case without
/// rounds.
std::optional<double> cpu_seconds_per_image(const CaseResult& result);

/// What was counted over the steps of a case's profile; nothing where it was not read.
struct Counted {
  std::optional<double> instructions_per_cycle;
  std::optional<double> cycles, cache_misses, joules;  // per image
};
Counted counted_per_image(const CaseResult& result, const CaseProfile& profile);

/// The profile of a variant, or null.
const CaseProfile* find_profile(const GroupResult& group, const std::string& variant);

}  // namespace normbench
