/// CUPTI as the tracer of a device: this process's subscription, and what it records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/cupti/cupti_clock.h"
#include "backend/cuda/cupti/cupti_library.h"
#include "record/device_trace.h"

namespace normbench::cupti {

/// A subscription to CUPTI. The constructor subscribes before it changes any setting of CUPTI, so
/// that it does not disturb another tool that has subscribed. If a step fails, the constructor
/// undoes the earlier steps. After the destructor CUPTI makes no callback. `cupti` must outlive the
/// session. Only one session may exist at a time.
class Session {
 public:
  explicit Session(const Functions& cupti);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns why nothing is recorded, like "CUPTI is in use by Nsight Systems". Returns "" if the
  /// session records.
  const std::string& missing() const { return missing_; }
  /// Returns true if records have times of CLOCK_MONOTONIC, false if they have times of CUPTI's own
  /// clock.
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

/// A tracer with a single session, which lasts from the first attach() to the destructor. A second
/// session would give wrong records: for graphs launched in it, CUPTI up to CUDA 13.1 mixes up the
/// correlations, which link work to the call that started it. Only records that are made between
/// start() and stop() are kept.
class Tracer final : public DeviceTracer {
 public:
  /// Stores where attach() looks for the library (see candidates()). Loads nothing yet.
  Tracer(std::string library, Places places);

  bool attach() override;
  std::string missing() const override { return missing_; }
  void start() override;
  DeviceTrace stop() override;
  void push(std::uint64_t external_id) override;
  void pop() override;

 private:
  std::string try_attach();
  std::string attach_to(std::unique_ptr<Library> library);
  void flush(std::uint32_t flag);
  /// Returns the number of records that CUPTI dropped since the last call.
  std::int64_t take_dropped();
  const Functions& cupti() const { return loaded_->functions(); }

  const std::string library_;
  const Places places_;
  bool tried_ = false;
  std::string missing_;
  std::unique_ptr<Library> loaded_;
  std::unique_ptr<Session> session_;
  Anchor started_;
};

}  // namespace normbench::cupti
