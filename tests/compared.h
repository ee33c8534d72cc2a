/// Makes result documents for tests of comparisons.
#pragma once

#include <string>
#include <vector>

#include "core/tensor.h"
#include "document/results.h"

namespace normbench::examples {

/// The times of one case in the rounds of a run.
struct TimedCase {
  std::string variant;
  std::vector<std::int64_t> rounds_ns;
};

inline CaseResult timed_case(const TimedCase& timed) {
  CaseResult result;
  result.variant = timed.variant;
  result.iterations = 1;
  result.check = {.ok = true, .max_abs_error = 1e-7, .bound = 1e-5};
  StageResult stage;
  stage.op = "normalize";
  stage.kernel = "fused";
  stage.place = Place::Cpu;
  stage.bytes = 5'000'000;
  result.stages = {stage};
  for (const std::int64_t ns : timed.rounds_ns) result.rounds.emplace_back().wall_ns = ns;
  return result;
}

/// Returns a document with one group. The date of the document is `minute` minutes after 10:00 on a
/// fixed day.
inline Results timed_run(const std::vector<TimedCase>& cases, int minute = 0) {
  Results results;
  results.tool = {{"name", "normbench"}, {"version", "1.0"},     {"revision", "abc1234"},
                  {"build", "Release"},  {"compiler", "GNU 12"}, {"sanitizers", ""}};
  results.environment = {
      {"date", "2026-11-21T10:" + std::string(minute < 10 ? "0" : "") + std::to_string(minute)},
      {"gpu", nullptr},
      {"cpu", {{"model", "Example CPU"}, {"cores", 2}, {"flags", {"avx", "avx2"}}}},
      {"available_threads", 2},
      {"load", {0.5, 0.5, 0.5}}};
  results.config = {{"schema", 1}, {"name", "example"}, {"experiments", Json::array()}};
  results.name = "example";
  results.cache = Cache::Cold;
  results.clock = DecidingClock::Wall;
  GroupResult group;
  group.experiment = "form";
  group.point = {{"batch", 8}};
  for (const TimedCase& timed : cases) group.cases.push_back(timed_case(timed));
  results.groups = {group};
  return results;
}

/// Pairs of runs. `base[i]` and `now[i]` are one pair.
struct Pairs {
  std::vector<Results> base, now;
};

struct RatioCase {
  std::string variant;
  std::vector<double> ratios;  // NEW's time divided by BASE's, one per pair
};

inline Pairs timed_pairs(const std::vector<RatioCase>& cases) {
  Pairs pairs;
  for (std::size_t i = 0; i < cases.at(0).ratios.size(); ++i) {
    std::vector<TimedCase> base, now;
    for (const RatioCase& one : cases) {
      const std::int64_t ns = 1'000'000 + 1000 * static_cast<std::int64_t>(i);
      const auto slower = static_cast<std::int64_t>(one.ratios[i] * static_cast<double>(ns) + 0.5);
      base.push_back({one.variant, {ns, ns, ns}});
      now.push_back({one.variant, {slower, slower, slower}});
    }
    pairs.base.push_back(timed_run(base, 2 * static_cast<int>(i)));
    pairs.now.push_back(timed_run(now, 2 * static_cast<int>(i) + 1));
  }
  return pairs;
}

}  // namespace normbench::examples
