#include <algorithm>

#include "analysis/sweep/fit.h"
#include "analysis/why/causes.h"
#include "machine/topology.h"

namespace normbench {
namespace {

// A fixed cost or the start of teams of threads is a cause if it takes at least this share of the
// time.
constexpr double kFixedShare = 0.5;

bool is_host_stream(const CaseResult& limit) {
  return has_limit_of(limit, LimitKind::Memory) && !uses_gpu(limit);
}

/// Returns the fastest host stream that moves as many bytes as `limit` with more threads; null if
/// there is none.
const CaseResult* wider_stream(const Subject& subject, const CaseResult& limit) {
  const CaseResult* best = nullptr;
  for (const CaseResult& other : subject.group.limits) {
    if (!measured(other) || !is_host_stream(other) || other.resident != limit.resident ||
        other.threads <= limit.threads || other.source_bytes != limit.source_bytes ||
        other.result_bytes != limit.result_bytes)
      continue;
    if (best == nullptr || median_ns(other, subject.results) < median_ns(*best, subject.results))
      best = &other;
  }
  return best;
}

/// Returns LimitOfOneThread if the case is as fast as a memory stream of one thread, while a stream
/// of more threads is faster.
Cause at_the_limit_of_one(const Subject& subject, double least_share) {
  const CaseResult* limit = limit_of(KnownLimits(subject.group, subject.results), subject.result());
  const auto& of_limit = subject.analysis.of_limit;
  if (limit == nullptr || !is_host_stream(*limit) || limit->threads != 1 || !of_limit ||
      of_limit->value < at_limit)
    return {};
  const CaseResult* wider = wider_stream(subject, *limit);
  if (wider == nullptr) return {};
  const Interval ratio =
      paired_ratio(times_ns(*wider, subject.results), times_ns(*limit, subject.results), 0.95);
  if (ratio.high >= 1 - precision_of(subject.group, subject.results) ||
      1 - ratio.value < least_share)
    return {};
  return {why::LimitOfOneThread{wider->threads, 1 / ratio.value}, of_limit->value};
}

Cause one_thread_cause(const Subject& subject, double least_share) {
  if (subject.result().threads != 1) return {};
  const auto more = twin(subject, Factor::Kind::Threads, [](const auto& own, const auto& its) {
    return std::get<std::int64_t>(its) > std::get<std::int64_t>(own);
  });
  if (!more) return at_the_limit_of_one(subject, least_share);
  if (!more->faster || more->saved.value < least_share) return {};
  return {why::FewerThreads{more->result->threads, more->time_ns}, more->saved.value, true};
}

Cause smaller_team_cause(const Subject& subject, double least_share) {
  const auto fewer = twin(subject, Factor::Kind::Threads, [](const auto& own, const auto& its) {
    return std::get<std::int64_t>(its) < std::get<std::int64_t>(own);
  });
  if (!fewer || !fewer->faster || fewer->saved.value < least_share) return {};
  return {why::SmallerTeam{fewer->result->threads, fewer->time_ns}, fewer->saved.value, true};
}

/// Returns true if the time to start the case's teams of threads was not measured, and the case is
/// so short that waking them may take half of its time or more.
bool may_be_waking(const Subject& subject) {
  const CaseResult& result = subject.result();
  return result.threads > 1 && !uses_gpu(result) && !subject.document.team_ns(result.threads) &&
         subject.time_ns() < 2 * teams(result) * team_wake_ns;
}

}  // namespace

Cause threads_cause(const Subject& subject, double least_share) {
  const Cause more = one_thread_cause(subject, least_share);
  return more ? more : smaller_team_cause(subject, least_share);
}

Cause team_start_cause(const Subject& subject) {
  const CaseResult& result = subject.result();
  if (result.threads == 1 || uses_gpu(result) || !result.peer.empty()) return {};
  const auto cost_ns = subject.document.team_ns(result.threads);
  const double share = cost_ns ? teams(result) * *cost_ns / subject.time_ns() : 0;
  if (share < kFixedShare) return {};
  return {why::TeamStart{teams(result), result.threads,
                         std::min(*cost_ns, subject.time_ns() / teams(result))},
          std::min(1.0, share)};
}

Cause fixed_part_cause(const Subject& subject) {
  const auto fixed_ns = fixed_cost_ns(subject.group, subject.result().variant, subject.document);
  const double share = fixed_ns ? *fixed_ns / subject.time_ns() : 0;
  if (share < kFixedShare) return {};
  return {why::FixedPart{*fixed_ns}, std::min(1.0, share)};
}

bool only_bytes_are_slow(const Subject& subject) {
  const CaseResult& own = subject.result();
  const std::vector<double> own_ns = times_ns(own, subject.results);
  const auto is_faster = [&](const CaseResult& other) {
    return paired_ratio(times_ns(other, subject.results), own_ns, 0.95).value <
           1 - precision_of(subject.group, subject.results);
  };
  for (const CaseResult& other : subject.group.cases)
    if (&other != &own && measured(other) && other.source_bytes == own.source_bytes &&
        other.result_bytes == own.result_bytes && link_bytes(other) == link_bytes(own) &&
        is_faster(other))
      return false;
  const CaseResult* limit = bytes_limit_of(KnownLimits(subject.group, subject.results), own);
  if (limit == nullptr || !is_host_stream(*limit)) return true;
  const CaseResult* wider = wider_stream(subject, *limit);
  return wider == nullptr || !is_faster(*wider);
}

bool bytes_decide(const Subject& subject) {
  return !may_be_waking(subject) && !team_start_cause(subject) && !fixed_part_cause(subject);
}

}  // namespace normbench
