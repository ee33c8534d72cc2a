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
  missing_ = why.empty() ? "the tracer failed and gave no reason" : why;
}

void StageProfile::Scope::begin(std::string_view label, bool on_device) {
  auto found = profile_->faults_.find(label);
  if (found == profile_->faults_.end())
    found = profile_->faults_.emplace(std::string(label), 0).first;
  faults_ = &found->second;
  if (on_device) {
    external_id_ = profile_->tracing_.next_id();
    profile_->tracing_.push(external_id_);
  }
  before_ = profile_->clock_.counters();
}

void StageProfile::Scope::end() {
  const Counters spent = profile_->clock_.counters() - before_;
  *faults_ += spent.minor_faults + spent.major_faults;
  if (external_id_ != 0) profile_->tracing_.pop();
}

}  // namespace normbench
