#include "measure/selftest/selftest.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "backend/cpu/simd_targets.h"
#include "core/issue.h"
#include "measure/selftest/rows.h"

namespace normbench::selftest {
namespace {

bool is_chosen(const Kernel& kernel, const std::string& glob) {
  if (kernel.place == Place::Cpu && kernel.name == "reference") return false;
  if (glob.empty()) return true;
  const std::string op(kernel.op), name(kernel.name);
  return std::ranges::any_of(std::array{op + "/" + name, op, name}, [&](const std::string& text) {
    return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
  });
}

std::vector<Candidate> candidates(const Backend& backend, const std::string& glob) {
  std::vector<Candidate> chosen;
  for (const Kernel& kernel : backend.kernels())
    if (is_chosen(kernel, glob))
      chosen.push_back(
          {.kernel = &kernel,
           .finding = {.op = std::string(kernel.op), .kernel = std::string(kernel.name)}});
  return chosen;
}

/// Removes the kernel rows of ops that have no test cases, and adds a note for each row.
void leave_out_untestable(std::vector<Candidate>& rows, std::vector<NotTested>& notes) {
  const auto untestable = [](const Candidate& row) {
    return samples(row.kernel->op, {1, 1, 1, 1}).empty();
  };
  for (const Candidate& row : rows)
    if (untestable(row))
      notes.push_back(
          {.kind = NotTested::Kind::NoCases, .op = row.finding.op, .kernel = row.finding.kernel});
  std::erase_if(rows, untestable);
}

void test_ops(Lab& lab, std::vector<Candidate>& rows, const Options& options) {
  for (const std::string& op : op_names()) {
    std::vector<Candidate*> of_op;
    for (Candidate& row : rows)
      if (row.finding.op == op) of_op.push_back(&row);
    if (of_op.empty() || lab.is_over()) continue;
    if (options.step) options.step(fmt::format("{}: {}", name_of(lab.backend().place()), op));
    test_op(lab, op, of_op, options.quick);
    test_rounding(lab, op, of_op, options.quick);
    for (Candidate* row : of_op) row->done = row->stopped || !lab.is_over();
  }
}

/// Returns the instruction sets and the team size with which a CPU is tested. Returns the defaults
/// for a device, which has neither.
Equipment equipment_of(const Backend& backend, const Options& options) {
  Equipment equipment;
  if (backend.place() != Place::Cpu) return equipment;
  if (!options.simd.empty()) equipment.simd = options.simd;
  equipment.threads = options.threads;
  return equipment;
}

NotTested untested_simd(const std::vector<std::string>& tested) {
  NotTested note{.kind = NotTested::Kind::Simd, .missing = missing_simd_targets()};
  for (const std::string& target : simd_targets())
    if (std::ranges::find(tested, target) == tested.end()) note.unasked.push_back(target);
  return note;
}

/// Adds a failure to kernel rows that accepted no case, and to kernel rows that did not get all
/// their cases because the device was lost.
void judge_coverage(const Lab& lab, std::vector<Candidate>& rows) {
  for (Candidate& row : rows) {
    RowFinding& finding = row.finding;
    finding.finished = row.done;
    if (!row.done && lab.lost())
      fail(finding, fmt::format("not tested to the end, because nothing can run here any more: {}",
                                *lab.lost()));
    else if (row.done && finding.accepted == 0)
      fail(finding, fmt::format("accepts none of {} cases", finding.offered));
  }
}

PlaceFinding test_place(const Backends& backends, Backend& backend, const Options& options) {
  PlaceFinding found{.place = backend.place(), .unavailable = backend.ready()};
  if (found.unavailable) return found;
  std::vector<Candidate> rows = candidates(backend, options.glob);
  leave_out_untestable(rows, found.notes);
  Lab lab(backends, backend, equipment_of(backend, options), options.interrupted);
  if (backend.place() == Place::Cpu) {
    found.simd = options.simd;
    found.teams = teams(options.quick, lab.equipment);
    if (!found.simd.empty()) found.notes.push_back(untested_simd(found.simd));
  }
  test_ops(lab, rows, options);
  if (!options.quick || options.large) {
    const bool host = backend.place() == Place::Cpu;
    if (options.step) options.step(fmt::format("{}: large tensors", name_of(backend.place())));
    const auto note =
        test_large(lab, rows, host ? options.host_bytes : options.device_bytes, options.large);
    if (note) found.notes.push_back(*note);
  }
  judge_coverage(lab, rows);
  found.lost = lab.lost();
  for (Candidate& row : rows) found.rows.push_back(std::move(row.finding));
  return found;
}

}  // namespace

Findings run(const Backends& backends, const Options& options) {
  Findings findings{.quick = options.quick, .places = {}};
  bool any = options.glob.empty();
  for (const auto& backend : backends.list) {
    if (options.place && backend->place() != *options.place) continue;
    any = any || !candidates(*backend, options.glob).empty();
  }
  if (!any)
    throw Invalid(
        fmt::format("--kernel {}: no row to test has that op or name (normbench list "
                    "kernels shows them)",
                    options.glob));
  for (const auto& backend : backends.list)
    if (!options.place || backend->place() == *options.place)
      findings.places.push_back(test_place(backends, *backend, options));
  return findings;
}

}  // namespace normbench::selftest
