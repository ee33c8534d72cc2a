/// Fake backends that have kernel rows (implementations of ops) but cannot run them, and helpers
/// that plan configs on these backends.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace normbench::fakes {

inline bool anything(const Op&, const Signature&) { return true; }
inline bool nothing(const Op&, const Signature&) { return false; }

/// Returns true if a CUDA graph can capture the op. A graph cannot capture a call in which the host
/// waits, nor constants that are sent in each call.
inline bool can_be_captured(const Op& op, const Signature& signature) {
  if (const auto* sub = std::get_if<Sub>(&op)) return sub->constants == Constants::Cached;
  if (std::holds_alternative<Sync>(op) || std::holds_alternative<Pin>(op) ||
      std::holds_alternative<Register>(op) || std::holds_alternative<Unregister>(op))
    return false;
  return reaches(Place::Cuda, signature.in.at(0).memory) &&
         reaches(Place::Cuda, signature.out.at(0).memory);
}

inline Kernel row(std::string_view op, std::string_view name, Place place,
                  bool (*accepts)(const Op&, const Signature&)) {
  return {.op = op,
          .name = name,
          .place = place,
          .capturable = place == Place::Cuda ? can_be_captured : never,
          .accepts = accepts,
          .cost = &fewest,
          .scratch = [](const Op&, const Signature&) { return std::size_t{0}; },
          .prepare = [](const Op&, const Signature&) { return Launch(); }};
}

inline bool only_uint8(const Op&, const Signature& signature) {
  return signature.in.at(0).dtype == DType::UInt8;
}

class FakeBackend final : public Backend {
 public:
  FakeBackend(Place place, std::optional<std::string> unavailable, std::vector<Kernel> rows)
      : place_(place), unavailable_(std::move(unavailable)), rows_(std::move(rows)) {}

  Place place() const override { return place_; }
  std::optional<std::string> unavailable() const override { return unavailable_; }
  std::span<const Kernel> kernels() const override { return rows_; }
  std::unique_ptr<Queue> make_queue(int, Recorder*) override { return nullptr; }
  std::unique_ptr<Allocation> allocate(Memory, std::size_t) override { return nullptr; }
  std::optional<int> link_node() const override { return node; }

  std::optional<int> node = {};

 private:
  Place place_;
  std::optional<std::string> unavailable_;
  std::vector<Kernel> rows_;
};

inline std::vector<Kernel> cpu_rows() {
  std::vector<Kernel> rows;
  for (const std::string_view op : {"load", "to_rgb", "resize", "crop", "flip", "layout", "cast",
                                    "sub", "div", "copy", "first_touch"})
    for (const std::string_view name : {"reference", "simd"})
      rows.push_back(row(op, name, Place::Cpu, anything));
  rows.push_back(row("normalize", "reference", Place::Cpu, anything));
  rows.push_back(row("normalize", "lut", Place::Cpu, only_uint8));
  rows.push_back(row("normalize", "fused", Place::Cpu, anything));
  for (const std::string_view name : {"reference", "temporal", "nt"})
    rows.push_back(row("stream", name, Place::Cpu, anything));
  rows.push_back(row("launch", "team", Place::Cpu, anything));
  rows.push_back(row("compute", "chain", Place::Cpu, anything));
  rows.push_back(row("save", "files", Place::Cpu, anything));
  return rows;
}

/// Returns the kernel rows of a fake GPU. There is no row for the op `resize`.
inline std::vector<Kernel> cuda_rows() {
  std::vector<Kernel> rows;
  for (const std::string_view op :
       {"cast", "sub", "div", "normalize", "denormalize", "concat", "copy", "crop", "flip",
        "layout", "group_norm", "moments", "scale_shift", "mul", "sum", "batch_norm_backward",
        "accumulate", "to_rgb"})
    for (const std::string_view name : {"reference", "eager"})
      rows.push_back(row(op, name, Place::Cuda, anything));
  for (const std::string_view name : {"reference", "vector", "streaming"})
    rows.push_back(row("stream", name, Place::Cuda, anything));
  for (const std::string_view op : {"h2d", "d2h"})
    for (const std::string_view name : {"reference", "async", "kernel"})
      rows.push_back(row(op, name, Place::Cuda, anything));
  for (const std::string_view op :
       {"exchange", "pin", "register", "unregister", "launch", "sync", "compute"})
    rows.push_back(row(op, "only", Place::Cuda, anything));
  return rows;
}

/// Returns a fake CPU, and a fake GPU with these kernel rows. If `why` is set, the GPU is
/// unavailable for this reason.
inline Backends backends(std::optional<std::string> why, std::vector<Kernel> rows) {
  Backends all;
  all.list.push_back(std::make_unique<FakeBackend>(Place::Cpu, std::nullopt, cpu_rows()));
  all.list.push_back(std::make_unique<FakeBackend>(Place::Cuda, std::move(why), std::move(rows)));
  return all;
}

// The plans of tests point into these backends, so the backends are static.
/// Returns the backends of a build without CUDA.
inline const Backends& without_gpu() {
  static const Backends all = backends("no CUDA device (none)", {});
  return all;
}
/// Returns the backends of a build with CUDA on a machine without a GPU.
inline const Backends& without_device() {
  static const Backends all = backends("no CUDA device (none)", cuda_rows());
  return all;
}
inline const Backends& with_gpu() {
  static const Backends all = backends(std::nullopt, cuda_rows());
  return all;
}

inline Plan plan(const std::string& text, const PlanOptions& options = {}) {
  return make_plan("c.json", text, without_gpu(), options);
}

/// Returns every mistake of a config as "pointer: text". Returns nothing if the config can be
/// planned.
inline std::vector<std::string> mistakes(const std::string& text, const PlanOptions& options = {},
                                         const Backends& all = without_gpu()) {
  std::vector<std::string> texts;
  try {
    make_plan("c.json", text, all, options);
  } catch (const BadInput& bad) {
    for (const Issue& issue : bad.issues) texts.push_back(issue.pointer + ": " + issue.text);
  }
  return texts;
}

/// Returns a config with one experiment, whose members are `experiment`. `head` has further members
/// of the config.
inline std::string config(const std::string& experiment, const std::string& head = "") {
  return fmt::format(R"({{"schema": 1, "name": "c", {}"experiments": [{{"name": "e", {}}}]}})",
                     head.empty() ? "" : head + ", ", experiment);
}

/// Returns a config with one variant "v" of these stages.
inline std::string stages(const std::string& list, const std::string& more = "") {
  return config(fmt::format(
      R"("source": {{"batch": 2, "size": [4, 6]}}, "variants": {{"v": {}}}{})", list, more));
}

/// Plans the config `text`. Returns the first case of the first group.
inline Case only_case(const std::string& text, const Backends& all = without_gpu()) {
  return make_plan("c.json", text, all, {}).groups.at(0).cases.at(0);
}

}  // namespace normbench::fakes
