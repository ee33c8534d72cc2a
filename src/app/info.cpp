#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "analysis/machine_limits.h"
#include "app/commands.h"
#include "app/machine.h"
#include "app/options.h"
#include "app/profiling.h"
#include "app/progress.h"
#include "app/run_context.h"
#include "app/terminal.h"
#include "machine/energy.h"
#include "machine/environment.h"
#include "machine/hardware_counters.h"
#include "machine/topology.h"
#include "measure/costs.h"
#include "measure/runner.h"
#include "record/clock.h"
#include "record/nvtx.h"
#include "report/info_text.h"
#include "report/link_text.h"

namespace normbench {
namespace {

// The configs that measure the machine's limits. In the table of limits, each experiment is a kind
// of limit, and each variant is a row. The name of a row lacks the values of the variant's axes. If
// a variant has several kernels, its row shows the fastest one.

/// Limits of memory, not of caches. Successive iterations use different buffers, which together are
/// more than three times as large as the last-level cache.
constexpr std::string_view kMemoryLimits = R"({
  "schema": 1,
  "name": "memory-limits",
  "measure": {"precision": 0.02, "max_seconds_per_group": 1, "cache": "cold"},
  "experiments": [{
    "name": "memory",
    "vary": {"threads": [1, "all"], "kernel": ["temporal", "nt"]},
    "threads": "$threads",
    "source": {"dtype": "uint8", "batch": 20, "size": [512, 512]},
    "variants": {
      "read 1 : write 1": [{"op": "stream", "read": 1, "write": 1, "kernel": "$kernel"}],
      "read 1 : write 2": [{"op": "stream", "read": 1, "write": 2, "kernel": "$kernel"}],
      "read 1 : write 4": [{"op": "stream", "read": 1, "write": 4, "kernel": "$kernel"}]
    }
  }]
})";

/// All other limits. Each iteration uses the same buffers. Buffers for the link and the GPU have
/// 256 MiB, more than the caches.
constexpr std::string_view kOtherLimits = R"({
  "schema": 1,
  "name": "other-limits",
  "measure": {"precision": 0.02, "max_seconds_per_group": 0.5, "cache": "hot"},
  "defaults": {"source": {"dtype": "float32", "batch": 85, "size": [512, 514]}},
  "experiments": [
    {
      "name": "cache",
      "source": {"batch": 1, "size": [128, 170]},
      "variants": {
        "read 1 : write 1": [{"op": "stream", "read": 1, "write": 1, "kernel": "temporal"}],
        "read 1 : write 4": [{"op": "stream", "read": 1, "write": 4, "kernel": "temporal"}]
      }
    },
    {
      "name": "page faults",
      "vary": {"threads": [1, "all"]},
      "source": {"batch": 20, "size": [512, 512]},
      "threads": "$threads",
      "variants": {"first touch of a page": [{"op": "first_touch", "output": "fresh"}]}
    },
    {
      "name": "threads",
      "source": {"batch": 1, "size": [64, 64]},
      "threads": "all",
      "variants": {"start and join a team": [{"op": "launch", "place": "cpu"}]}
    },
    {
      "name": "link",
      "vary": {"memory": ["pinned", "pageable"]},
      "variants": {
        "to the GPU": [{"op": "source", "memory": "$memory"}, "h2d"],
        "from the GPU": [{"op": "source", "memory": "device"}, {"op": "d2h", "memory": "$memory"}],
        "both ways at once, pinned": [{"op": "source", "memory": "pinned"}, "exchange"],
        "read by a kernel, pinned": [
          {"op": "source", "memory": "pinned"},
          {"op": "stream", "read": 1, "write": 0, "place": "cuda", "memory": "device"}
        ]
      }
    },
    {
      "name": "GPU memory",
      "vary": {"kernel": ["vector", "streaming"]},
      "source": {"memory": "device"},
      "variants": {
        "read 1 : write 1": [{"op": "stream", "read": 1, "write": 1, "kernel": "$kernel"}],
        "read 1 : write 2": [{"op": "stream", "read": 1, "write": 2, "kernel": "$kernel"}],
        "read 1 : write 4": [{"op": "stream", "read": 1, "write": 4, "kernel": "$kernel"}]
      }
    },
    {
      "name": "launch",
      "source": {"batch": 1, "size": [64, 64], "memory": "device"},
      "variants": {"launch": ["launch"], "launch and wait": ["launch", "sync"]}
    }
  ]
})";

/// Returns a plan without the limits that the planner adds, because here the cases are the limits.
Plan limits_plan(std::string_view config, const Backends& backends) {
  ConfigOptions options;
  options.no_profile = true;
  Plan plan = make_plan("limits", config, backends, plan_options(options, "limits", backends));
  for (Group& group : plan.groups) group.limits.clear();
  return plan;
}

Results measured_limits(const Plan& plan, const Backends& backends, ProgressStyle style) {
  Progress progress(plan, style);
  // A kernel that hangs cannot be stopped, so the process ends.
  OwnRunContext own(backends, progress, plan, [](std::size_t, const std::string& hung) {
    tell("\nnormbench: {} hangs; run `normbench info --no-limits`\n", hung);
    _exit(static_cast<int>(Exit::Failed));
  });
  return run(plan, own.context).results;
}

