/// A fixture for runs with a fake clock, backend and observer. A test sets only the members that
/// matter to it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "fake_backend.h"
#include "measure/profiler_capture.h"
#include "measure/runner.h"

namespace normbench {

/// An observer of a run that records its calls. It calls `on_round` after each round and `on_step`
/// after each step.
class FakeObserver final : public Observer {
 public:
  void group_started(std::size_t index, const Group&, std::int64_t) override {
    told.push_back(fmt::format("start {}", index));
  }
  void turns_fitted(std::size_t, const GroupForecast& one) override { forecast = one; }
  void step_done(const GroupStep& step) override {
    steps.push_back(step);
    if (on_step) on_step(step);
  }
  void round_done(int rounds, double seconds, double) override {
    last_rounds = rounds;
    last_seconds = seconds;
    if (on_round) on_round(rounds);
  }
  void group_finished(std::size_t index, const GroupResult&) override {
    told.push_back(fmt::format("finish {}", index));
  }

  std::vector<std::string> told;
  std::vector<GroupStep> steps;
  std::optional<GroupForecast> forecast;
  int last_rounds = 0;
  double last_seconds = 0;
  std::function<void(int)> on_round;
  std::function<void(const GroupStep&)> on_step;
};

class RunTest : public testing::Test {
 protected:
  RunTest() {
    auto owned = std::make_unique<FakeBackend>(clock);
    fake = owned.get();
    backends.list.push_back(std::move(owned));
    plan.name = "test";
    plan.measure.cache = Cache::Hot;
    plan.measure.precision = 0.01;
    plan.profile.enabled = false;
  }

  /// Returns a case that applies these stages to the source of small_source().
  Case make_case(const std::string& variant, const std::vector<FakeStage>& stages) {
    return fake_case(*fake, variant, small_source(), stages);
  }
  Case cast_case(const std::string& variant, int row) {
    return make_case(variant, {{.op = Cast{}, .row = row}});
  }
  /// Adds a group of these cases to the plan. The first case is its baseline.
  Group& add_group(std::vector<Case> cases, std::vector<Case> limits = {}) {
    Group group;
    group.experiment = "place";
    group.point = {{"batch", plan.groups.size()}};
    group.baseline = cases.empty() ? "" : cases.front().variant;
    group.cases = std::move(cases);
    group.limits = std::move(limits);
    return plan.groups.emplace_back(std::move(group));
  }

  /// Returns the context of a run that measures this part of a group (what one process measures of
  /// it). The context refers to members of the fixture.
  RunContext context_of(const Part& part, ProfilerCapture& capture) {
    return {.backends = backends,
            .clock = clock,
            .recorder = recorder,
            .watchdog = *watchdog,
            .journal = journal,
            .observer = observer,
            .interrupted = interrupted,
            .cache_bytes = cache_bytes,
            .perf_events = perf_events,
            .rapl = rapl,
            .on_profile = on_profile,
            .tracer = tracer,
            .rounds = rounds,
            .capture = &capture,
            .part = part,
            .fresh_process = fresh_process};
  }

  Results run_plan() {
    Part part;
    part.check = check;
    part.hung = hung;
    ProfilerCapture capture(backends, start_profiler, plan.measure.turn_timeout_seconds, on_stuck);
    RunContext context = context_of(part, capture);
    RunOutcome outcome = run(plan, context);
    unkept = outcome.unkept;
    untraced = outcome.untraced;
    uncaptured = capture.end();
    return std::move(outcome.results);
  }

  FakeClock clock;
  FakeBackend* fake;
  Backends backends;
  Recorder recorder{clock};
  std::optional<Watchdog> watchdog{std::in_place, 600, [](std::size_t, const std::string&) {}};
  Journal* journal = nullptr;
  FakeObserver observer;
  std::atomic<bool> interrupted = false;
  std::string unkept, untraced, uncaptured;  // errors of the last run
  std::int64_t cache_bytes = 1 << 10;
  bool check = true;                        // whether outputs are checked
  std::map<std::string, std::string> hung;  // why, by contender that hung earlier
  PerfEvents* perf_events = nullptr;
  const Rapl* rapl = nullptr;
  std::function<void(ProfileTrace, CaseProfile&)> on_profile;
  DeviceTracer* tracer = nullptr;
  bool rounds = true, start_profiler = false;
  std::function<void()> on_stuck = [] {};
  std::function<std::optional<GroupResult>(std::size_t, const Part&)> fresh_process;
  Plan plan;
};

}  // namespace normbench
