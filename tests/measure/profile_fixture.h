/// Fixtures that profile cases on the fake CPU and on the fake device.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure/device_fixture.h"

namespace normbench {

/// Profiles cases on the fake CPU. Each profile gets the fixed table rows in `rows`.
class ProfileTest : public RunTest {
 protected:
  ProfileTest() {
    plan.measure.max_seconds_per_group = 0;
    plan.profile = {.wait = 1, .warmup = 1, .active = 2};
    on_profile = [this](ProfileTrace trace, CaseProfile& profile) {
      traces.push_back(std::move(trace));
      profile.rows = rows;
    };
    fake->rows[0].cost_ns = 2'000'000;
    fake->rows[1].cost_ns = 3'000'000;
    two_steps = make_case("two steps", {{.op = Cast{}}, {.op = Sub{.mean = {1}}, .row = 1}});
  }
  /// Returns a text for each slice: depth, name, duration in ns and bytes, followed by " numbered"
  /// if the slice has an external id.
  static std::vector<std::string> slices(const ProfileTrace& trace) {
    std::vector<std::string> found;
    for (const ThreadLog& log : trace.threads)
      for (const Slice& slice : log.slices)
        found.push_back(fmt::format("{} {} {} {}{}", slice.depth, slice.name,
                                    slice.end_ns - slice.start_ns, slice.bytes,
                                    slice.external_id == 0 ? "" : " numbered"));
    return found;
  }
  /// Runs a group with only this case. Returns the case's profile.
  CaseProfile profiled(const Case& planned) {
    add_group({planned});
    return run_plan().groups.at(0).profile.at(0);
  }

  const std::vector<ProfileRow> rows{
      {.name = "row", .place = Place::Cpu, .shapes = "", .calls = 2}};
  Case two_steps;
  std::vector<ProfileTrace> traces;
};

/// Profiles cases on the fake device. The device's number is 3.
class DeviceProfileTest : public DeviceTest {
 protected:
  DeviceProfileTest() {
    plan.measure.max_seconds_per_group = 0;
    plan.profile = {.wait = 1, .warmup = 1, .active = 2};
    on_profile = [this](ProfileTrace trace, CaseProfile&) { traces.push_back(std::move(trace)); };
    device->call_ns = 10'000;
    device->mark_ns = 1'000;
    device->number = 3;
  }
  Case graph_case() {
    Case planned = make_case("graph", {on_device(H2d{}, 1), on_device(Cast{}, 2)});
    planned.graph = true;
    return planned;
  }
  /// Runs a group with only this case. Returns the case's profile.
  CaseProfile profiled(const Case& planned) {
    add_group({planned});
    return run_plan().groups.at(0).profile.at(0);
  }
  /// Returns the start, in ns, of the last step that began at or before `ns`.
  static std::int64_t step_ns(const ProfileTrace& trace, std::int64_t ns) {
    std::int64_t last_ns = 0;
    for (const ThreadLog& log : trace.threads)
      for (const Slice& step : log.slices)
        if (step.kind == RangeKind::Step && step.start_ns <= ns) last_ns = step.start_ns;
    return last_ns;
  }
  /// Returns a text for each slice: name, start, end, bytes and external id. Times are in ns since
  /// the start of the slice's step.
  static std::vector<std::string> slices(const ProfileTrace& trace) {
    std::vector<std::string> found;
    for (const ThreadLog& log : trace.threads)
      for (const Slice& slice : log.slices) {
        const std::int64_t from = step_ns(trace, slice.start_ns);
        found.push_back(fmt::format("{} {} {} {} #{}", slice.name, slice.start_ns - from,
                                    slice.end_ns - from, slice.bytes, slice.external_id));
      }
    return found;
  }
  static std::vector<std::string> records(const ProfileTrace& trace) {
    std::vector<std::string> found;
    for (const DeviceTrace& stretch : trace.devices)
      for (const DeviceRecord& record : stretch.records) {
        const std::int64_t from = step_ns(trace, record.start_ns);
        found.push_back(fmt::format("{} {} {} {} {} #{}{}", name_of(record.activity), record.name,
                                    record.start_ns - from, record.end_ns - from, record.bytes,
                                    record.external_id, record.over_link ? " link" : ""));
      }
    return found;
  }

  std::vector<ProfileTrace> traces;
};

}  // namespace normbench
