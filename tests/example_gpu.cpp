#include <cmath>
#include <span>

#include "example_results.h"

namespace normbench::examples {

namespace {

/// Milliseconds of one stage: on the host, or on the GPU and in the calls that submit it.
struct StageTime {
  double host = 0, device = 0, call = 0;
};

std::int64_t part_of(const Round& round, double ms, double total_ms) {
  return std::llround(static_cast<double>(round.wall_ns) * ms / total_ms);
}

/// The case with its stages' times; a round varies by as much in all of them.
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
  for (Round& round : result.rounds) round.cpu_ns = round.wall_ns;  // waiting spins
  return result;
}

CaseResult link_limit(const std::string& name, double ms, DType dtype) {
  const std::vector<StageTime> time{{.device = ms - 0.01, .call = 0.004}};
  CaseResult limit = timed({name, ms, dtype, {{"h2d"}}}, time);
  limit.images = 0;
  limit.source->memory = Memory::Pinned;
  return limit;
}

/// A container that may not count, beside a GPU that meters its energy.
ProfileCounters gpu_counters() {
  ProfileCounters counters{};
  counters.software.voluntary_switches = 25;
  counters.hardware_missing =
      "not permitted in this container (EPERM: seccomp or a security module)";
  counters.gpu_joules = 14.5;
  counters.energy_missing = "no RAPL (no package in /sys/class/powercap/intel-rapl:*)";
  return counters;
}

CaseProfile profile_of(const CaseResult& result, std::span<const StageTime> times) {
  CaseProfile profile{.variant = result.variant,
                      .steps = 10,
                      .counters = gpu_counters(),
                      .overhead = 1.03,
                      .clock_error_ns = 1'200,
                      .rows = {}};
  const auto ns = [](double ms) { return std::llround(ms * 10 * 1e6); };
  for (std::size_t i = 0; i < times.size(); ++i) {
    const StageTime& time = times[i];
    const double own = time.host + time.call;
    profile.rows.push_back({.name = result.stages[i].label,
                            .place = "cpu",
                            .shapes = "",
                            .calls = 10,
                            .self_cpu_ns = ns(own),
                            .cpu_ns = ns(own),
                            .self_device_ns = ns(time.device),
                            .device_ns = ns(time.device)});
  }
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
  group.stop = "precision";
  group.condition_before = condition(1'980, {});
  group.condition_after = condition(1'755, {"sw_power_cap"});
  group.profile = {profile_of(group.cases[0], host), profile_of(group.cases[1], eager),
                   profile_of(group.cases[2], fused)};
  group.claims = {{"send uint8", "send u8, GPU fused", "<", "CPU normalize, send f32"}};
  return group;
}

/// "pin" is done by the host in its call, which the device's marks enclose.
CaseResult pinning_each_time() {
  const std::vector<StageTime> times{{.device = 17.9, .call = 18.0},
                                     {.device = 0.5, .call = 0.006}};
  CaseResult result = timed(
      {"pin each time, h2d", 18.6, DType::UInt8, {{"pin", DType::UInt8, "fresh"}, {"h2d"}}}, times);
  result.stages[0].place = "cuda";
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
  group.stop = "precision";
  group.claims = {{"explicit pinning is slower than letting the copy stage",
                   "h2d from pageable memory", "<", "pin each time, h2d"}};
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
  results.clock = "device";
  return results;
}

}  // namespace normbench::examples
