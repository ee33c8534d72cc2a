#include "cuda/cuda_rows.h"

namespace normbench::rows_test {
namespace {

using ::testing::ElementsAre;

TEST_F(RowsTest, CachedConstantsAreSentWhenTheRowIsPrepared) {
  const View in = make(Memory::Device, DType::Float32), out = make(Memory::Device, DType::Float32);
  BoundStage stage;
  EXPECT_THAT(calls_of([&] {
                stage = bind(row_of(*backend, "sub", "eager"), Sub{.mean = {1, 2, 3}}, in, out);
              }),
              ElementsAre("cudaMalloc 12", "cudaMemcpyAsync 12 pageable->device default stream",
                          "cudaStreamSynchronize default stream"));
  EXPECT_THAT(calls_of([&] { stage.submit(*queue); }),
              ElementsAre("cudaLaunchKernel 1536 threads stream 1"));
  queue->drain();
  EXPECT_THAT(calls_of([&] { stage = {}; }), ElementsAre("cudaFree device 12"));
}

TEST_F(RowsTest, ConstantsOfEachCallAreSentWithIt) {
  const View in = make(Memory::Device, DType::Float32), out = make(Memory::Device, DType::Float32);
  const Op op = Sub{.mean = {1, 2, 3}, .constants = Constants::PerCall};
  const Kernel& row = row_of(*backend, "sub", "eager");
  EXPECT_FALSE(row.capturable(op, {.in = {in.desc}, .out = {out.desc}}));
  BoundStage stage = bind(row, op, in, out);
  const Calls each{"cudaMemcpyAsync 12 pageable->device stream 1", "cudaStreamSynchronize stream 1",
                   "cudaLaunchKernel 1536 threads stream 1"};
  EXPECT_EQ(calls_of([&] { stage.submit(*queue); }), each);
  EXPECT_EQ(calls_of([&] { stage.submit(*queue); }), each);
}

TEST_F(RowsTest, PinWritesOnTheHostAndLeavesTheWaitingToItsCaller) {
  const View from = make(Memory::Pageable), to = make(Memory::Pinned);
  for (const std::string_view row : {"reference", "team"}) {
    fill(from, 1);
    fill(to, 2);
    BoundStage pin = bind(row_of(*backend, "pin", row), Pin{}, from, to);
    EXPECT_THAT(calls_of([&] { pin.submit(*queue); }), ::testing::IsEmpty());
    EXPECT_EQ(cuda.read(to.data, bytes), Bytes(bytes, std::byte{1})) << row;
  }
}

TEST_F(RowsTest, RegisterLocksTheInputUntilItIsUnregistered) {
  const View host = make(Memory::Pageable), to = make(Memory::Device);
  fill(host, 3);
  BoundStage lock =
      bind(row_of(*backend, "register", "cuda_host_register"), Register{}, host, host);
  BoundStage send = bind(row_of(*backend, "h2d", "async"), H2d{}, host, to);
  BoundStage unlock = {
      .launch = row_of(*backend, "unregister", "cuda_host_unregister")
                    .prepare(Unregister{}, {.in = {to.desc, host.desc}, .out = {to.desc}}),
      .in = {to, host},
      .out = {to}};
  EXPECT_THAT(
      calls_of([&] {
        lock.submit(*queue);
        send.submit(*queue);
        unlock.submit(*queue);
      }),
      ElementsAre("cudaHostRegister 96 default", "cudaMemcpyAsync 96 registered->device stream 1",
                  "cudaStreamSynchronize stream 1", "cudaHostUnregister registered 96"));
  EXPECT_EQ(at(to), std::byte{3});
}

TEST_F(RowsTest, WhatAFailedCaseLeftRegisteredIsGivenBackWithTheQueue) {
  const View host = make(Memory::Pageable);
  bind(row_of(*backend, "register", "cuda_host_register"), Register{}, host, host).submit(*queue);
  EXPECT_THAT(calls_of([&] { queue.reset(); }),
              ElementsAre("cudaStreamSynchronize stream 1", "cudaHostUnregister registered 96",
                          "cudaStreamDestroy stream 1"));
}

TEST_F(RowsTest, LaunchesAsManyEmptyKernelsAsAsked) {
  const View view = make(Memory::Device);
  EXPECT_THAT(
      calls_of([&] {
        bind(row_of(*backend, "launch", "empty"), EmptyLaunch{.count = 3}, view, view)
            .submit(*queue);
      }),
      ElementsAre("cudaLaunchKernel 1 threads stream 1", "cudaLaunchKernel 1 threads stream 1",
                  "cudaLaunchKernel 1 threads stream 1"));
}

TEST_F(RowsTest, ComputeHasABlockOnEachMultiprocessorOfItsShare) {
  const View view = make(Memory::Device);
  const auto launched = [&](std::optional<double> fill) {
    return calls_of([&] {
      bind(row_of(*backend, "compute", "fma"), Compute{.ms = 1e-6, .fill = fill}, view, view)
          .submit(*queue);
    });
  };
  EXPECT_THAT(launched({}), ::testing::Contains("cudaLaunchKernel 33792 threads stream 1"));
  EXPECT_THAT(launched(0.5), ::testing::Contains("cudaLaunchKernel 16896 threads stream 1"));
  EXPECT_THAT(launched(0.501), ::testing::Contains("cudaLaunchKernel 17152 threads stream 1"));
  EXPECT_THAT(launched(1e-6), ::testing::Contains("cudaLaunchKernel 256 threads stream 1"));
}

TEST_F(RowsTest, SyncWaitsForTheStream) {
  const View view = make(Memory::Device);
  EXPECT_THAT(calls_of([&] {
                bind(row_of(*backend, "sync", "cuda_stream_synchronize"), Sync{}, view, view)
                    .submit(*queue);
              }),
              ElementsAre("cudaStreamSynchronize stream 1"));
}

TEST_F(RowsTest, AKernelThatStopsBreaksTheDeviceForGood) {
  const View in = make(Memory::Device), out = make(Memory::Device);
  cuda.runs = [](std::int64_t) -> bool { throw std::runtime_error("a misaligned store"); };
  bind(row_of(*backend, "copy", "reference"), Copy{}, in, out).submit(*queue);
  EXPECT_EQ(error_of([&] { queue->drain(); }),
            "cudaStreamSynchronize failed: cudaErrorMisalignedAddress (misaligned address); this "
            "process cannot use the GPU any more; run `normbench selftest`, and what failed under "
            "compute-sanitizer");
  EXPECT_THAT(error_of([&] { queue->mark(); }), ::testing::HasSubstr("cudaErrorMisalignedAddress"));
  EXPECT_THAT(cuda.violations, ElementsAre("a kernel stopped: a misaligned store"));
  cuda.violations.clear();
}

}  // namespace
}  // namespace normbench::rows_test
