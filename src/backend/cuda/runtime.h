/// The CUDA runtime with every call checked, and its objects owned.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>

#include "backend/backend.h"

namespace normbench::cuda {

/// A call of the CUDA runtime that failed: "cudaMalloc(27.6 MB) failed: cudaErrorMemoryAllocation
/// (out of memory); use a smaller batch, or free the GPU (nvidia-smi shows who holds it)".
class CudaError : public std::runtime_error {
 public:
  CudaError(std::string_view call, cudaError_t error);

  const cudaError_t code;
};

/// "13.0" where a call gives 13000.
std::string version_text(int number);

/// "install driver 580 or newer (this build is for CUDA 13.0)".
std::string needed_driver();

/// Throws CudaError unless `error` is cudaSuccess. `call` names the call and what matters of its
/// arguments.
void check(cudaError_t error, std::string_view call);

/// Checks a call about so many bytes: "cudaMalloc(27.6 MB) failed: …".
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

/// An event with timing.
class Event {
 public:
  /// `sleeps`: the host sleeps while it waits for the event.
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
  /// Takes over `graph`: destroys it even when it cannot be instantiated.
  explicit GraphExec(cudaGraph_t graph);
  ~GraphExec() override;
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;
  cudaGraphExec_t get() const { return exec_; }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace normbench::cuda
