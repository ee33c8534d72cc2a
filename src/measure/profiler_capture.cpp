#include "measure/profiler_capture.h"

#include "record/nvtx.h"

namespace normbench {

ProfilerCapture::ProfilerCapture(const Backends& backends, bool start_profiler,
                                 double limit_seconds, std::function<void()> on_stuck)
    : backends_(backends),
      start_profiler_(start_profiler),
      limit_seconds_(limit_seconds),
      on_stuck_(std::move(on_stuck)) {}

ProfilerCapture::~ProfilerCapture() { end(); }

void ProfilerCapture::begin() {
  end_.emplace(limit_seconds_, [this](std::size_t, const std::string&) { on_stuck_(); });
  tell_backends(&Backend::start_capture);
  if (nvtx::attached()) nvtx::push_capture();
}

std::string ProfilerCapture::end() {
  if (!end_) return missing_;
  end_->arm(0, "");
  if (nvtx::attached()) nvtx::pop();
  tell_backends(&Backend::stop_capture);
  end_.reset();
  return missing_;
}

void ProfilerCapture::tell_backends(void (Backend::*what)()) {
  if (!start_profiler_) return;
  try {
    for (const auto& backend : backends_.list) (*backend.*what)();
  } catch (const std::exception& error) {
    missing_ = error.what();
  }
}

}  // namespace normbench
