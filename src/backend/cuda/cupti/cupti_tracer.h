/// CUPTI as the tracer of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "record/device_trace.h"
#include "backend/cuda/cupti/cupti_clock.h"
#include "backend/cuda/cupti/cupti_library.h"
#include "backend/cuda/cupti/cupti_session.h"

namespace normbench::cupti {

/// One session from attach() to the destructor, enabled all the time: CUPTI up to CUDA 13.1 mixes
/// up the correlations of graphs that are launched in a second one. What happens outside start()
/// and stop() is thrown away.
class Tracer final : public DeviceTracer {
 public:
  /// See Library. Nothing is loaded before attach().
  Tracer(std::string library, Places places);

  bool attach() override;
  std::string missing() const override { return missing_; }
  void start() override;
  DeviceTrace stop() override;
  void push(std::uint64_t external_id) override;
  void pop() override;

 private:
  std::string try_attach();
  void flush(std::uint32_t flag);
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
