#include <algorithm>

#include "analysis/case_analysis.h"
#include "analysis/stage_limits.h"

namespace normbench {

namespace {

bool has_transfer(const CaseResult& result, const std::string& op, std::int64_t bytes) {
  return std::ranges::any_of(result.stages, [&](const StageResult& stage) {
    return stage.op == op && stage.link_bytes == bytes;
  });
}

/// The slowest copy counts: transfers of both directions may overlap, none is faster than its own.
/// Pageable memory is the case's own choice, and no limit of the link.
const CaseResult* link_limit(const GroupResult& group, const CaseResult& result,
                             const Results& results) {
  const CaseResult* slowest = nullptr;
  for (const CaseResult& limit : group.limits) {
    if (!measured(limit) || limit.stages.size() != 1 || link_bytes(limit) == 0) continue;
    if (is_pageable(link_memory(limit, 0))) continue;
    if (!has_transfer(result, limit.stages[0].op, limit.stages[0].link_bytes)) continue;
    if (slowest == nullptr || median_ns(limit, results) > median_ns(*slowest, results))
      slowest = &limit;
  }
  return slowest;
}

bool is_stream_for(const CaseResult& limit, const CaseResult& result) {
  return has_op(limit, "stream") && !limit.resident && limit.source_bytes == result.source_bytes &&
         limit.result_bytes == result.result_bytes && uses_gpu(limit) == uses_gpu(result) &&
         (uses_gpu(result) || limit.threads == result.threads);
}

/// The slowest launch that no stage of the case can do without. A graph launches them all as one.
const CaseResult* slowest_launch(const GroupResult& group, const CaseResult& result,
                                 const Results& results) {
  const CaseResult* slowest = nullptr;
  for (const StageResult& stage : result.stages) {
    if (result.graph) continue;
    const CaseResult* launch = launch_limit(group, result, stage);
    if (launch == nullptr) continue;
    if (slowest == nullptr || median_ns(*launch, results) > median_ns(*slowest, results))
      slowest = launch;
  }
  return slowest;
}

}  // namespace

bool has_op(const CaseResult& result, const std::string& op) {
  return std::ranges::any_of(result.stages, [&](const StageResult& s) { return s.op == op; });
}

bool uses_gpu(const CaseResult& result) {
  return std::ranges::any_of(result.stages,
                             [](const StageResult& stage) { return stage.place == Place::Cuda; });
}

std::int64_t link_bytes(const CaseResult& result) {
  std::int64_t bytes = 0;
  for (const StageResult& stage : result.stages) bytes += stage.link_bytes;
  return bytes;
}

const CaseResult* bytes_limit_of(const GroupResult& group, const CaseResult& result,
                                 const Results& results) {
  if (!measured(result) || has_op(result, "load")) return nullptr;
  if (link_bytes(result) > 0) return link_limit(group, result, results);
  const CaseResult* best = nullptr;
  for (const CaseResult& limit : group.limits) {
    if (!measured(limit) || !is_stream_for(limit, result)) continue;
    if (best == nullptr || median_ns(limit, results) < median_ns(*best, results)) best = &limit;
  }
  return best;
}

const CaseResult* limit_of(const GroupResult& group, const CaseResult& result,
                           const Results& results) {
  const CaseResult* bytes = bytes_limit_of(group, result, results);
  if (bytes == nullptr) return nullptr;
  const CaseResult* launch = slowest_launch(group, result, results);
  const bool is_small = launch && median_ns(*launch, results) > median_ns(*bytes, results);
  return is_small ? launch : bytes;
}

}  // namespace normbench
