/// The tracer of device work as the profile pass uses it: attached late, given up at its first
/// failure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "record/device_trace.h"

namespace normbench {

/// Lives as long as the profile pass. Nothing here throws: a tracer that fails in the middle is not
/// used again, and the case is profiled without it.
class DeviceTracing {
 public:
  /// `tracer` may be null: there is none.
  explicit DeviceTracing(DeviceTracer* tracer) : tracer_(tracer) {}

  /// True while device work can be traced. The first call attaches the tracer, which costs
  /// milliseconds.
  bool usable();
  /// Why it cannot be, or "" while nothing is known to be wrong.
  const std::string& missing() const { return missing_; }

  /// A number for the next range in which device work is submitted; from 1, and never twice.
  std::uint64_t next_id() { return ++last_id_; }

  /// Begins to record, when usable. Call when drained.
  void start();
  /// Ends it; what was recorded, and nothing of it when the tracer failed. Call when drained.
  DeviceTrace stop();
  bool is_recording() const { return recording_; }

  /// Around the submission of work; nothing while it does not record.
  void push(std::uint64_t external_id);
  void pop();

 private:
  void guarded(const std::function<void()>& call);
  void give_up(const std::string& why);

  DeviceTracer* tracer_;
  bool attached_ = false, recording_ = false;
  std::string missing_;
  std::uint64_t last_id_ = 0;
};

}  // namespace normbench
