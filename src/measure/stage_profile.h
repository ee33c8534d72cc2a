/// What the profile pass does around each run of a stage.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "measure/device_tracing.h"
#include "record/clock.h"

namespace normbench {

/// Numbers the runs that submit device work, tells the tracer which of them is submitting, and
/// counts the page faults of each stage.
class StageProfile {
 public:
  using Faults = std::map<std::string, std::int64_t, std::less<>>;  // minor and major, by label

  StageProfile(Clock& clock, DeviceTracing& tracing) : clock_(clock), tracing_(tracing) {}

  /// Around the range of one run, so that neither the tracer's calls nor the counters' are in it.
  class Scope {
   public:
    /// Does nothing when `profile` is null.
    Scope(StageProfile* profile, std::string_view label, bool on_device);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    /// The number for the range; 0 when no device work is submitted in it.
    std::uint64_t external_id() const { return external_id_; }

   private:
    StageProfile* profile_;
    std::uint64_t external_id_ = 0;
    std::int64_t* faults_ = nullptr;
    Counters before_;
  };

  /// Those of all runs so far.
  const Faults& faults() const { return faults_; }

 private:
  Clock& clock_;
  DeviceTracing& tracing_;
  Faults faults_;
};

}  // namespace normbench
