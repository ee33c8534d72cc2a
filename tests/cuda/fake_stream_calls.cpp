#include <fmt/format.h>

#include <utility>

#include "cuda/fake_cudart.h"

namespace {

using namespace normbench;

std::string graph_name(cudaGraph_t graph) {
  return fmt::format("graph {}", FakeObjects<cudaGraph_t, FakeGraph>::number(graph));
}

std::string exec_name(cudaGraphExec_t exec) {
  return fmt::format("exec {}", FakeObjects<cudaGraphExec_t, FakeGraph>::number(exec));
}

cudaError_t end_capture(cudaStream_t stream, cudaGraph_t* graph) {
  FakeStreams& streams = fake_cuda().streams;
  FakeStream* found = streams.find(stream);
  if (!found) return cudaErrorInvalidResourceHandle;
  if (!found->capture) return cudaErrorIllegalState;
  const FakeCapture capture = std::move(*found->capture);
  found->capture.reset();
  *graph = nullptr;
  if (capture.invalidated) return cudaErrorStreamCaptureInvalidated;
  *graph = streams.graphs.add(capture.tasks);
  return cudaSuccess;
}

/// Returns one task that runs all tasks of the graph in order.
FakeTask replay(const FakeGraph& graph) {
  FakeTask whole;
  for (const FakeTask& task : graph) whole.ns += task.ns;
  whole.run = [graph] {
    for (const FakeTask& task : graph)
      if (fake_cuda().streams.broken == cudaSuccess) task.run();
  };
  return whole;
}

cudaError_t not_live(const char* what) {
  fake_cuda().violations.push_back(std::string(what) + " was destroyed that does not live");
  return cudaErrorInvalidResourceHandle;
}

}  // namespace

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  const bool blocks = !(flags & cudaStreamNonBlocking);
  return fake_cuda().call("cudaStreamCreateWithFlags", blocks ? "default" : "non_blocking", [&] {
    if (blocks) fake_cuda().violations.push_back("a stream waits for the default stream");
    *stream = fake_cuda().streams.streams.add({.device = FakeCuda::current_device()});
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return fake_cuda().call(
      "cudaStreamDestroy", name_of(stream),
      [&] {
        FakeStreams& streams = fake_cuda().streams;
        if (!streams.streams.find(stream)) return not_live("a stream");
        streams.finish(stream);
        streams.streams.remove(stream);
        return cudaSuccess;
      },
      true);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return fake_cuda().call("cudaStreamSynchronize", name_of(stream),
                          [&] { return fake_cuda().streams.finish(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return fake_cuda().call("cudaStreamQuery", name_of(stream), [&] {
    const FakeStream* found = fake_cuda().streams.find(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    return found->waiting.empty() ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return fake_cuda().call("cudaDeviceSynchronize", "", [&] {
    FakeStreams& streams = fake_cuda().streams;
    if (const cudaError_t error = streams.may_synchronize(); error != cudaSuccess) return error;
    streams.finish_all();
    return streams.broken;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return fake_cuda().call("cudaStreamBeginCapture", name_of(stream), [&] {
    FakeStream* found = fake_cuda().streams.find(stream);
    if (!found || stream == nullptr) return cudaErrorStreamCaptureUnsupported;
    if (found->capture) return cudaErrorIllegalState;
    found->capture = FakeCapture{.tasks = {}, .safe_only = mode != cudaStreamCaptureModeRelaxed};
    return cudaSuccess;
  });
}

/// Ends a capture. The stream stops capturing even if the call fails, also if it fails because a
/// test planted an error in it.
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  bool planted = true;
  const cudaError_t error = fake_cuda().call("cudaStreamEndCapture", name_of(stream), [&] {
    planted = false;
    return end_capture(stream, graph);
  });
  if (!planted) return error;
  if (FakeStream* found = fake_cuda().streams.find(stream)) found->capture.reset();
  *graph = nullptr;
  return error;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return fake_cuda().call("cudaStreamIsCapturing", name_of(stream), [&] {
    const FakeStream* found = fake_cuda().streams.find(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    *status = !found->capture               ? cudaStreamCaptureStatusNone
              : found->capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                            : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return fake_cuda().call("cudaGraphInstantiate", graph_name(graph), [&] {
    const FakeGraph* found = fake_cuda().streams.graphs.find(graph);
    if (!found) return cudaErrorInvalidValue;
    *exec = fake_cuda().streams.execs.add(*found);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return fake_cuda().call(
      "cudaGraphDestroy", graph_name(graph),
      [&] { return fake_cuda().streams.graphs.remove(graph) ? cudaSuccess : not_live("a graph"); },
      true);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return fake_cuda().call("cudaGraphUpload", exec_name(exec) + " " + name_of(stream), [&] {
    if (!fake_cuda().streams.execs.find(exec)) return cudaErrorInvalidValue;
    return fake_cuda().streams.submit(stream, {.run = [] {}});
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return fake_cuda().call("cudaGraphLaunch", exec_name(exec) + " " + name_of(stream), [&] {
    const FakeGraph* found = fake_cuda().streams.execs.find(exec);
    return found ? fake_cuda().streams.submit(stream, replay(*found)) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return fake_cuda().call(
      "cudaGraphExecDestroy", exec_name(exec),
      [&] { return fake_cuda().streams.execs.remove(exec) ? cudaSuccess : not_live("a graph"); },
      true);
}
