/// What the profile pass records besides ranges: device work, through a tracer, and the page faults
/// in each run of a stage.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "record/clock.h"
#include "record/device_trace.h"

namespace normbench {

/// Records device work with a tracer. The tracer is attached when it is first needed. Functions
/// never throw: a tracer that fails is not used again, and the case is profiled without it. This
/// object lives as long as the profile pass.
class DeviceTracing {
 public:
  /// `tracer` is null if there is none.
  explicit DeviceTracing(DeviceTracer* tracer) : tracer_(tracer) {}

  /// True while device work can be traced. The first call attaches the tracer, which takes
  /// milliseconds.
  bool usable();
  /// Why device work cannot be traced, or "" while nothing is known to be wrong.
  const std::string& missing() const { return missing_; }

  /// Returns a number for the next range in which device work is submitted. Numbers start at 1 and
  /// never repeat.
  std::uint64_t next_id() { return ++last_id_; }

  /// Begins to record, if usable() is true. Call while no work is in flight.
  void start();
  /// Ends recording. Returns what was recorded, or an empty trace if the tracer failed. Call while
  /// no work is in flight.
  DeviceTrace stop();

  /// Call push() before work is submitted, and pop() afterwards. Both do nothing while nothing is
  /// recorded.
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

/// Numbers the ranges that submit device work, tells the tracer which of them is open, and
/// counts the page faults of each stage.
class StageProfile {
 public:
  // Minor plus major faults, by label.
  using Faults = std::map<std::string, std::int64_t, std::less<>>;

  StageProfile(Clock& clock, DeviceTracing& tracing) : clock_(clock), tracing_(tracing) {}

  /// Construct it before the range of a stage's run, and destroy it after that range, so that the
  /// range does not contain the calls to the tracer and the counters.
  class Scope {
   public:
    /// Does nothing when `profile` is null.
    Scope(StageProfile* profile, std::string_view label, bool on_device) : profile_(profile) {
      if (profile_ != nullptr) [[unlikely]]
        begin(label, on_device);
    }
    ~Scope() {
      if (profile_ != nullptr) [[unlikely]]
        end();
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    /// The number of the range; 0 if no device work is submitted in it.
    std::uint64_t external_id() const { return external_id_; }

   private:
    void begin(std::string_view label, bool on_device);
    void end();

    StageProfile* profile_;
    std::uint64_t external_id_ = 0;
    // Set by begin(); unset if `profile_` is null.
    std::int64_t* faults_;
    Counters before_;
  };

  /// The page faults of all runs so far.
  const Faults& faults() const { return faults_; }

 private:
  Clock& clock_;
  DeviceTracing& tracing_;
  Faults faults_;
};

}  // namespace normbench
