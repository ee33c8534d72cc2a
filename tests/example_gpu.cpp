#include <cmath>
#include <span>

#include "example_results.h"

namespace normbench::examples {

namespace {

/// The times of one stage in an iteration, in ms: `host` is work on the host, `device` is work on
/// the GPU, and `call` is the host's time in the calls that submit the work to the GPU.
struct StageTime {
  double host = 0, device = 0, call = 0;
};

std::int64_t part_of(const Round& round, double ms, double total_ms) {
  return std::llround(static_cast<double>(round.wall_ns) * ms / total_ms);
}

/// Returns the example case of `spec`, whose iterations take `spec.ms`. `times[i]` is the part of
/// `spec.ms` that stage i takes. In each round, stage i takes the same share of the round's wall
/// time.
CaseResult timed(const CaseSpec& spec, std::span<const StageTime> times) {
  CaseResult result = make_case(spec);
  for (std::size_t i = 0; i < times.size(); ++i) {
    StageResult& stage = result.stages[i];
    stage.rounds_ns.clear();
    for (Round& round : result.rounds) {
      stage.rounds_ns.push_back(part_of(round, times[i].host + times[i].device, spec.ms));
      round.device_ns += part_of(round, times[i].device, spec.ms);
      if (times[i].device > 0) stage.calls_ns.push_back(part_of(round, times[i].call, spec.ms));
    }
  }
  for (Round& round : result.rounds) round.cpu_ns = round.wall_ns;  // the host polls while waiting
  return result;
}

CaseResult link_limit(const std::string& name, double ms, DType dtype) {
  const std::vector<StageTime> time{{.device = ms - 0.01, .call = 0.004}};
  CaseResult limit = timed({name, ms, dtype, {{"h2d"}}}, time);
  limit.images = 0;
  limit.source->memory = Memory::Pinned;
  return limit;
}

/// Returns the counters of a profile that was made in a container, where hardware counters cannot
/// be read. The energy of the GPU is known, but the energy of the CPU is not.
ProfileCounters gpu_counters() {
  ProfileCounters counters{};
  counters.software.voluntary_switches = 25;
  counters.hardware_missing =
      "not permitted in this container (EPERM: seccomp or a security module)";
  counters.gpu_joules = 14.5;
  counters.energy_missing = "no RAPL (no package in /sys/class/powercap/intel-rapl:*)";
  return counters;
}

constexpr std::int64_t kSteps = 10;

std::int64_t ns_of_steps(double ms) { return std::llround(ms * kSteps * 1e6); }

/// Returns a profile row of `calls` calls that take `ns` in total. All calls take about the same
/// time.
ProfileRow row_of(const std::string& name, Place place, std::int64_t calls, std::int64_t ns) {
  const double mean = static_cast<double>(ns) / static_cast<double>(calls);
  ProfileRow row{.name = name, .place = place, .shapes = "", .calls = calls};
  row.min_ns = std::llround(mean * 0.98);
  row.p50_ns = std::llround(mean);
  row.p95_ns = std::llround(mean * 1.015);
  row.max_ns = std::llround(mean * 1.02);
  return row;
}

ProfileRow host_row(const std::string& name, std::int64_t calls, double self_ms, double ms) {
  ProfileRow row = row_of(name, Place::Cpu, calls, ns_of_steps(ms));
  row.self_cpu_ns = ns_of_steps(self_ms);
  row.cpu_ns = ns_of_steps(ms);
  return row;
}

ProfileRow device_row(const std::string& name, double ms) {
  ProfileRow row = row_of(name, Place::Cuda, kSteps, ns_of_steps(ms));
  row.self_device_ns = row.device_ns = ns_of_steps(ms);
  return row;
}

std::string kernel_name(const StageResult& stage) {
  if (stage.link_bytes > 0) return "Memcpy HtoD (Pinned -> Device)";
  return "void normbench::cuda::kernel<normbench::cuda::" + stage.label +
         "<float, float, 4> >(float const*, float*, long)";
}

/// Returns the times of a case, summed over all its profiled steps. A step is one iteration. The
/// copies and kernels of a step run one after another, so no kernel hides a copy.
ProfileTimes times_of(const CaseResult& result, std::span<const StageTime> times, double step_ms) {
  ProfileTimes sums{.wall_ns = ns_of_steps(step_ms)};
  std::int64_t pieces = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].device == 0) continue;
    sums.busy_ns += ns_of_steps(times[i].device);
    if (result.stages[i].link_bytes > 0) sums.copy_ns += ns_of_steps(times[i].device);
    ++pieces;
  }
  sums.exposed_copy_ns = sums.copy_ns;
  sums.gaps = kSteps * (pieces - 1);
  sums.gap_ns = sums.gaps * 1'100;
  return sums;
}

