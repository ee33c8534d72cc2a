/// For the profile pass: records device work with a tracer, and counts the page faults of each
/// stage. The Recorder (record/recorder.h) records the ranges of the host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "record/clock.h"
#include "record/device_trace.h"

namespace normbench {

/// Records device work with a tracer, which is attached when it is first needed. No function
/// throws: if the tracer fails, it is not used again, and the case is profiled without it. This
/// object lives as long as the profile pass.
class DeviceTracing {
 public:
  /// `tracer` is null if there is none.
  explicit DeviceTracing(DeviceTracer* tracer) : tracer_(tracer) {}

  /// Returns true if device work can be traced. The first call attaches the tracer, which takes
  /// milliseconds.
  bool usable();
  /// Returns why the tracer could not be attached, or why it failed; "" if neither has happened.
  const std::string& missing() const { return missing_; }

  /// Returns a number for the next range in which device work is submitted. Numbers start at 1 and
  /// never repeat.
  std::uint64_t next_id() { return ++last_id_; }

  /// Begins to record if usable() returns true. Call it while no work is in flight.
  void start();
  /// Ends recording. Returns what was recorded, or an empty trace if the tracer failed. Call it
  /// while no work is in flight.
  DeviceTrace stop();

  /// All device work that is submitted between push() and pop() is recorded with this
  /// `external_id`. Both functions do nothing unless start() has begun to record.
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

/// Gives a number to each range of a stage that submits device work, tells the tracer this number
/// while the range is open, and counts the page faults of each stage.
class StageProfile {
 public:
  // Minor plus major page faults, by the label of the stage.
  using Faults = std::map<std::string, std::int64_t, std::less<>>;

  StageProfile(Clock& clock, DeviceTracing& tracing) : clock_(clock), tracing_(tracing) {}

  /// Construct it before the range of a stage opens, and destroy it after the range is closed, so
  /// that the range does not contain the calls to the tracer and the counters.
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

    /// Returns the number of the range; 0 if no device work is submitted in it.
    std::uint64_t external_id() const { return external_id_; }

   private:
    void begin(std::string_view label, bool on_device);
    void end();

    StageProfile* profile_;
    std::uint64_t external_id_ = 0;
    // begin() sets these two members. They are not initialised if `profile_` is null.
    std::int64_t* faults_;
    Counters before_;
  };

  /// Returns the page faults of all stages that have run so far.
  const Faults& faults() const { return faults_; }

 private:
  Clock& clock_;
  DeviceTracing& tracing_;
  Faults faults_;
};

}  // namespace normbench
