/// A fake device tracer (the real one uses CUPTI). It writes the names of its calls to a log that
/// other fakes also write to.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "record/device_trace.h"

namespace normbench {

class FakeTracer final : public DeviceTracer {
 public:
  explicit FakeTracer(std::vector<std::string>& log) : log_(log) {}

  std::string cannot_attach;  // if not empty, attach() fails and missing() returns it
  std::string gave_up;        // what missing() returns if attach() succeeds
  std::string throws_at;      // the call that throws, like "stop" or "push 3"
  std::int64_t clock_error_ns = 40;
  std::function<void()> on_attach = {};

  bool attach() override {
    call("attach");
    if (on_attach) on_attach();
    return cannot_attach.empty();
  }
  std::string missing() const override { return cannot_attach.empty() ? gave_up : cannot_attach; }
  void start() override { call("start"); }
  void push(std::uint64_t external_id) override { call(fmt::format("push {}", external_id)); }
  void pop() override { call("pop"); }
  /// Returns a trace with one kernel. The kernel's name ends with the number of earlier calls of
  /// stop().
  DeviceTrace stop() override {
    call("stop");
    DeviceTrace trace{.source = "CUPTI", .clock_error_ns = clock_error_ns};
    trace.records.push_back({.name = trace.name(fmt::format("kernel {}", stops_++))});
    return trace;
  }

 private:
  void call(const std::string& what) {
    log_.push_back("tracer: " + what);
    if (what == throws_at) throw std::runtime_error(what + " is broken");
  }

  std::vector<std::string>& log_;
  int stops_ = 0;
};

}  // namespace normbench
