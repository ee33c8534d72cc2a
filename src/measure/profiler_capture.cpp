#include "measure/profiler_capture.h"

#include "measure/runner.h"
#include "record/nvtx.h"

namespace normbench {
namespace {

void tell_backends(RunContext& context, void (Backend::*what)()) {
  if (!context.start_profiler) return;
  try {
    for (const auto& backend : context.backends.list) (*backend.*what)();
  } catch (const std::exception& error) {
    context.uncaptured = error.what();
  }
}

}  // namespace

ProfilerCapture::ProfilerCapture(RunContext& context) : context_(context) {
  tell_backends(context_, &Backend::start_capture);
  if (nvtx::attached()) nvtx::push_capture();
}

ProfilerCapture::~ProfilerCapture() {
  if (nvtx::attached()) nvtx::pop();
  tell_backends(context_, &Backend::stop_capture);
}

}  // namespace normbench