/// The profile rows of an example whose device times come from CUPTI. `stages` and `calls` (calls
/// of the CUDA runtime) have host times. `work` has the copies and kernels on the device.
/// `launches` is the number of kernel launches in all steps. `launch_ms` and `host_ms` are times
/// per step.
struct StepRows {
  std::vector<ProfileRow> stages = {}, calls = {}, work = {};
  std::int64_t launches = 0;
  double launch_ms = 0, host_ms = 0;

  void add(const StageResult& stage, const StageTime& time) {
    constexpr double call_share = 0.75;  // share of `time.call` spent in the CUDA runtime
    const double in_calls = time.call * call_share, own = time.host + time.call - in_calls;
    ProfileRow& row =
        stages.emplace_back(host_row(stage.label, kSteps, own, time.host + time.call));
    row.bytes = kSteps * (stage.link_bytes > 0 ? stage.link_bytes : stage.bytes);
    row.self_device_ns = row.device_ns = ns_of_steps(time.device);
    host_ms += time.host + time.call;
    if (time.device == 0) return;
    work.push_back(device_row(kernel_name(stage), time.device));
    if (stage.link_bytes == 0) {
      launches += kSteps;
      launch_ms += in_calls;
      return;
    }
    work.back().bytes = row.bytes;
    calls.push_back(host_row("cudaMemcpyAsync", kSteps, in_calls, in_calls));
  }
};

/// Returns the profile of a case whose steps (iterations) take `step_ms`. It has the rows of
/// StepRows, and two rows for the whole steps: one on the host and one on the device.
CaseProfile profile_of(const CaseResult& result, std::span<const StageTime> times, double step_ms) {
  constexpr double own_ms = 0.002;  // host time of a step outside of its stages and waits
  CaseProfile profile{.variant = result.variant,
                      .steps = kSteps,
                      .discarded = 1,
                      .counters = gpu_counters(),
                      .overhead = 1.03,
                      .clock_error_ns = 400,
                      .device_times = DeviceTimes::Cupti,
                      .times = times_of(result, times, step_ms),
                      .rows = {}};
  StepRows parts;
  for (std::size_t i = 0; i < times.size(); ++i) parts.add(result.stages[i], times[i]);
  const double wait_ms = step_ms - own_ms - parts.host_ms;
  if (parts.launches > 0)
    parts.calls.push_back(
        host_row("cudaLaunchKernel", parts.launches, parts.launch_ms, parts.launch_ms));
  parts.calls.push_back(host_row("cudaStreamSynchronize", kSteps, wait_ms, wait_ms));

  profile.rows = {host_row("ProfilerStep*", kSteps, own_ms, step_ms)};
  for (const auto* list : {&parts.stages, &parts.calls, &parts.work})
    profile.rows.insert(profile.rows.end(), list->begin(), list->end());
  profile.rows.push_back(device_row("ProfilerStep*", step_ms * 0.97));
  for (ProfileRow* step : {&profile.rows.front(), &profile.rows.back()}) step->annotation = true;
  for (const ProfileRow& row : parts.work) profile.rows.front().device_ns += row.device_ns;
  profile.losses.launches = profile.losses.launched =
      static_cast<std::int64_t>(parts.work.size()) * kSteps;
  return profile;
}

Json condition(int sm_clock_mhz, const std::vector<std::string>& reasons) {
  return {{"sm_clock_mhz", sm_clock_mhz},
          {"memory_clock_mhz", 2619},
          {"throttle_reasons", reasons},
          {"temperature_c", 41},
          {"power_w", 312.5},
          {"power_limit_w", 700.0},
          {"pcie", {{"generation", 5}, {"width", 16}}}};
}

