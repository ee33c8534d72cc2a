#include "cuda/fake_streams.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench {

FakeStream* FakeStreams::find(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy ? &default_ : streams.find(stream);
}

cudaError_t FakeStreams::submit(cudaStream_t stream, FakeTask task) {
  FakeStream* found = find(stream);
  if (!found) return cudaErrorInvalidResourceHandle;
  costs->charge(task, found->capture.has_value());
  host_ns += task.call_ns;
  if (!found->capture) {
    ++found->submitted;
    found->waiting.push_back(std::move(task));
    return cudaSuccess;
  }
  if (found->capture->invalidated) return cudaErrorStreamCaptureInvalidated;
  found->capture->tasks.push_back(std::move(task));
  return cudaSuccess;
}

void FakeStreams::do_next(FakeStream& stream) {
  const FakeTask task = std::move(stream.waiting.front());
  stream.waiting.pop_front();
  if (broken != cudaSuccess) return;
  device_ns = std::max(device_ns, task.ready_ns) + task.ns;
  task.run();
}

cudaError_t FakeStreams::finish(cudaStream_t stream) {
  FakeStream* found = find(stream);
  if (!found) return cudaErrorInvalidResourceHandle;
  if (found->capture) {
    found->capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  const FakeMemory::Access access(memory_);
  while (!found->waiting.empty()) do_next(*found);
  costs->wait_until(device_ns);
  return broken;
}

void FakeStreams::finish_all() {
  const FakeMemory::Access access(memory_);
  while (!default_.waiting.empty()) do_next(default_);
  for (auto& [number, stream] : streams.live)
    while (!stream.waiting.empty()) do_next(stream);
  costs->wait_until(device_ns);
}

void FakeStreams::reach(const FakeRecord& record) {
  FakeStream* stream = find(record.stream);
  const FakeMemory::Access access(memory_);
  while (stream && !record.reached_ns && !stream->waiting.empty()) do_next(*stream);
  if (record.reached_ns) costs->wait_until(*record.reached_ns);
}

FakePast FakeStreams::past_of(cudaStream_t stream) {
  const FakeStream* found = find(stream);
  if (!found) return {};
  FakePast past = found->past;
  past[stream] = found->submitted;
  return past;
}

bool FakeStreams::is_done(cudaStream_t stream, std::int64_t number) {
  const FakeStream* found = find(stream);
  return !found || found->submitted - std::ssize(found->waiting) >= number;
}

bool FakeStreams::is_past(cudaStream_t of, std::int64_t number, cudaStream_t stream) {
  return is_done(of, number) || past_of(stream)[of] >= number;
}

cudaError_t FakeStreams::may_synchronize() {
  cudaError_t error = cudaSuccess;
  for (auto& [number, stream] : streams.live) {
    if (!stream.capture || !stream.capture->safe_only) continue;
    stream.capture->invalidated = true;
    error = cudaErrorStreamCaptureUnsupported;
  }
  return error;
}

std::vector<std::string> FakeStreams::live() const {
  std::vector<std::string> names;
  for (const auto& [number, stream] : streams.live)
    names.push_back(fmt::format("stream {}", number));
  for (const auto& [number, event] : events.live) names.push_back(fmt::format("event {}", number));
  for (const auto& [number, graph] : graphs.live) names.push_back(fmt::format("graph {}", number));
  for (const auto& [number, exec] : execs.live) names.push_back(fmt::format("exec {}", number));
  return names;
}

}  // namespace normbench
