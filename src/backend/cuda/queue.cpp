#include "backend/cuda/queue.h"

#include <cmath>

#include "record/nvtx.h"

namespace normbench::cuda {

CudaQueue::CudaQueue(int threads, Recorder* recorder) : Queue(threads, recorder) {
  nvtx::name_stream(stream(), "normbench compute");
}

CudaQueue::~CudaQueue() {
  drop_capture();
  cudaStreamSynchronize(stream());
  for (std::byte* data : locked_) cudaHostUnregister(data);
}

void CudaQueue::drain() {
  drop_capture();
  check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
}

cudaEvent_t CudaQueue::event_of(int mark) {
  const std::lock_guard lock(mutex_);
  return events_.at(static_cast<std::size_t>(mark)).get();
}

int CudaQueue::mark() {
  if (static_cast<std::size_t>(marks_) == events_.size()) {
    const std::lock_guard lock(mutex_);
    events_.emplace_back(sleeps_);
  }
  check(cudaEventRecord(event_of(marks_), stream()), "cudaEventRecord");
  return marks_++;
}

void CudaQueue::wait(int mark) {
  check(cudaEventSynchronize(event_of(mark)), "cudaEventSynchronize");
}

void CudaQueue::wait_awake(int mark) {
  const cudaEvent_t event = event_of(mark);
  cudaError_t error = cudaErrorNotReady;
  while (error == cudaErrorNotReady) error = cudaEventQuery(event);
  check(error, "cudaEventQuery");
}

void CudaQueue::wait_for(Queue& other, int mark) {
  check(cudaStreamWaitEvent(stream(), static_cast<CudaQueue&>(other).event_of(mark), 0),
        "cudaStreamWaitEvent");
}

std::int64_t CudaQueue::ns_between(int from, int to) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, event_of(from), event_of(to)), "cudaEventElapsedTime");
  return std::llround(static_cast<double>(ms) * 1e6);
}

void CudaQueue::start_cycles() {
  if (!cycles_) cycles_.emplace();
  cycles_->start(stream());
}

void CudaQueue::begin_capture() {
  drop_capture();
  check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  capturing_ = true;
}

std::unique_ptr<Graph> CudaQueue::end_capture() {
  capturing_ = false;
  cudaGraph_t graph = nullptr;
  const cudaError_t error = cudaStreamEndCapture(stream(), &graph);
  if (error != cudaSuccess && graph != nullptr) cudaGraphDestroy(graph);
  check(error, "cudaStreamEndCapture");
  auto exec = std::make_unique<GraphExec>(graph);
  check(cudaGraphUpload(exec->get(), stream()), "cudaGraphUpload");
  return exec;
}

void CudaQueue::launch(Graph& graph) {
  check(cudaGraphLaunch(static_cast<GraphExec&>(graph).get(), stream()), "cudaGraphLaunch");
}

void CudaQueue::lock(std::byte* data, std::int64_t bytes) {
  locked_.push_back(data);
  const cudaError_t error =
      cudaHostRegister(data, static_cast<std::size_t>(bytes), cudaHostRegisterDefault);
  if (error != cudaSuccess) locked_.pop_back();
  check(error, "cudaHostRegister", bytes);
}

void CudaQueue::unlock(std::byte* data) {
  std::erase(locked_, data);
  check(cudaHostUnregister(data), "cudaHostUnregister");
}

void CudaQueue::drop_capture() {
  if (!capturing_) return;
  capturing_ = false;
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream(), &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
}

}  // namespace normbench::cuda
