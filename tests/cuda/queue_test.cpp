#include "cuda/cuda_fixture.h"
#include "ops/op.h"

namespace normbench::queue_test {
namespace {

using ::testing::ElementsAre;

/// Queues with copies of 64 bytes between page-locked and device memory.
class QueueTest : public CudaBackendTest {
 protected:
  static constexpr Shape shape{1, 1, 1, 64};

  QueueTest() { set(1); }
  void TearDown() override {
    pinned.reset();
    device.reset();
    CudaBackendTest::TearDown();
  }

  void set(int value) { std::fill_n(pinned->data(), 64, std::byte(value)); }
  std::byte sent() { return cuda.read(device->data(), 64)[63]; }
  BoundStage h2d() {
    return bind(row_of(*backend, "h2d", "async"), H2d{},
                {pinned->data(), dense(DType::UInt8, Layout::Nchw, shape, Memory::Pinned)},
                {device->data(), dense(DType::UInt8, Layout::Nchw, shape, Memory::Device)});
  }
  void send() { h2d().submit(*queue); }

  std::unique_ptr<Allocation> pinned = backend->allocate(Memory::Pinned, 64);
  std::unique_ptr<Allocation> device = backend->allocate(Memory::Device, 64);
};

TEST_F(QueueTest, WorkIsDoneAfterItIsSubmitted) {
  EXPECT_TRUE(queue->is_asynchronous());
  send();
  EXPECT_EQ(sent(), FakeMemory::poison);
  EXPECT_THAT(calls_of([&] { queue->drain(); }), ElementsAre("cudaStreamSynchronize stream 1"));
  EXPECT_EQ(sent(), std::byte{1});
}

TEST_F(QueueTest, AMarkIsWaitedForWithWhatIsBeforeIt) {
  send();
  EXPECT_EQ(queue->mark(), 0);
  set(2);  // changes the source before the copy is done
  queue->wait(0);
  EXPECT_EQ(sent(), std::byte{2});
  set(3);
  send();
  queue->wait(0);
  EXPECT_EQ(sent(), std::byte{2});
  queue->drain();
  EXPECT_EQ(sent(), std::byte{3});
}

TEST_F(QueueTest, TimeBetweenMarksIsTheDevices) {
  queue->mark();
  send();
  queue->mark();
  send();
  send();
  queue->mark();
  queue->drain();
  EXPECT_EQ(queue->ns_between(0, 1), 7'000 + cuda.event_ns);
  EXPECT_EQ(queue->ns_between(1, 2), 14'000 + cuda.event_ns);
  EXPECT_EQ(queue->ns_between(0, 2), 21'000 + 2 * cuda.event_ns);
}

TEST_F(QueueTest, MarksAreCountedAnewAndTheirEventsKept) {
  EXPECT_THAT(calls_of([&] {
                queue->mark();
                queue->mark();
              }),
              ElementsAre("cudaEventCreateWithFlags timing", "cudaEventRecord 1 stream 1",
                          "cudaEventCreateWithFlags timing", "cudaEventRecord 2 stream 1"));
  queue->drain();
  queue->reset_marks();
  EXPECT_THAT(calls_of([&] {
                EXPECT_EQ(queue->mark(), 0);
                EXPECT_EQ(queue->mark(), 1);
              }),
              ElementsAre("cudaEventRecord 1 stream 1", "cudaEventRecord 2 stream 1"));
}

TEST_F(QueueTest, AGraphIsUploadedWhenMadeAndRunsWhenLaunched) {
  std::unique_ptr<Graph> graph;
  EXPECT_THAT(
      calls_of([&] {
        queue->begin_capture();
        send();
        graph = queue->end_capture();
      }),
      ElementsAre("cudaStreamBeginCapture stream 1", "cudaMemcpyAsync 64 pinned->device stream 1",
                  "cudaStreamEndCapture stream 1", "cudaGraphInstantiate graph 1",
                  "cudaGraphDestroy graph 1", "cudaGraphUpload exec 1 stream 1"));
  queue->drain();
  EXPECT_EQ(sent(), FakeMemory::poison);
  EXPECT_THAT(calls_of([&] { queue->launch(*graph); }),
              ElementsAre("cudaGraphLaunch exec 1 stream 1"));
  EXPECT_EQ(sent(), FakeMemory::poison);
  queue->drain();
  EXPECT_EQ(sent(), std::byte{1});
  EXPECT_THAT(calls_of([&] { graph.reset(); }), ElementsAre("cudaGraphExecDestroy exec 1"));
}

TEST_F(QueueTest, AFailedCaptureLeavesTheQueueUsable) {
  std::vector<std::byte> pageable(64);
  BoundStage stage = h2d();
  stage.in[0].data = pageable.data();
  queue->begin_capture();
  EXPECT_EQ(error_of([&] { stage.submit(*queue); }),
            "cudaMemcpyAsync(64 B) failed: cudaErrorStreamCaptureUnsupported (operation not "
            "permitted when stream is capturing); a stage here cannot be captured: set graph to "
            "false");
  EXPECT_EQ(error_of([&] { queue->end_capture(); }),
            "cudaStreamEndCapture failed: cudaErrorStreamCaptureInvalidated (operation failed due "
            "to a previous error during capture); a stage here cannot be captured: set graph to "
            "false");
  send();
  queue->drain();
  EXPECT_EQ(sent(), std::byte{1});
}

TEST_F(QueueTest, ACaptureThatIsNotEndedIsDropped) {
  queue->begin_capture();
  send();
  EXPECT_THAT(calls_of([&] { queue->drain(); }),
              ElementsAre("cudaStreamEndCapture stream 1", "cudaGraphDestroy graph 1",
                          "cudaStreamSynchronize stream 1"));
  EXPECT_EQ(sent(), FakeMemory::poison);
  queue->begin_capture();
  send();
  EXPECT_THAT(calls_of([&] { queue->begin_capture(); }),
              ElementsAre("cudaStreamEndCapture stream 1", "cudaGraphDestroy graph 2",
                          "cudaStreamBeginCapture stream 1"));
  send();
  queue.reset();
  EXPECT_EQ(sent(), FakeMemory::poison);
}

}  // namespace
}  // namespace normbench::queue_test
