#include "measure/selftest/selftest.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/options.h"
#include "app/say.h"
#include "backend/cpu/simd_targets.h"
#include "core/issue.h"
#include "machine/environment.h"
#include "machine/process_limits.h"
#include "report/selftest_text.h"

namespace normbench {
namespace {

struct Said {
  std::string place, kernel, simd = "all", format = "text";
  bool quick = false, large = false;
  BackendOptions backend;
};

/// Free memory of the host, or what its container allows.
std::int64_t host_bytes() {
  const Json available = memory_facts("/").at("available_bytes");
  const std::int64_t free = available.is_number() ? available.get<std::int64_t>() : 0;
  return std::min(free, read_cgroup_limits("/").memory_bytes.value_or(free));
}

std::int64_t device_bytes(const Backends& backends) {
  Backend* const cuda = backends.at(Place::Cuda);
  const Json facts = cuda == nullptr || cuda->unavailable() ? Json() : cuda->describe();
  return facts.is_object() ? facts.value("memory_bytes", std::int64_t{0}) : 0;
}

/// Instruction sets to force. Throws Invalid for one that cannot be.
std::vector<std::string> chosen_simd(const std::string& said) {
  if (said == "all") return simd_targets();
  use_simd(said);
  return {said};
}

selftest::Options options(const Said& said, const Backends& backends) {
  selftest::Options options{.glob = said.kernel,
                            .quick = said.quick,
                            .large = said.large,
                            .simd = chosen_simd(said.simd)};
  if (available_threads() > 1) options.threads = available_threads();
  if (!said.place.empty()) {
    options.place = parse_word<Place>(said.place);
    if (!options.place)
      throw Invalid(
          fmt::format("unknown place \"{}\" (known: {})", said.place, known_words<Place>()));
  }
  if (!said.quick) {
    options.host_bytes = host_bytes();
    options.device_bytes = device_bytes(backends);
  }
  if (isatty(STDERR_FILENO))
    options.step = [](std::string_view step) { tell("\r\033[Ktesting {}", step); };
  return options;
}

/// Failed too when nothing was tested at all.
Exit outcome(const selftest::Findings& findings) {
  bool tested = false, failed = false;
  for (const selftest::PlaceFinding& place : findings.places) {
    tested = tested || !place.rows.empty();
    failed = failed || failed_rows(place) > 0;
  }
  return tested && !failed ? Exit::Fine : Exit::Failed;
}

Exit run_selftest(const Said& said) {
  if (said.format != "text" && said.format != "json")
    throw Invalid(fmt::format("unknown format \"{}\" (known: text, json)", said.format));
  const Backends backends = make_backends(said.backend);
  const selftest::Options chosen = options(said, backends);
  const selftest::Findings findings = selftest::run(backends, chosen);
  if (chosen.step) tell("\r\033[K");
  if (said.format == "json")
    say("{}\n", selftest_json(findings).dump(2));
  else
    say("{}", selftest_text(findings));
  return outcome(findings);
}

}  // namespace

std::function<Exit()> declare_selftest(CLI::App& app) {
  const auto said = std::make_shared<Said>();
  app.add_option("--place", said->place, "Only rows of this place: cpu or cuda")
      ->type_name("PLACE");
  app.add_option("--kernel", said->kernel, "Only rows whose op/kernel, op or kernel matches")
      ->type_name("GLOB");
  add_device_option(app, said->backend);
  app.add_option("--simd", said->simd,
                 "CPU rows on this instruction set only, e.g. AVX2 (default: all, one by one)")
      ->type_name("TARGET");
  app.add_flag("--quick", said->quick, "Few small tensors: for compute-sanitizer");
  app.add_flag("--large", said->large, "Tensors of more than 2^31 elements on the CPU too");
  app.add_option("--format", said->format, "text or json")->type_name("NAME");
  return [said] { return run_selftest(*said); };
}

}  // namespace normbench
