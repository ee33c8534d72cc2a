#include "backend/cuda/cupti/cupti_tracer.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "backend/cuda/cupti/cupti_buffers.h"
#include "backend/cuda/cupti/cupti_records.h"

namespace normbench::cupti {

Tracer::Tracer(std::string library, Places places)
    : library_(std::move(library)), places_(std::move(places)) {}

bool Tracer::attach() {
  if (!tried_) missing_ = try_attach();
  if (!tried_ && !session_) missing_ += ": device times come from CUDA events";
  tried_ = true;
  return session_ != nullptr;
}

std::string Tracer::try_attach() {
  loaded_ = std::make_unique<Library>(library_, places_);
  if (!loaded_->missing().empty()) return loaded_->missing();
  auto session = std::make_unique<Session>(cupti());
  if (session->missing().empty()) session_ = std::move(session);
  return session_ ? "" : session->missing();
}

void Tracer::start() {
  flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  take_dropped();
  process_buffers().keep(true);
  if (!session_->is_on_host_clock()) started_ = take_anchor(cupti());
}

DeviceTrace Tracer::stop() {
  ClockMap clock;
  if (!session_->is_on_host_clock()) clock = ClockMap(started_, take_anchor(cupti()));
  flush(0);
  flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::vector<Filled> filled = process_buffers().take();
  process_buffers().keep(false);
  std::vector<std::span<std::uint8_t>> bytes;
  for (Filled& buffer : filled) bytes.push_back(buffer.bytes());
  DeviceTrace trace = read_records(bytes, cupti(), clock);
  trace.dropped += take_dropped();
  process_buffers().reuse(std::move(filled));
  return trace;
}

void Tracer::push(std::uint64_t external_id) {
  cupti().push_external_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, external_id);
}

void Tracer::pop() {
  std::uint64_t last = 0;
  cupti().pop_external_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}

void Tracer::flush(std::uint32_t flag) {
  const CUptiResult result = cupti().flush_all(flag);
  if (result != CUPTI_SUCCESS)
    missing_ = fmt::format("CUPTI keeps its records (cuptiActivityFlushAll: {})",
                           result_name(cupti(), result));
}

std::int64_t Tracer::take_dropped() {
  std::size_t dropped = 0;
  const CUptiResult result = cupti().get_dropped(nullptr, 0, &dropped);
  return result == CUPTI_SUCCESS ? static_cast<std::int64_t>(dropped) : 0;
}

}  // namespace normbench::cupti
