/// Tests copies in both directions of the link at once.
#include "cuda/cuda_rows.h"

namespace normbench::exchange_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExchangeTest : public RowsTest {
 protected:
  void TearDown() override {
    launch = nullptr;
    RowsTest::TearDown();
  }

  /// Makes an input in `memory`, an output and scratch memory, fills them, and prepares the launch
  /// of the kernel row exchange/two_streams.
  void prepare(Memory memory) {
    in = make(memory);
    out = make(Memory::Device);
    scratch = make(Memory::Device);
    fill(in, 5);
    fill(out, 6);
    fill(scratch, 7);
    launch = row_of(*backend, "exchange", "two_streams").prepare(Exchange{}, signature());
  }
  Signature signature() const { return {.in = {in.desc}, .out = {out.desc}}; }
  void submit() { launch(*queue, std::span(&in, 1), std::span(&out, 1), scratch); }

  View in, out, scratch;
  Launch launch;
};

TEST_F(ExchangeTest, CopiesBothWaysOnTwoStreams) {
  prepare(Memory::Pinned);
  EXPECT_THAT(
      calls_of([&] { submit(); }),
      ElementsAre("cudaEventRecord 1 stream 1", "cudaStreamWaitEvent 1 stream 2",
                  "cudaMemcpyAsync 96 device->pinned stream 2", "cudaEventRecord 2 stream 2",
                  "cudaMemcpyAsync 96 pinned->device stream 1", "cudaStreamWaitEvent 2 stream 1"));
  EXPECT_EQ(at(out), std::byte{6});
  queue->drain();
  EXPECT_EQ(at(out), std::byte{5});
}

TEST_F(ExchangeTest, TheWayBackIsDoneWhenTheQueueIs) {
  prepare(Memory::Mapped);
  const std::int64_t before_ns = cuda.streams.device_ns;
  submit();
  EXPECT_EQ(cuda.streams.device_ns, before_ns);
  queue->drain();
  EXPECT_EQ(cuda.streams.device_ns, before_ns + 2 * (cuda.copy_ns + cuda.event_ns));
}

TEST_F(ExchangeTest, TheWayBackStartsAfterWhatTheQueueHasBefore) {
  prepare(Memory::Registered);
  BoundStage up = bind(row_of(*backend, "h2d", "async"), H2d{}, in, scratch);
  up.submit(*queue);
  submit();
  cuda.streams.finish_all();
  EXPECT_EQ(at(scratch), std::byte{5});
  EXPECT_EQ(cuda.streams.device_ns, 3 * cuda.copy_ns + 2 * cuda.event_ns);
}

TEST_F(ExchangeTest, NeedsAsMuchScratchMemoryAndIsNoPartOfAGraph) {
  const Kernel& row = row_of(*backend, "exchange", "two_streams");
  in.desc = dense(DType::UInt8, Layout::Nchw, shape, Memory::Pinned);
  out.desc = dense(DType::UInt8, Layout::Nchw, shape, Memory::Device);
  EXPECT_EQ(row.scratch(Exchange{}, signature()), bytes);
  EXPECT_FALSE(row.capturable(Exchange{}, signature()));
  const Cost cost = row.cost(Exchange{}, signature());
  EXPECT_EQ(cost.read_bytes, 96);
  EXPECT_EQ(cost.written_bytes, 96);
  EXPECT_EQ(cost.link_bytes, 192);
}

TEST_F(ExchangeTest, EachCallThatFailsIsSaidAndLeavesNothingRunning) {
  prepare(Memory::Pinned);
  const Calls calls = calls_of([&] { submit(); });
  queue->drain();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE(calls[i]);
    launch = row_of(*backend, "exchange", "two_streams").prepare(Exchange{}, signature());
    cuda.failing_call = cuda.log.size() + i;
    cuda.failing_code = cudaErrorDevicesUnavailable;
    EXPECT_THAT(error_of([&] { submit(); }), HasSubstr(calls[i].substr(0, calls[i].find(' '))));
    launch = nullptr;  // the destructor waits for the copies
    queue->drain();
  }
}

TEST_F(ExchangeTest, WhatCannotBeMadeIsSaid) {
  in = make(Memory::Pinned);
  out = make(Memory::Device);
  for (const std::string call :
       {"cudaHostAlloc", "cudaEventCreateWithFlags", "cudaStreamCreateWithFlags"}) {
    cuda.failures = {{.function = call, .code = cudaErrorMemoryAllocation}};
    EXPECT_THAT(error_of([&] {
                  row_of(*backend, "exchange", "two_streams").prepare(Exchange{}, signature());
                }),
                HasSubstr(call));
  }
}

}  // namespace
}  // namespace normbench::exchange_test
