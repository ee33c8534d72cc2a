#include "analysis/limits.h"

#include <algorithm>
#include <map>

#include "document/held_up.h"
#include "ops/stream.h"

namespace normbench {
namespace {

bool is_on_gpu(const StageResult& stage) { return stage.place == Place::Cuda; }

bool is_transfer(const StageResult& stage) { return roles_of(stage).link != LinkUse::None; }

/// Returns true for a stage that launches kernels on a GPU.
bool is_launched(const StageResult& stage) {
  return is_on_gpu(stage) && !is_transfer(stage) && roles_of(stage).locks == PageLocking::None &&
         stage.min_bytes > 0;
}

/// Returns true if the stage was timed in the rounds of its case. Its time in a round can then be
/// compared with the time of another stage in the same round.
bool in_rounds(const CaseResult& result, const StageResult& stage) {
  return !stage.staged && stage.rounds_ns.size() == result.rounds.size();
}

/// Returns each of `stage.rounds_ns` divided by the iterations of the case. As in times_ns(), a
/// host stage has the time 0 in a round that does not count because other programs used the
/// processors.
std::vector<double> stage_times_ns(const CaseResult& result, const StageResult& stage) {
  std::vector<double> times;
  for (const std::int64_t ns : stage.rounds_ns)
    times.push_back(static_cast<double>(ns) / static_cast<double>(result.iterations));
  if (is_on_gpu(stage) || !in_rounds(result, stage) || is_busy(result, DecidingClock::Wall))
    return times;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (is_held_up(result, result.rounds[i], DecidingClock::Wall)) times[i] = 0;
  return times;
}

bool has_times(const CaseResult& result, const StageResult& stage) {
  return measured(result) && stage_ns(result, stage) > 0;
}

/// Returns true if `limit`, which measures a copy over the link, is the limit of a transfer that
/// uses `memory` on the host. A transfer of pageable memory is compared with a copy of the same
/// kind of memory, any other transfer with a copy of pinned memory. The caller has checked that
/// `limit` copies as many bytes in the same direction.
bool is_copy_for(const CaseResult& limit, Memory memory) {
  return link_memory(limit, 0) == (is_pageable(memory) ? memory : Memory::Pinned);
}

/// Returns true if the stream `limit` and the stage with this index use the same kinds of memory:
/// if both use the link, they read on the same side of it and write on the same side; if neither
/// uses the link, they write the same kind of memory.
bool same_way(const CaseResult& limit, const CaseResult& result, std::size_t index) {
  const StageResult &stream = limit.stages[0], &stage = result.stages[index];
  if (stream.link_bytes == 0 || stage.link_bytes == 0)
    return stream.link_bytes == stage.link_bytes && stream.out.memory == stage.out.memory;
  return host_reaches(link_memory(limit, 0)) == host_reaches(link_memory(result, index)) &&
         host_reaches(stream.out.memory) == host_reaches(stage.out.memory);
}

/// Returns true if the stream `limit` may be the limit of the stage: it runs in the same place
/// (host or GPU), with the same kinds of memory and, on the host, the same number of threads. A
/// stream that stays in the cache is allowed only if the stage's input is in the cache. The caller
/// has checked that both move the same bytes.
bool is_stream_for(const CaseResult& limit, const CaseResult& result, std::size_t index) {
  const StageResult& stage = result.stages[index];
  return limit.stages[0].place == stage.place && (stage.resident || !limit.resident) &&
         same_way(limit, result, index) && (is_on_gpu(stage) || limit.threads == result.threads);
}

/// Returns the launch limit for a stage that is a GPU kernel. A launch limit is the time of an
/// empty launch. Returns null if none was measured, if the stage is no GPU kernel, or if a peer ran
/// the case.
const KnownLimit* launch_limit(const KnownLimits& limits, const CaseResult& result,
                               const StageResult& stage) {
  if (!result.peer.empty() || !is_launched(stage)) return nullptr;
  for (const KnownLimit& limit : limits.launches())
    if (limit.result->stages[0].place == stage.place) return &limit;
  return nullptr;
}

/// Returns the fastest limit that moves the same bytes as a stage; null if there is none.
const KnownLimit* bytes_limit(const KnownLimits& limits, const CaseResult& result,
                              std::size_t index) {
  const StageResult& stage = result.stages[index];
  const Roles& roles = roles_of(stage);
  if (roles.files == FileUse::Reads || roles.locks != PageLocking::None) return nullptr;
  const KnownLimit* best = nullptr;
  const auto keep = [&](const KnownLimit& limit) {
    if (best == nullptr || limit.stage_ns < best->stage_ns) best = &limit;
  };
  if (is_transfer(stage)) {
    for (const KnownLimit& limit : limits.transfers(stage.op, stage.link_bytes))
      if (limit.stage_ns > 0 && is_copy_for(*limit.result, link_memory(result, index))) keep(limit);
  } else if (stage.min_read_bytes > 0) {
    for (const KnownLimit& limit : limits.stage_streams(limit_mix(stage_mix(stage))))
      if (is_stream_for(*limit.result, result, index)) keep(limit);
  }
  return best;
}

/// Returns the limit's time over the stage's time. The times are paired by round if both stages
/// were timed in the rounds. Otherwise the ratio is computed from the two medians.
std::optional<Interval> share_of_limit(const CaseResult& limit, const CaseResult& result,
                                       const StageResult& stage) {
  const auto at_best = stage_times_ns(limit, limit.stages[0]);
  const auto times = stage_times_ns(result, stage);
  if (in_rounds(limit, limit.stages[0]) && in_rounds(result, stage)) {
    if (log_ratios(at_best, times).empty()) return std::nullopt;
    return paired_ratio(at_best, times, decision_level);
  }
  const double level = 1 - (1 - decision_level) / 2;
  const Interval a = time_interval(at_best, level), b = time_interval(times, level);
  if (b.low <= 0) return std::nullopt;
  return Interval{.value = a.value / b.value, .low = a.low / b.high, .high = a.high / b.low};
}

StageAnalysis analyse_stage(const KnownLimits& limits, const CaseResult& result, std::size_t index,
                            const Results& results) {
  const StageResult& stage = result.stages[index];
  const KnownLimit* limit = bytes_limit(limits, result, index);
  if (limit == nullptr) return {};
  const KnownLimit* launch = launch_limit(limits, result, stage);
  if (launch != nullptr && launch->stage_ns > limit->stage_ns) limit = launch;
  const CaseResult& best = *limit->result;
  StageAnalysis analysis{.of_limit = {}, .limit = best.variant, .floor_ns = limit->stage_ns};
  if (has_times(result, stage) && !is_busy(result, results.clock) && !is_busy(best, results.clock))
    analysis.of_limit = share_of_limit(best, result, stage);
  return analysis;
}

/// Returns the limit that copies as many bytes as the stage, in the same direction and with pinned
/// memory; null if there is none. It is also the limit of a transfer of pageable memory, because
/// the case could have used pinned memory instead.
const KnownLimit* pinned_copy(const KnownLimits& limits, const StageResult& stage) {
  for (const KnownLimit& limit : limits.transfers(stage.op, stage.link_bytes))
    if (!is_pageable(link_memory(*limit.result, 0))) return &limit;
  return nullptr;
}

/// Returns the limit with the longer time, or `first` if the times are equal. If one is null,
/// returns the other.
const KnownLimit* slower(const KnownLimit* first, const KnownLimit* second) {
  if (first == nullptr || second == nullptr) return first == nullptr ? second : first;
  return second->median_ns > first->median_ns ? second : first;
}

/// Returns the slowest limit of the stages that use the link; null if there is none. Stages may
/// overlap, so their limits are not added, but the case takes at least as long as each of its
/// stages.
const KnownLimit* link_limit(const KnownLimits& limits, const CaseResult& result) {
  const KnownLimit* slowest = nullptr;
  for (std::size_t s = 0; s < result.stages.size(); ++s) {
    const StageResult& stage = result.stages[s];
    if (stage.link_bytes == 0) continue;
    slowest = slower(
        slowest, is_transfer(stage) ? pinned_copy(limits, stage) : bytes_limit(limits, result, s));
  }
  return slowest;
}

/// Returns true if the case does more than move bytes: it uses files, or a stage imitates other
/// work, such as that of a neural network.
bool does_more_than_move(const CaseResult& result) {
  return std::ranges::any_of(result.stages, [](const StageResult& stage) {
    return roles_of(stage).files != FileUse::None || roles_of(stage).stands_for_work;
  });
}

/// Returns true if the stream `limit` may be the limit of the case: it runs in the same place (host
/// or GPU) and, on the host, with as many threads as the case. Its bytes neither stay in the cache
/// nor cross the link. The caller has checked that both move the same bytes.
bool is_stream_for(const CaseResult& limit, const CaseResult& result) {
  return !limit.resident && link_bytes(limit) == 0 && uses_gpu(limit) == uses_gpu(result) &&
         (uses_gpu(result) || limit.threads == result.threads);
}

/// Returns the slowest launch limit of the case's stages; null if there is none, or if a CUDA graph
/// launches all stages at once.
const KnownLimit* slowest_launch(const KnownLimits& limits, const CaseResult& result) {
  const KnownLimit* slowest = nullptr;
  for (const StageResult& stage : result.stages)
    if (!result.graph) slowest = slower(slowest, launch_limit(limits, result, stage));
  return slowest;
}

/// Returns the limit of the bytes that a case moves (see bytes_limit_of()).
const KnownLimit* known_bytes_limit(const KnownLimits& limits, const CaseResult& result) {
  if (!measured(result) || does_more_than_move(result)) return nullptr;
  if (link_bytes(result) > 0) return link_limit(limits, result);
  const StreamMix mix{.read = result.source_bytes, .written = result.result_bytes};
  const KnownLimit* best = nullptr;
  for (const KnownLimit& limit : limits.case_streams(limit_mix(mix)))
    if (is_stream_for(*limit.result, result) &&
        (best == nullptr || limit.median_ns < best->median_ns))
      best = &limit;
  return best;
}

const CaseResult* result_of(const KnownLimit* limit) {
  return limit == nullptr ? nullptr : limit->result;
}

/// Returns true if the deciding clock counts the stage. The device's clock does not count work on
/// the host.
bool is_timed(const CaseResult& result, const StageResult& stage, const Results& results) {
  return results.clock != DecidingClock::Device || !uses_gpu(result) || is_on_gpu(stage);
}

/// Adds `floor_ns` and `binding` of a case. A case that a peer runs has neither, since a peer may
/// do several stages in one.
void add_floor(const CaseResult& result, const Results& results, CaseAnalysis& analysis) {
  if (!result.peer.empty()) return;
  double floor_ns = 0;
  std::map<std::string, double> parts;
  for (std::size_t s = 0; s < result.stages.size(); ++s) {
    const StageResult& stage = result.stages[s];
    if (stage.min_bytes + stage.link_bytes <= 0 || !is_timed(result, stage, results)) continue;
    const StageAnalysis& one = analysis.stages[s];
    if (one.limit.empty()) return;
    floor_ns += one.floor_ns;
    parts[one.limit] += one.floor_ns;
  }
  if (parts.empty()) return;
  analysis.floor_ns = floor_ns;
  analysis.binding =
      std::ranges::max_element(parts, {}, [](const auto& part) { return part.second; })->first;
}

/// Sets `bytes_moved`, except for cases of peers, cases that load files and cases that use the
/// link.
void add_bytes_moved(const CaseResult& result, CaseAnalysis& analysis) {
  if (!result.peer.empty()) return;
  const auto fewest = static_cast<double>(result.source_bytes + result.result_bytes);
  if (link_bytes(result) > 0 || loads(result) || fewest <= 0) return;
  analysis.bytes_moved = static_cast<double>(moved_bytes(result)) / fewest;
}

}  // namespace

LimitKind limit_kind(const CaseResult& limit) {
  if (link_bytes(limit) > 0) return LimitKind::Link;
  if (has_limit_of(limit, LimitKind::Launch)) return LimitKind::Launch;
  return has_limit_of(limit, LimitKind::PageFaults) ? LimitKind::PageFaults : LimitKind::Memory;
}

std::optional<LimitKind> limit_kind(const GroupResult& group, const std::string& name) {
  const auto limit = std::ranges::find(group.limits, name, &CaseResult::variant);
  return limit == group.limits.end() ? std::nullopt : std::optional(limit_kind(*limit));
}

Memory link_memory(const CaseResult& result, std::size_t stage) {
  if (roles_of(result.stages[stage]).link == LinkUse::Down) return result.stages[stage].out.memory;
  if (stage > 0) return result.stages[stage - 1].out.memory;
  return result.source ? result.source->memory : Memory::Pinned;
}

double stage_ns(const CaseResult& result, const StageResult& stage) {
  std::vector<double> times = stage_times_ns(result, stage);
  std::erase_if(times, [](double ns) { return ns <= 0; });
  return median(std::move(times));
}

StreamMix stage_mix(const StageResult& stage) {
  return {.read = stage.min_read_bytes, .written = stage.min_bytes - stage.min_read_bytes};
}

const CaseResult* bytes_limit_of(const KnownLimits& limits, const CaseResult& result) {
  return result_of(known_bytes_limit(limits, result));
}

const CaseResult* limit_of(const KnownLimits& limits, const CaseResult& result) {
  const KnownLimit* bytes = known_bytes_limit(limits, result);
  return bytes == nullptr ? nullptr : result_of(slower(bytes, slowest_launch(limits, result)));
}

void add_stage_limits(const KnownLimits& limits, const CaseResult& result, const Results& results,
                      CaseAnalysis& analysis) {
  for (std::size_t s = 0; s < result.stages.size(); ++s)
    analysis.stages.push_back(analyse_stage(limits, result, s, results));
  add_floor(result, results, analysis);
  add_bytes_moved(result, analysis);
}

}  // namespace normbench
