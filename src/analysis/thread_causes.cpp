#include <fmt/format.h>

#include <charconv>

#include "analysis/causes.h"
#include "analysis/twin.h"
#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kThreadShare = 0.2;  // of the time: below this threads explain nothing

std::string threads_text(int threads) {
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

int number(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool has_more_threads(std::span<const Factor> factors) {
  const Factor* threads = only_factor(factors, "threads");
  return threads != nullptr && number(threads->right) > number(threads->left);
}

/// The stream that moves as much as `limit` with more threads, and faster; null for none.
const CaseResult* wider_stream(const Subject& subject, const CaseResult& limit) {
  const CaseResult* best = nullptr;
  for (const CaseResult& other : subject.group.limits) {
    if (!measured(other) || !has_op(other, "stream") || uses_gpu(other) ||
        other.resident != limit.resident || other.threads <= limit.threads ||
        other.source_bytes != limit.source_bytes || other.result_bytes != limit.result_bytes)
      continue;
    if (best == nullptr || median_ns(other, subject.results) < median_ns(*best, subject.results))
      best = &other;
  }
  return best;
}

/// The case has the speed of a limit that more threads exceed.
Cause at_the_limit_of_one(const Subject& subject) {
  const CaseResult* limit = limit_of(subject.group, subject.result(), subject.results);
  const auto& of_limit = subject.analysis.of_limit;
  if (limit == nullptr || !has_op(*limit, "stream") || uses_gpu(*limit) || limit->threads != 1 ||
      !of_limit || of_limit->value < at_limit)
    return {};
  const CaseResult* wider = wider_stream(subject, *limit);
  if (wider == nullptr) return {};
  const Interval ratio =
      paired_ratio(times_ns(*wider, subject.results), times_ns(*limit, subject.results), 0.95);
  if (ratio.high >= 1 || 1 - ratio.value < kThreadShare) return {};
  return {"one thread",
          fmt::format("one thread. It is at {} of what one moves; {} move {} as much.",
                      format_percent(of_limit->value), threads_text(wider->threads),
                      factor(1 / ratio.value)),
          of_limit->value};
}

}  // namespace

Cause one_thread_cause(const Subject& subject) {
  if (subject.result().threads != 1) return {};
  if (const auto more = twin(subject, has_more_threads)) {
    if (!more->faster || more->share < kThreadShare) return {};
    return {"one thread",
            fmt::format("one thread. With {} the same stages take {} ms, {} of its time less.",
                        threads_text(more->result->threads), format_ms(more->time_ns),
                        format_percent(more->share)),
            more->share, true};
  }
  return at_the_limit_of_one(subject);
}

}  // namespace normbench
