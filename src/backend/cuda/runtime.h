/// Functions that check calls of the CUDA runtime, and classes that own its streams, events and
/// graphs.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>

#include "backend/backend.h"

namespace normbench::cuda {

/// The failure of a CUDA runtime call. For many errors the message ends with advice, like
/// "cudaMalloc(27.6 MB) failed: cudaErrorMemoryAllocation (out of memory); use a smaller batch, or
/// free the GPU (nvidia-smi shows who holds it)".
class CudaError : public std::runtime_error {
 public:
  CudaError(std::string_view call, cudaError_t error);

  const cudaError_t code;
};

/// Returns the text of a CUDA version number: "13.0" for 13000.
std::string version_text(int number);

/// Returns advice like "install driver 580 or newer (this build is for CUDA 13.0)".
std::string needed_driver();

/// Throws CudaError unless `error` is cudaSuccess. `call` is the text of the call for the message.
void check(cudaError_t error, std::string_view call);

/// Like check() above, but the message also has a size: "cudaMalloc(27.6 MB) failed: ...".
void check(cudaError_t error, std::string_view call, std::int64_t bytes);

/// A stream that does not synchronise with the default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event that records times.
class Event {
 public:
  /// If `sleeps` is true, a host thread that waits for the event sleeps instead of polling.
  explicit Event(bool sleeps = false);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// An instantiated graph.
class GraphExec final : public Graph {
 public:
  /// Takes over `graph` and destroys it, even if it cannot be instantiated. Throws CudaError.
  explicit GraphExec(cudaGraph_t graph);
  ~GraphExec() override;
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;
  cudaGraphExec_t get() const { return exec_; }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace normbench::cuda