/// Runs kMemoryLimits and kOtherLimits, and adds the machine's limits to `limits`. Writes no files.
/// Returns false when interrupted; `limits` is then incomplete.
bool measure_machine_limits(const Backends& backends, ProgressStyle style,
                            std::vector<MachineLimit>& limits) {
  if (style == ProgressStyle::Lines)
    tell("measuring limits, about 10 s (--no-limits shows the rest at once)\n");
  for (const std::string_view config : {kMemoryLimits, kOtherLimits}) {
    const Results results = measured_limits(limits_plan(config, backends), backends, style);
    std::ranges::move(machine_limits(results), std::back_inserter(limits));
    if (results.interrupted) return false;
  }
  return true;
}

/// A part of the machine or of the build. Without it, some numbers are missing or less exact.
struct Capability {
  const char *key, *name, *means;
  std::string (*missing)(const Json& environment);  // returns why it is missing, or ""
};

std::string unless_available(const std::string& state) { return state == "available" ? "" : state; }

std::string missing_cuda(const Json& environment) {
  return unless_available(environment.at("places").at("cuda"));
}

std::string missing_nvml(const Json& environment) {
  const Json& gpu = environment.at("gpu");
  return gpu.is_object() ? unless_available(gpu.value("nvml", "available"))
                         : "not looked for without a GPU";
}

/// Attaches CUPTI and detaches it again. Returns why that failed, or "".
std::string missing_cupti(const Json& environment) {
  if (!environment.at("gpu").is_object()) return "not looked for without a GPU";
  const auto tracer = make_device_tracer(environment, attached_tool());
  if (tracer == nullptr) return attached_tool()->name + " is attached and has it";
  return tracer->attach() ? "" : tracer->missing();
}

std::string missing_nvtx(const Json&) { return std::string(nvtx::missing()); }

std::string missing_perf_events(const Json&) {
  KernelPerfEvents events;
  return HardwareCounters(events).counts().missing;
}

std::string missing_rapl(const Json&) { return Rapl("/").missing(); }

std::string missing_frequency(const Json& environment) {
  return environment.at("cpu").value("governor_unknown", "");
}

constexpr auto kCapabilities = std::to_array<Capability>({
    {"cuda", "GPU", "variants that use a GPU are skipped; only the bytes they move are known",
     &missing_cuda},
    {"nvml", "NVML", "no clocks, temperature, power or joules of a GPU", &missing_nvml},
    {"cupti", "CUPTI",
     "GPU times are from CUDA events: by stage, not by kernel, good to about 1 us", &missing_cupti},
    {"nvtx", "NVTX", "ranges do not show in Nsight Systems", &missing_nvtx},
    {"perf_events", "perf events", "cycles, instructions per cycle and LLC misses are blank",
     &missing_perf_events},
    {"rapl", "RAPL", "joules per image are blank, or those of the GPU alone", &missing_rapl},
    {"cpu_frequency", "CPU frequency",
     "a change of clock looks like noise; compare only runs of one session", &missing_frequency},
});

/// Returns what this machine, its settings or this build lack, with the reason (`why`) and the
/// effect on numbers (`means`): {"cuda": {"name", "why", "means"}, "perf_events": ...}.
Json missing_parts(const Json& environment) {
  Json missing = Json::object();
  for (const Capability& part : kCapabilities)
    if (const std::string why = part.missing(environment); !why.empty())
      missing[part.key] = {{"name", part.name}, {"why", why}, {"means", part.means}};
  return missing;
}

struct InfoOptions {
  TextOrJson format = TextOrJson::Text;
  std::string machine;
  BackendOptions backend;
  bool no_limits = false;
  bool quiet = false;
};

/// Returns the document that `normbench info` prints. It has "limits" unless --no-limits is given,
/// and "interrupted" if only some of the limits were measured.
Json info_document(const InfoOptions& options, const Backends& backends,
                   std::vector<MachineLimit>& limits) {
  // Initialises the devices. Only then is it known what can be used.
  for (const auto& backend : backends.list) backend->ready();
  const Json machine = described_machine(backends, options.machine);
  SystemClock clock;
  Json info = {{"tool", tool()},
               {"environment", machine},
               {"pci_gpus", pci_gpus()},
               {"costs", to_json(measuring_costs(clock))}};
  if (!options.no_limits) {
    if (!measure_machine_limits(backends, progress_style(options.quiet), limits))
      info["interrupted"] = true;
    info["limits"] = Json::array();
    for (const MachineLimit& limit : limits) info["limits"].push_back(to_json(limit));
    if (const auto speed = link_speed(machine, limits)) info["link"] = to_json(*speed);
  }
  info["missing"] = missing_parts(machine);
  return info;
}

Exit show_info(const InfoOptions& options) {
  const std::atomic<bool>& interrupted = watch_for_interrupts();
  std::vector<MachineLimit> limits;
  const Json info = info_document(options, make_backends(options.backend), limits);
  options.format == TextOrJson::Json ? write_result(info.dump(2) + "\n")
                                     : show(info_text(info, limits, stdout_screen()));
  if (!interrupted) suggest(options.quiet, "normbench init --images DIR");
  return interrupted ? Exit::Interrupted : Exit::Fine;
}

}  // namespace

Subcommand make_info() {
  const auto options = std::make_shared<InfoOptions>();
  return {
      .options = {format_option(options->format, "text or json"),
                  {"--machine", "NAME", "A name to show instead of the host's", &options->machine},
                  {"--no-limits", "", "Do not measure limits: done at once, not in 10 s",
                   &options->no_limits},
                  quiet_option(options->quiet),
                  device_option(options->backend),
                  simd_option(options->backend)},
      .run = [options] { return show_info(*options); }};
}

}  // namespace normbench
