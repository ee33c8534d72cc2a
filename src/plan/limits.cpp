#include "plan/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "plan/limit_case.h"
#include "plan/stream_limits.h"

namespace normbench {
namespace {

bool has_stage_at(const Case& work, Place place) {
  return std::ranges::any_of(work.stages, [&](const Stage& stage) { return stage.place == place; });
}

/// Cases of the group that run and have a stage there.
std::vector<const Case*> cases_at(const Group& group, Place place) {
  std::vector<const Case*> cases;
  for (const Case& work : group.cases)
    if (!work.skip && has_stage_at(work, place)) cases.push_back(&work);
  return cases;
}

/// As many bytes as a transfer moves, from or to host memory of this kind.
void add_transfer(std::vector<Case>& limits, const Stage& stage, Memory host, const Group& group,
                  const Backends& backends) {
  const bool up = std::holds_alternative<H2d>(stage.op);
  const std::int64_t bytes = stage.signature.in[0].bytes();
  StageSpec copy = spec_of(stage.op);
  copy.memory = up ? Memory::Device : host;
  const Source source = source_like(group, bytes, up ? host : Memory::Device);
  add_limit(limits, plain_case({copy}, source, 1, backends),
            fmt::format("{} {} {}", name_of(stage.op), format_bytes(static_cast<double>(bytes)),
                        name_of(host)),
            fmt::format("{} {} B {}", name_of(stage.op), format_count(bytes), name_of(host)));
}

/// Both directions of the link at once, for a case that uses both: as many bytes as it sends up.
void add_exchange(std::vector<Case>& limits, const Case& work, const Group& group,
                  const Backends& backends) {
  const auto up = std::ranges::find_if(
      work.stages, [](const Stage& stage) { return std::holds_alternative<H2d>(stage.op); });
  const bool down = std::ranges::any_of(
      work.stages, [](const Stage& stage) { return std::holds_alternative<D2h>(stage.op); });
  if (up == work.stages.end() || !down) return;
  const std::int64_t bytes = up->signature.in[0].bytes();
  const Source source = source_like(group, bytes, Memory::Pinned);
  add_limit(limits, plain_case({spec_of(Exchange{})}, source, 1, backends),
            fmt::format("exchange {} pinned", format_bytes(static_cast<double>(bytes))),
            fmt::format("exchange {} B pinned", format_count(bytes)));
}

/// For every transfer of the case the copy engine's own speed, from pinned memory; and what
/// pageable memory makes of it where the case uses that.
void add_transfers(std::vector<Case>& limits, const Case& work, const Group& group,
                   const Backends& backends) {
  for (const Stage& stage : work.stages) {
    const bool up = std::holds_alternative<H2d>(stage.op);
    if (!up && !std::holds_alternative<D2h>(stage.op)) continue;
    const Memory host = (up ? stage.signature.in : stage.signature.out)[0].memory;
    add_transfer(limits, stage, Memory::Pinned, group, backends);
    if (is_pageable(host)) add_transfer(limits, stage, host, group, backends);
  }
  add_exchange(limits, work, group, backends);
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
  add_limit(limits, plain_case({launch}, source, threads, backends), "launch", "launch");
  add_limit(limits, plain_case({launch, sync}, source, threads, backends), "launch + sync",
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
        if (!stage.signature.pages_mapped && is_pageable(out.memory) &&
            out.bytes() > largest.bytes()) {
          owner = work;
          largest = out;
        }
  if (owner == nullptr) return;
  StageSpec stage = spec_of(FirstTouch{});
  stage.output = OutputPolicy::Fresh;
  const std::string name = "first_touch " + format_bytes(static_cast<double>(largest.bytes()));
  const Source source = plain_source(largest.bytes(), largest.memory);
  add_limit(limits, plain_case({stage}, source, owner->threads, backends), name, name);
}

}  // namespace

std::vector<Case> limits_of(const Group& group, const Backends& backends) {
  std::vector<Case> limits;
  const auto on_cpu = cases_at(group, Place::Cpu), on_gpu = cases_at(group, Place::Cuda);
  if (!on_cpu.empty()) add_streams(limits, group, Place::Cpu, backends);
  add_first_touch(limits, on_cpu, backends);
  if (!on_gpu.empty()) add_streams(limits, group, Place::Cuda, backends);
  for (const Case* work : on_gpu) add_transfers(limits, *work, group, backends);
  add_launches(limits, on_gpu, backends);
  return limits;
}

}  // namespace normbench
