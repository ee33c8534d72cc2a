#include <nlohmann/json.hpp>

#include "plan/plan.h"

namespace normbench {
namespace {

// The approximate number of bytes that each element takes in results.json, measured in documents of
// earlier runs. A contender is a case or a limit. kRoundBytes is for one contender in one round,
// and kStageRoundBytes is what each of its stages adds.
constexpr std::int64_t kHeadBytes = 3000, kGroupBytes = 500, kContenderBytes = 1500,
                       kStageBytes = 800, kProfileBytes = 1600;
constexpr std::int64_t kRoundBytes = 52, kStageRoundBytes = 12;

std::int64_t contender_bytes(const Case& planned, std::int64_t rounds) {
  const auto stages = std::ssize(planned.stages);
  const std::int64_t measured =
      planned.skip ? 0 : rounds * (kRoundBytes + stages * kStageRoundBytes);
  return kContenderBytes + stages * kStageBytes + measured;
}

}  // namespace

std::int64_t document_bytes(const Plan& plan, std::int64_t rounds) {
  std::int64_t bytes = kHeadBytes + std::ssize(plan.about) + std::ssize(plan.config.dump());
  for (const Group& group : plan.groups) {
    bytes += kGroupBytes;
    for (const auto* contenders : {&group.cases, &group.limits})
      for (const Case& planned : *contenders) bytes += contender_bytes(planned, rounds);
    for (const Case& planned : group.cases)
      if (plan.profile.enabled && !planned.skip) bytes += kProfileBytes;
  }
  return bytes;
}

}  // namespace normbench
