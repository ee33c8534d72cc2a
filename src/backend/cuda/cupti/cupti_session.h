/// This process's subscription to CUPTI, and what it has enabled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/cupti/cupti_library.h"

namespace normbench::cupti {

/// Subscribes before anything else, so that two tools never disturb each other; when any step
/// fails, what was done is undone. Nothing is called back once it has ended. `cupti` must outlive
/// it. One at a time.
class Session {
 public:
  explicit Session(const Functions& cupti);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Why nothing is recorded ("CUPTI is taken by Nsight Systems"), or "".
  const std::string& missing() const { return missing_; }
  /// Records have times of CLOCK_MONOTONIC; false: of CUPTI's own clock.
  bool is_on_host_clock() const { return on_host_clock_; }

 private:
  std::string begin();
  std::string subscribe();
  std::string hand_buffers();
  std::string enable_kinds();
  void choose_calls();
  void end();
  std::string refused(std::string_view call, CUptiResult result) const;

  const Functions& cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  bool subscribed_ = false;
  bool on_host_clock_ = false;
  std::vector<CUpti_ActivityKind> enabled_;
  bool driver_calls_enabled_ = false;
  std::string missing_;
};

/// The name of a result: "CUPTI_ERROR_UNKNOWN".
std::string result_name(const Functions& cupti, CUptiResult result);

}  // namespace normbench::cupti