Json example_device() {
  return {{"name", "Example GPU"},
          {"device", 0},
          {"uuid", "GPU-00000000-0000-0000-0000-000000000000"},
          {"compute_capability", "9.0"},
          {"driver", nullptr},
          {"memory_bytes", std::int64_t{80} << 30},
          {"l2_bytes", 52428800},
          {"pcie",
           {{"generation", 5},
            {"width", 16},
            {"max_generation", 5},
            {"max_width", 16},
            {"measured", "under load"}}},
          {"nvml", "available"}};
}

GroupResult gpu_group() {
  const std::vector<StageTime> host{{.host = 2.9}, {.device = 2.01, .call = 0.006}};
  const std::vector<StageTime> eager{{.device = 0.505, .call = 0.006},
                                     {.device = 0.062, .call = 0.004},
                                     {.device = 0.081, .call = 0.004},
                                     {.device = 0.082, .call = 0.004}};
  const std::vector<StageTime> fused{{.device = 0.505, .call = 0.006},
                                     {.device = 0.056, .call = 0.005}};
  GroupResult group;
  group.experiment = "example";
  group.question = "An example: normalise on the CPU, or send uint8 and normalise on the GPU?";
  group.cases = {
      timed({"CPU normalize, send f32", 4.93, DType::UInt8, {{"normalize"}, {"h2d"}}}, host),
      timed({"send u8, GPU eager", 0.76, DType::UInt8, {{"h2d"}, {"cast"}, {"sub"}, {"div"}}},
            eager),
      timed({"send u8, GPU fused", 0.585, DType::UInt8, {{"h2d"}, {"normalize"}}}, fused)};
  group.baseline = group.cases[0].variant;
  group.limits = {link_limit("h2d 27.6 MB pinned", 0.51, DType::UInt8),
                  link_limit("h2d 110.6 MB pinned", 2.02, DType::Float32)};
  group.stop = Stop::Precision;
  group.condition_before = condition(1'980, {});
  group.condition_after = condition(1'755, {"sw_power_cap"});
  group.profile = {profile_of(group.cases[0], host, 5.05), profile_of(group.cases[1], eager, 0.78),
                   profile_of(group.cases[2], fused, 0.6)};
  group.claims = {{"send uint8", "send u8, GPU fused", Relation::Less, "CPU normalize, send f32"}};
  return group;
}

/// Returns a case that pins memory in each iteration. The host pins the memory in the call of the
/// stage `pin`. This call lies between two CUDA events, so its time counts as device time, too.
CaseResult pinning_each_time() {
  const std::vector<StageTime> times{{.device = 17.9, .call = 18.0},
                                     {.device = 0.5, .call = 0.006}};
  CaseResult result = timed({"pin each time, h2d",
                             18.6,
                             DType::UInt8,
                             {{"pin", DType::UInt8, OutputPolicy::Fresh}, {"h2d"}}},
                            times);
  result.stages[0].place = Place::Cuda;
  result.stages[0].out.memory = Memory::Pinned;
  return result;
}

CaseResult sent_from(const std::string& variant, Memory memory, double ms) {
  const std::vector<StageTime> time{{.device = ms - 0.01, .call = 0.006}};
  CaseResult result = timed({variant, ms, DType::UInt8, {{"h2d"}}}, time);
  result.source->memory = memory;
  return result;
}

GroupResult pinning_group() {
  GroupResult group;
  group.experiment = "example";
  group.question = "An example: pin a batch first, or leave that to the copy?";
  group.cases = {sent_from("h2d from pageable memory", Memory::Pageable, 1.81), pinning_each_time(),
                 sent_from("h2d from pinned memory", Memory::Pinned, 0.51)};
  group.baseline = group.cases[0].variant;
  group.limits = {link_limit("h2d 27.6 MB pinned", 0.505, DType::UInt8)};
  group.stop = Stop::Precision;
  group.claims = {{"explicit pinning is slower than letting the copy stage",
                   "h2d from pageable memory", Relation::Less, "pin each time, h2d"}};
  return group;
}

Results on_a_gpu(Results results) {
  results.about = "An example with made-up times of a made-up GPU.";
  results.environment["places"]["cuda"] = "available";
  results.environment["gpu"] = example_device();
  return results;
}

}  // namespace

Results pinning() { return on_a_gpu(make_results("pinning-example", {pinning_group()})); }

Results gpu() { return on_a_gpu(make_results("gpu-example", {gpu_group()})); }

Results gpu_device_clock() {
  Results results = gpu();
  results.clock = DecidingClock::Device;
  return results;
}

}  // namespace normbench::examples
