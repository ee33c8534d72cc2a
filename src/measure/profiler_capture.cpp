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

ProfilerCapture::ProfilerCapture(RunContext& context, double limit_seconds)
    : context_(context), end_(limit_seconds, [&context](std::size_t, const std::string&) {
        if (context.on_stuck) context.on_stuck();
      }) {
  tell_backends(context_, &Backend::start_capture);
  if (nvtx::attached()) nvtx::push_capture();
}

ProfilerCapture::~ProfilerCapture() {
  end_.arm(0, "");
  if (nvtx::attached()) nvtx::pop();
  tell_backends(context_, &Backend::stop_capture);
}

}  // namespace normbench
