#include <fmt/format.h>

#include <algorithm>

#include "cuda/fake_cudart.h"

namespace {

using namespace normbench;

std::string event_name(cudaEvent_t event) {
  return std::to_string(FakeObjects<cudaEvent_t, FakeEvent>::number(event));
}

cudaError_t record(FakeEvent& event, cudaStream_t stream) {
  FakeStreams& streams = fake_cuda().streams;
  const FakeStream* found = streams.find(stream);
  if (!found || (stream && found->device != event.device)) return cudaErrorInvalidResourceHandle;
  auto record = std::make_shared<FakeRecord>(FakeRecord{
      .stream = stream, .captured = found->capture.has_value(), .past = streams.past_of(stream)});
  event.last = record;
  if (record->captured) return cudaSuccess;
  return streams.submit(
      stream, {.ns = fake_cuda().event_ns, .call_ns = fake_cuda().event_call_ns, .run = [record] {
                 record->reached_ns = fake_cuda().streams.device_ns;
               }});
}

/// Makes a stream wait for an event. A stream that captures may wait only for events that were
/// recorded in a capture. Any other stream may wait only for events that were recorded outside of
/// captures. If the stream may not wait for this event, returns an error. If the stream captures,
/// the error also invalidates its capture.
cudaError_t stream_wait(FakeStream& stream, cudaStream_t handle, const FakeEvent& event) {
  if (!event.last) return cudaSuccess;
  if (stream.capture.has_value() != event.last->captured) {
    if (stream.capture) stream.capture->invalidated = true;
    return cudaErrorStreamCaptureIsolation;
  }
  if (stream.capture) return cudaSuccess;
  for (const auto& [other, number] : event.last->past)
    stream.past[other] = std::max(stream.past[other], number);
  return fake_cuda().streams.submit(
      handle, {.run = [record = event.last] { fake_cuda().streams.reach(*record); }});
}

/// Returns the device time of an event in ms, with a resolution of half a microsecond.
double read_ms(const FakeRecord& record) {
  constexpr std::int64_t resolution_ns = 500;
  return static_cast<double>(*record.reached_ns / resolution_ns * resolution_ns) * 1e-6;
}

cudaError_t elapsed(float* ms, const FakeEvent& start, const FakeEvent& end) {
  for (const FakeEvent* event : {&start, &end}) {
    if (!event->timing || !event->last) return cudaErrorInvalidResourceHandle;
    if (event->last->captured) return cudaErrorCapturedEvent;
    if (!event->last->reached_ns) return cudaErrorNotReady;
  }
  *ms = static_cast<float>(read_ms(*end.last) - read_ms(*start.last));
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  std::string what = flags & cudaEventDisableTiming ? "no_timing" : "timing";
  if (flags & cudaEventBlockingSync) what += "|blocking";
  return fake_cuda().call("cudaEventCreateWithFlags", what, [&] {
    *event = fake_cuda().streams.events.add({.timing = !(flags & cudaEventDisableTiming),
                                             .sleeps = (flags & cudaEventBlockingSync) != 0,
                                             .device = FakeCuda::current_device()});
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return fake_cuda().call(
      "cudaEventDestroy", event_name(event),
      [&] {
        if (fake_cuda().streams.events.remove(event)) return cudaSuccess;
        fake_cuda().violations.push_back("an event was destroyed that does not live");
        return cudaErrorInvalidResourceHandle;
      },
      true);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return fake_cuda().call("cudaEventRecord", event_name(event) + " " + name_of(stream), [&] {
    FakeEvent* found = fake_cuda().streams.events.find(event);
    return found ? record(*found, stream) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return fake_cuda().call("cudaEventSynchronize", event_name(event), [&] {
    FakeStreams& streams = fake_cuda().streams;
    const FakeEvent* found = streams.events.find(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (!found->last) return cudaSuccess;
    if (found->last->captured) return cudaErrorCapturedEvent;
    streams.reach(*found->last);
    // SteppingClock, the clock of the tests, adds device_ns, so it shows the late wake-up.
    if (found->sleeps) streams.device_ns += fake_cuda().wake_ns;
    return streams.broken;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return fake_cuda().call("cudaEventQuery", event_name(event), [&] {
    const FakeEvent* found = fake_cuda().streams.events.find(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (!found->last || found->last->reached_ns) return cudaSuccess;
    if (found->last->captured) return cudaErrorCapturedEvent;
    fake_cuda().streams.reach(*found->last);  // so the next query succeeds
    return cudaErrorNotReady;
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return fake_cuda().call(
      "cudaEventElapsedTime", event_name(start) + " to " + event_name(end), [&] {
        FakeStreams& streams = fake_cuda().streams;
        const FakeEvent* from = streams.events.find(start);
        const FakeEvent* to = streams.events.find(end);
        return from && to ? elapsed(ms, *from, *to) : cudaErrorInvalidResourceHandle;
      });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  return fake_cuda().call("cudaStreamWaitEvent", event_name(event) + " " + name_of(stream), [&] {
    FakeStream* found = fake_cuda().streams.find(stream);
    const FakeEvent* waited = fake_cuda().streams.events.find(event);
    return found && waited ? stream_wait(*found, stream, *waited) : cudaErrorInvalidResourceHandle;
  });
}
