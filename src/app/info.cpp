#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/machine.h"
#include "app/machine_limits.h"
#include "app/options.h"
#include "app/say.h"
#include "core/issue.h"
#include "machine/topology.h"
#include "measure/costs.h"
#include "record/clock.h"
#include "report/info_text.h"

namespace normbench {
namespace {

struct InfoOptions {
  std::string format = "text";
  std::string machine;
  BackendOptions backend;
  bool no_limits = false;
};

Json info_document(const InfoOptions& said, const Backends& backends) {
  const Json machine = described_machine(backends, said.machine);
  SystemClock clock;
  Json info = {{"tool", tool()},
               {"environment", machine},
               {"pci_gpus", pci_gpus()},
               {"costs", to_json(measuring_costs(clock))}};
  if (!said.no_limits) info["limits"] = measure_machine_limits(backends);
  info["missing"] = missing_parts(machine);
  return info;
}

Exit show_info(const InfoOptions& said) {
  if (said.format != "text" && said.format != "json")
    throw Invalid(fmt::format("unknown format \"{}\" (known: text, json)", said.format));
  const std::atomic<bool>& interrupted = watch_for_interrupts();
  const Json info = info_document(said, make_backends(said.backend));
  if (said.format == "json")
    say("{}\n", info.dump(2));
  else
    say("{}", info_text(info));
  return interrupted ? Exit::Interrupted : Exit::Fine;
}

}  // namespace

std::function<Exit()> declare_info(CLI::App& app) {
  const auto said = std::make_shared<InfoOptions>();
  app.add_option("--format", said->format, "text or json");
  app.add_option("--machine", said->machine, "A name to show instead of the host's");
  app.add_flag("--no-limits", said->no_limits, "Measure no limits: done at once, not in 10 s");
  add_device_option(app, said->backend);
  add_simd_option(app, said->backend);
  return [said] { return show_info(*said); };
}

}  // namespace normbench
