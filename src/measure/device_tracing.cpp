#include "measure/device_tracing.h"

#include <exception>

namespace normbench {

bool DeviceTracing::usable() {
  if (tracer_ == nullptr || attached_) return tracer_ != nullptr;
  guarded([&] {
    attached_ = tracer_->attach();
    if (!attached_) give_up(tracer_->missing());
  });
  return tracer_ != nullptr;
}

void DeviceTracing::start() {
  if (!usable()) return;
  recording_ = true;
  guarded([&] { tracer_->start(); });
}

DeviceTrace DeviceTracing::stop() {
  DeviceTrace trace;
  if (!recording_) return trace;
  recording_ = false;
  guarded([&] {
    trace = tracer_->stop();
    if (const std::string why = tracer_->missing(); !why.empty()) give_up(why);
  });
  return tracer_ != nullptr ? std::move(trace) : DeviceTrace{};
}

void DeviceTracing::push(std::uint64_t external_id) {
  if (recording_) guarded([&] { tracer_->push(external_id); });
}

void DeviceTracing::pop() {
  if (recording_) guarded([&] { tracer_->pop(); });
}

void DeviceTracing::guarded(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

void DeviceTracing::give_up(const std::string& why) {
  tracer_ = nullptr;
  recording_ = false;
  missing_ = why.empty() ? "its tracer failed and does not say why" : why;
}

}  // namespace normbench
