#include "document/held_up.h"

#include <algorithm>

namespace normbench {
namespace {

bool waits_for_files(const StageResult& stage) { return roles_of(stage).files != FileUse::None; }

}  // namespace

bool never_blocks(const CaseResult& result) {
  return result.threads == 1 && result.peer.empty() && !result.pipeline &&
         std::ranges::none_of(result.stages, [](const StageResult& stage) {
           return stage.place != Place::Cpu || waits_for_files(stage);
         });
}

double others_share(const CaseResult& result, const Round& round) {
  if (round.wall_ns <= 0) return 0;
  const bool by_cpu = never_blocks(result) && round.cpu_ns > 0;
  const std::int64_t others_ns =
      by_cpu ? std::max<std::int64_t>(0, round.wall_ns - round.cpu_ns) : round.queued_ns;
  return static_cast<double>(others_ns) / static_cast<double>(round.wall_ns);
}

bool is_held_up(const CaseResult& result, const Round& round, DecidingClock clock) {
  const bool by_device = clock == DecidingClock::Device && round.device_ns > 0;
  return !by_device && others_share(result, round) >= held_up_share;
}

bool is_busy(const CaseResult& result, DecidingClock clock) {
  const auto left_alone = static_cast<std::size_t>(std::ranges::count_if(
      result.rounds, [&](const Round& round) { return !is_held_up(result, round, clock); }));
  if (result.rounds.empty()) return false;
  return left_alone == 0 ||
         (left_alone < fewest_left_alone && result.rounds.size() >= fewest_left_alone);
}

}  // namespace normbench
