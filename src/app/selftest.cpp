#include "measure/selftest/selftest.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/terminal.h"
#include "backend/cpu/simd_targets.h"
#include "machine/environment.h"
#include "machine/process_limits.h"
#include "report/selftest_text.h"

namespace normbench {
namespace {

struct SelftestOptions {
  std::optional<Place> place;
  std::string kernel, simd = "all";
  TextOrJson format = TextOrJson::Text;
  bool quick = false, large = false, quiet = false;
  BackendOptions backend;
};

/// Returns the free memory of the host in bytes, or the memory limit of the container if that is
/// less. Returns 0 if the free memory is unknown.
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

/// Returns the instruction sets to test. If `said` is "all", these are all that this machine can
/// use, otherwise only the one named `said`. Throws Invalid if this machine cannot use that one.
std::vector<std::string> chosen_simd(const std::string& said) {
  if (said == "all") return simd_targets();
  use_simd(said);
  return {said};
}

selftest::Options what_to_test(const SelftestOptions& said, const Backends& backends,
                               LiveLine& line) {
  selftest::Options options{.place = said.place,
                            .glob = said.kernel,
                            .quick = said.quick,
                            .large = said.large,
                            .simd = chosen_simd(said.simd),
                            .interrupted = &watch_for_interrupts()};
  if (available_threads() > 1) options.threads = available_threads();
  if (!said.quick || said.large) {
    options.host_bytes = host_bytes();
    options.device_bytes = device_bytes(backends);
  }
  if (line.style() == ProgressStyle::Live)
    options.step = [&line](std::string_view step) { line.show(fmt::format("testing {}", step)); };
  return options;
}

/// Returns false if nothing was tested. That is so if the place that the user chose is not
/// available, or if no chosen kernel row (an implementation of an op) has test cases.
bool tested_any(const selftest::Findings& findings) {
  return std::ranges::any_of(findings.places,
                             [](const auto& place) { return !place.rows.empty(); });
}

Exit outcome(const selftest::Findings& findings) {
  bool failed = !tested_any(findings), unfinished = false;
  for (const selftest::PlaceFinding& place : findings.places) {
    failed = failed || failed_rows(place) > 0;
    unfinished = unfinished || unfinished_rows(place) > 0;
  }
  if (failed) return Exit::Failed;
  return unfinished ? Exit::Interrupted : Exit::Fine;
}

Exit run_selftest(const SelftestOptions& said) {
  const Backends backends = make_backends(said.backend);
  LiveLine line(progress_style(said.quiet));
  const selftest::Options chosen = what_to_test(said, backends, line);
  const selftest::Findings findings = selftest::run(backends, chosen);
  line.clear();
  said.format == TextOrJson::Json ? write_result(selftest_json(findings).dump(2) + "\n")
                                  : show(selftest_text(findings, stdout_screen()));
  if (!tested_any(findings)) tell("normbench: nothing was tested\n");
  const Exit code = outcome(findings);
  if (code == Exit::Fine) suggest(said.quiet, "normbench init --images DIR");
  return code == Exit::Fine && *chosen.interrupted ? Exit::Interrupted : code;
}

}  // namespace

Subcommand make_selftest() {
  const auto said = std::make_shared<SelftestOptions>();
  return {
      .options = {{"--place", "PLACE", "Only rows of this place: cpu or cuda",
                   word_of<Place>(said->place)},
                  {"--kernel", "GLOB", "Only rows whose op/kernel, op or kernel matches",
                   &said->kernel},
                  device_option(said->backend),
                  {"--simd", "TARGET",
                   "CPU rows on this instruction set only, e.g. AVX2 (default: all, one by one)",
                   &said->simd},
                  {"--quick", "", "Few small tensors: for compute-sanitizer", &said->quick},
                  {"--large", "",
                   "Tensors of more than 2^31 elements on the CPU too, and with --quick",
                   &said->large},
                  quiet_option(said->quiet),
                  format_option(said->format, "text or json")},
      .run = [said] { return run_selftest(*said); },
      .help =
          "Exits 1 where a row is wrong, and where nothing could be tested: without the place "
          "that was asked for, or where no such row has cases."};
}

}  // namespace normbench
