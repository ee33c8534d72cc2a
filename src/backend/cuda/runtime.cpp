#include "backend/cuda/runtime.h"

namespace normbench::cuda {

Stream::Stream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}
Stream::~Stream() { cudaStreamDestroy(stream_); }

Event::Event() {
  check(cudaEventCreateWithFlags(&event_, cudaEventDefault), "cudaEventCreateWithFlags");
}
Event::~Event() { cudaEventDestroy(event_); }

GraphExec::GraphExec(cudaGraph_t graph) {
  const cudaError_t error = cudaGraphInstantiate(&exec_, graph, 0);
  cudaGraphDestroy(graph);
  check(error, "cudaGraphInstantiate");
}
GraphExec::~GraphExec() { cudaGraphExecDestroy(exec_); }

}  // namespace normbench::cuda
