#include "plan/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/units.h"
#include "plan/stage_spec.h"
#include "plan/wiring.h"

namespace normbench {
namespace {

bool is_measured_on_cpu(const Case& work) {
  return !work.skip && work.source && std::ranges::all_of(work.stages, [](const Stage& stage) {
    return stage.place == Place::Cpu;
  });
}

/// A case of one stage on a source; nothing where no kernel does it.
std::optional<Case> plain_case(const StageSpec& stage, const Source& source, int threads,
                               const Backends& backends) {
  StageSpec start;
  start.op = source;
  Wiring wiring(backends);
  try {
    wiring.add(start);
    wiring.add(stage);
  } catch (const Invalid&) {
    return std::nullopt;
  } catch (const StageMistake&) {
    return std::nullopt;
  }
  Case limit = wiring.take();
  if (limit.skip) return std::nullopt;
  limit.threads = threads;
  return limit;
}

std::string suffix(const Case& work) {
  const Memory memory = work.values[0].desc.memory;
  return fmt::format(", {} thread{}{}", work.threads, work.threads == 1 ? "" : "s",
                     memory == Memory::Pageable ? "" : fmt::format(", {}", name_of(memory)));
}

/// Adds a limit under `name`, or under `exact` where another limit has that name.
void add(std::vector<Case>& limits, std::optional<Case> limit, std::string name,
         const std::string& exact) {
  if (!limit) return;
  for (const Case& other : limits) {
    if (other.variant != name) continue;
    if (other.values == limit->values) return;
    name = exact;
  }
  if (std::ranges::find(limits, name, &Case::variant) != limits.end()) return;
  limit->variant = limit->written = name;
  limits.push_back(std::move(*limit));
}

void add_streams(std::vector<Case>& limits, const Case& work, const Backends& backends) {
  const std::int64_t read = work.values[0].desc.bytes(), written = work.result().bytes();
  const std::int64_t unit = std::gcd(read, written);
  bool is_reference = true;
  for (const Kernel& row : backends.at(Place::Cpu)->kernels()) {
    if (row.op != Stream::name || std::exchange(is_reference, false)) continue;
    StageSpec stage;
    stage.op = Stream{.read_parts = read / unit, .write_parts = written / unit};
    stage.kernel = row.name;
    const std::string end = fmt::format(" {}{}", row.name, suffix(work));
    // On the case's own source: other pages of the machine may be a few percent faster or slower.
    add(limits, plain_case(stage, *work.source, work.threads, backends),
        fmt::format("stream {}:{}{}", format_bytes(static_cast<double>(read)),
                    format_bytes(static_cast<double>(written)), end),
        fmt::format("stream {}:{} B{}", format_count(read), format_count(written), end));
  }
}

/// The largest output that a stage of the group allocates anew from the operating system.
void add_first_touch(std::vector<Case>& limits, const std::vector<const Case*>& cases,
                     const Backends& backends) {
  const Case* owner = nullptr;
  TensorDesc largest;
  for (const Case* work : cases)
    for (const Stage& stage : work->stages)
      for (const TensorDesc& out : stage.signature.out)
        if (!stage.signature.pages_mapped && out.bytes() > largest.bytes()) {
          owner = work;
          largest = out;
        }
  if (owner == nullptr) return;
  StageSpec stage;
  stage.op = FirstTouch{};
  stage.output = OutputPolicy::Fresh;
  const std::string name = "first_touch " + format_bytes(static_cast<double>(largest.bytes()));
  const Source source{.layout = Layout::Nchw,
                      .memory = largest.memory,
                      .shape = {.n = 1, .c = 1, .h = 1, .w = largest.bytes()},
                      .path = {}};
  add(limits, plain_case(stage, source, owner->threads, backends), name, name);
}

}  // namespace

std::vector<Case> limits_of(const Group& group, const Backends& backends) {
  std::vector<Case> limits;
  std::vector<const Case*> cases;
  for (const Case& work : group.cases)
    if (is_measured_on_cpu(work)) cases.push_back(&work);
  for (const Case* work : cases) add_streams(limits, *work, backends);
  add_first_touch(limits, cases, backends);
  return limits;
}

}  // namespace normbench
