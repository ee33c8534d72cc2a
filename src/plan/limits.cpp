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

bool uses_gpu(const Case& work) {
  return !work.skip && std::ranges::any_of(work.stages, [](const Stage& stage) {
    return stage.place == Place::Cuda;
  });
}

/// True for a case that device memory alone could bound.
bool stays_on_device(const Case& work) {
  return uses_gpu(work) && work.source && std::ranges::all_of(work.values, [](const Value& value) {
           return value.desc.memory == Memory::Device;
         });
}

/// Bytes of no meaning, as many as `bytes`.
Source plain_source(std::int64_t bytes, Memory memory) {
  return {.layout = Layout::Nchw,
          .memory = memory,
          .shape = {.n = 1, .c = 1, .h = 1, .w = bytes},
          .path = {}};
}

StageSpec spec_of(Op op) {
  StageSpec spec;
  spec.op = std::move(op);
  return spec;
}

/// A case of these stages on a source; nothing where no kernel does one of them.
std::optional<Case> plain_case(const std::vector<StageSpec>& stages, const Source& source,
                               int threads, const Backends& backends) {
  Wiring wiring(backends);
  try {
    wiring.add(spec_of(source));
    for (const StageSpec& stage : stages) wiring.add(stage);
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

/// What tells streams of the same bytes apart, beside their rows.
std::string suffix(const Case& work, Place place) {
  if (place == Place::Cuda) return ", cuda";
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

void add_streams(std::vector<Case>& limits, const Case& work, Place place,
                 const Backends& backends) {
  const std::int64_t read = work.values[0].desc.bytes(), written = work.result().bytes();
  const std::int64_t unit = std::gcd(read, written);
  bool is_reference = true;
  for (const Kernel& row : backends.at(place)->kernels()) {
    if (row.op != Stream::name || std::exchange(is_reference, false)) continue;
    StageSpec stage = spec_of(Stream{.read_parts = read / unit, .write_parts = written / unit});
    stage.kernel = row.name;
    const std::string end = fmt::format(" {}{}", row.name, suffix(work, place));
    // On the case's own source: other pages of the machine may be a few percent faster or slower.
    add(limits, plain_case({stage}, *work.source, work.threads, backends),
        fmt::format("stream {}:{}{}", format_bytes(static_cast<double>(read)),
                    format_bytes(static_cast<double>(written)), end),
        fmt::format("stream {}:{} B{}", format_count(read), format_count(written), end));
  }
}

/// For every transfer of the case, the copy engine's own speed: as many bytes, pinned.
void add_transfers(std::vector<Case>& limits, const Case& work, const Backends& backends) {
  for (const Stage& stage : work.stages) {
    const bool up = std::holds_alternative<H2d>(stage.op);
    if (!up && !std::holds_alternative<D2h>(stage.op)) continue;
    const std::int64_t bytes = stage.signature.in[0].bytes();
    StageSpec copy = spec_of(stage.op);
    copy.memory = up ? Memory::Device : Memory::Pinned;
    add(limits,
        plain_case({copy}, plain_source(bytes, up ? Memory::Pinned : Memory::Device), work.threads,
                   backends),
        fmt::format("{} {} pinned", name_of(stage.op), format_bytes(static_cast<double>(bytes))),
        fmt::format("{} {} B pinned", name_of(stage.op), format_count(bytes)));
  }
}

/// The smallest tensor in device memory that the cases have; null for none.
const TensorDesc* smallest_on_device(const std::vector<const Case*>& cases) {
  const TensorDesc* smallest = nullptr;
  for (const Case* work : cases)
    for (const Value& value : work->values)
      if (value.desc.memory == Memory::Device &&
          (smallest == nullptr || value.desc.bytes() < smallest->bytes()))
        smallest = &value.desc;
  return smallest;
}

/// What giving the GPU any work costs, and waiting for it. Neither touches its tensor, and a tiny
/// one would take the most copies of all to exceed the cache.
void add_launches(std::vector<Case>& limits, const std::vector<const Case*>& cases,
                  const Backends& backends) {
  const TensorDesc* tensor = smallest_on_device(cases);
  if (tensor == nullptr) return;
  const Source source{.dtype = tensor->dtype,
                      .layout = tensor->layout,
                      .memory = Memory::Device,
                      .shape = tensor->shape,
                      .path = {}};
  const int threads = cases[0]->threads;
  const StageSpec launch = spec_of(EmptyLaunch{}), sync = spec_of(Sync{});
  add(limits, plain_case({launch}, source, threads, backends), "launch", "launch");
  add(limits, plain_case({launch, sync}, source, threads, backends), "launch + sync",
      "launch + sync");
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
  StageSpec stage = spec_of(FirstTouch{});
  stage.output = OutputPolicy::Fresh;
  const std::string name = "first_touch " + format_bytes(static_cast<double>(largest.bytes()));
  const Source source = plain_source(largest.bytes(), largest.memory);
  add(limits, plain_case({stage}, source, owner->threads, backends), name, name);
}

}  // namespace

std::vector<Case> limits_of(const Group& group, const Backends& backends) {
  std::vector<Case> limits;
  std::vector<const Case*> on_cpu, on_gpu;
  for (const Case& work : group.cases) {
    if (is_measured_on_cpu(work)) on_cpu.push_back(&work);
    if (uses_gpu(work)) on_gpu.push_back(&work);
  }
  for (const Case* work : on_cpu) add_streams(limits, *work, Place::Cpu, backends);
  add_first_touch(limits, on_cpu, backends);
  for (const Case* work : on_gpu) {
    if (stays_on_device(*work)) add_streams(limits, *work, Place::Cuda, backends);
    add_transfers(limits, *work, backends);
  }
  add_launches(limits, on_gpu, backends);
  return limits;
}

}  // namespace normbench
