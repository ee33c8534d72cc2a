#include "measure/profile_pass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "document/statistics.h"
#include "measure/group_run.h"
#include "measure/profiled_steps.h"
#include "measure/submission.h"
#include "measure/turn_shape.h"

namespace normbench {
namespace {

std::string dimensions(const TensorDesc& tensor) {
  const Shape& s = tensor.shape;
  if (s.is_ycbcr()) return fmt::format("[{}, {}]", s.n, s.image_elements());
  return tensor.layout == Layout::Nchw ? fmt::format("[{}, {}, {}, {}]", s.n, s.c, s.h, s.w)
                                       : fmt::format("[{}, {}, {}, {}]", s.n, s.h, s.w, s.c);
}

std::string input_shapes(const Stage& stage) {
  std::vector<std::string> inputs;
  for (const TensorDesc& tensor : stage.signature.in) inputs.push_back(dimensions(tensor));
  return fmt::format("[{}]", fmt::join(inputs, ", "));
}

/// Returns the input shapes of each stage and each graph, by label. A graph has the input shapes of
/// its first stage. Shapes are written as torch writes them, like "[[10, 3, 720, 1280]]", with the
/// axes in the order of memory. Images in a YCbCr format have a single axis beside the batch. If
/// several stages have the same label, the first one is used.
std::map<std::string, std::string, std::less<>> input_shapes(const Case& planned) {
  std::map<std::string, std::string, std::less<>> shapes;
  for (const Stage& stage : planned.stages) shapes.emplace(stage.label, input_shapes(stage));
  for (const GraphRun& run : graph_runs(planned, storage_of(planned)))
    shapes.emplace(run.label(), input_shapes(planned.stages[run.first()]));
  return shapes;
}

/// Returns the median of `step_ns`, the times of profiled steps, divided by the median time of an
/// iteration in the rounds. Returns 0 if the case was not measured.
double overhead(const CaseResult& result, std::vector<double> step_ns) {
  std::vector<double> measured;
  for (const Round& round : result.rounds)
    measured.push_back(static_cast<double>(round.wall_ns) / static_cast<double>(result.iterations));
  const double base = measured.empty() ? 0 : median(std::move(measured));
  return base > 0 ? median(std::move(step_ns)) / base : 0;
}

/// Runs all steps of a profile, with the device tracer (CUPTI) if `traced`. Returns nothing if the
/// tracer failed.
using RunSteps = std::function<std::optional<ProfiledSteps>(bool traced)>;

/// Runs the steps with the tracer if it is usable. If the tracer fails, runs all steps again
/// without it. Without the tracer, CUDA events time the work of the device.
ProfiledSteps profiled_steps(bool has_device, const RunSteps& run, DeviceTracing& tracing,
                             std::vector<std::string>& notes) {
  if (has_device && tracing.usable()) {
    if (auto steps = run(true)) return std::move(*steps);
    notes.push_back(fmt::format("profiled again with CUDA events, because the tracer failed: {}",
                                tracing.missing()));
  }
  return *run(false);
}

/// Adds a note for each range of the config that lacks stages in the profile. A range lacks a stage
/// if a graph launches this stage together with stages outside of the range.
void note_cut_ranges(const Case& planned, std::vector<std::string>& notes) {
  const std::vector<StageRange> all = ranges_of(planned.stages);
  const auto whole = around_whole_runs(all, graph_runs(planned, storage_of(planned)));
  for (const StageRange& range : all)
    if (std::ranges::find(whole, range) == whole.end())
      notes.push_back(
          fmt::format("range \"{}\" is without stages that a graph launches together with others "
                      "outside it",
                      range.name));
}

/// Returns the profile of a case without the members that are computed from the trace.
CaseProfile empty_profile(const CaseResult& result, const ProfiledSteps& steps) {
  CaseProfile profile{.variant = result.variant,
                      .steps = static_cast<std::int64_t>(steps.step_ns.size()),
                      .discarded = steps.discarded,
                      .counters = steps.counters,
                      .overhead = overhead(result, steps.step_ns),
                      .rows = {}};
  for (const DeviceTrace& device : steps.devices) {
    profile.device_times = parse_word<DeviceTimes>(device.source);
    profile.clock_error_ns = std::max(profile.clock_error_ns, device.clock_error_ns);
  }
  return profile;
}

ProfiledSteps profile_stages(const Plan& plan, const Case& planned, CaseResult& result,
                             GroupMemory& memory, RunContext& context, DeviceTracing& tracing) {
  std::mt19937_64 random(static_cast<std::uint64_t>(plan.measure.seed));
  std::optional<Engine> engine;
  {
    const Range init(&context.recorder, RangeKind::Init, "init");
    engine.emplace(planned, memory, context.backends, context.recorder, context.clock, random);
    if (engine->device() != nullptr) tracing.usable();
  }
  const Bound bound = engine->bind_fresh();
  if (!planned.pipeline) warm_up(*engine);
  const auto run = [&](bool traced) {
    return run_profiled_steps(*engine, plan.profile, context, tracing, traced);
  };
  ProfiledSteps steps = profiled_steps(engine->device() != nullptr, run, tracing, result.notes);
  note_cut_ranges(planned, result.notes);
  return steps;
}

CaseProfile profile_case(const Plan& plan, const Group& group, const Case& planned,
                         CaseResult& result, GroupMemory& memory, RunContext& context,
                         DeviceTracing& tracing) {
  const Range variant(&context.recorder, RangeKind::Variant,
                      context.recorder.intern(planned.variant));
  ProfiledSteps steps = profile_stages(plan, planned, result, memory, context, tracing);
  CaseProfile profile = empty_profile(result, steps);
  profile.lane_work = std::move(steps.lane_work);
  context.on_profile({.experiment = group.experiment,
                      .variant = planned.variant,
                      .point = group.point,
                      .threads = std::move(steps.threads),
                      .devices = std::move(steps.devices),
                      .faults = std::move(steps.faults),
                      .shapes = input_shapes(planned),
                      .labels = std::move(steps.labels),
                      .items = std::move(steps.items)},
                     profile);
  return profile;
}

}  // namespace

bool profile_group(const Plan& plan, std::size_t index, RunContext& context, DeviceTracing& tracing,
                   GroupResult& result) {
  const Group& group = plan.groups[index];
  const Range point(&context.recorder, RangeKind::Point,
                    context.recorder.intern(point_name(group)));
  const auto hung = hung_contenders(context, index);
  std::vector<const Case*> works;
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    if (result.cases[i].status == Status::Ok && group.cases[i].peer.empty() &&
        !hung.contains(group.cases[i].variant))
      works.push_back(&group.cases[i]);
  GroupMemory memory(works, plan.measure_of(group), context.backends, context.cache_bytes);

  std::vector<CaseProfile> profiles;
  std::size_t done = 0;
  for (const Case* planned : works) {
    if (context.interrupted) return false;
    CaseResult& measured = result.cases[static_cast<std::size_t>(planned - group.cases.data())];
    try {
      const Watched guard(context.watchdog, index, planned->variant);
      profiles.push_back(profile_case(plan, group, *planned, measured, memory, context, tracing));
    } catch (const std::exception& error) {
      measured.notes.push_back(fmt::format("not profiled: {}", error.what()));
    }
    context.observer.step_done({GroupStep::Kind::Profiled, index, ++done, works.size()});
  }
  result.profile = std::move(profiles);
  return true;
}

}  // namespace normbench
