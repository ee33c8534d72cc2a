/// The body for a task: the pattern by which its input is read.
#pragma once

#include "backend/cuda/fused_task.h"
#include "backend/cuda/planes3.cuh"

namespace normbench::cuda {

/// Fills what all bodies have in common.
template <class In, class Out, class Body, class Function>
Body make_body(const FusedTask& task, const Walk& walk, const Function& function) {
  const auto address = reinterpret_cast<std::uintptr_t>(task.out.data);
  const Slots slots = Slots::of(walk, address, sizeof(Out), Body::depth, task.enough_threads);
  Body body{};
  body.threads = slots.threads;
  body.walk = walk;
  body.slots = slots;
  body.in = reinterpret_cast<const In*>(task.in.data);
  body.out = reinterpret_cast<Out*>(task.out.data);
  body.streaming = task.streaming;
  body.function = function;
  return body;
}

/// Calls `use(body)` with the body that does the task in one pass, and gives what it gives.
template <class In, class Out, class Function, class Use>
auto with_body(const FusedTask& task, const Function& function, Use use) {
  const auto fused = [&]<class Pattern>(Pattern, const Walk& walk) {
    auto body = make_body<In, Out, Fused<Pattern, In, Out, Function>>(task, walk, function);
    body.step = Spot::at(walk, std::int64_t{body.count} << body.slots.lane_bits, 0);
    return use(body);
  };
  if (goes_to_planes3(task)) {
    const FusedTask first = first_plane(task);
    const Walk walk = make_walk(first.in.desc, first.out.desc, true);
    auto body = make_body<In, Out, Planes3<In, Out, Function>>(task, walk, function);
    body.plane = task.out.desc.strides.c;
    return use(body);
  }
  const Walk walk = make_walk(task.in.desc, task.out.desc, task.alike);
  if (walk.period.divisor > 1) return fused(Pixels{}, walk);
  if (walk.is_contiguous()) return fused(Contiguous{}, walk);
  return fused(Strided{}, walk);
}

}  // namespace normbench::cuda
