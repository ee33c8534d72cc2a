#include "measure/profiler_capture.h"

#include <exception>

namespace normbench {

ProfilerCapture::ProfilerCapture(RunContext& context) : context_(context) {
  tell_backends(&Backend::start_capture);
  range_.emplace();
}

ProfilerCapture::~ProfilerCapture() {
  range_.reset();
  tell_backends(&Backend::stop_capture);
}

void ProfilerCapture::tell_backends(void (Backend::*what)()) {
  if (!context_.start_profiler) return;
  try {
    for (const auto& backend : context_.backends.list) (*backend.*what)();
  } catch (const std::exception& error) {
    context_.uncaptured = error.what();
  }
}

}  // namespace normbench
