/// Tests that run kernels of the program by interpreting their PTX, instead of by their host bodies
/// (the kernel code compiled for the host).
#include "ptx/launches.h"

#include "cuda/cuda_fixture.h"
#include "measure/selftest/selftest.h"
#include "ptx/planted.h"

namespace normbench::ptx::launches_test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;

class GpuDayPtx : public CudaTest {
 protected:
  GpuDayPtx() {
    cuda.runs_launch = [this](const FakeLaunch& launch) { launches(launch); };
  }

  void TearDown() override {
    for (void* data : {in, out}) cudaFree(data);
    CudaTest::TearDown();
  }

  /// Copies `elements` numbers to `in`: 0.9999, 1.9999, and so on.
  void send(std::size_t elements) {
    std::vector<float> numbers(elements);
    for (std::size_t i = 0; i < elements; ++i) numbers[i] = 0.9999f + static_cast<float>(i);
    EXPECT_EQ(cudaMalloc(&in, elements * 4), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&out, elements * 4), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(in, numbers.data(), elements * 4, cudaMemcpyHostToDevice), cudaSuccess);
  }
  /// Launches the planted kernel with the mistake `what` on `in` and `out`. Returns the violations
  /// that the fake CUDA runtime found.
  template <class What>
  Calls violations_of(What what, std::int64_t elements) {
    if (!in) send(static_cast<std::size_t>(elements));
    launch_planted(nullptr, what, static_cast<float*>(in), static_cast<float*>(out), elements);
    cudaDeviceSynchronize();
    return std::exchange(cuda.violations, {});
  }

  void *in = nullptr, *out = nullptr;
  PtxLaunches launches{cuda, true};
};

/// The results of this kernel are not compared with those of its host body, because a host body has
/// no clock.
TEST_F(GpuDayPtx, TheClockRateIsThatOfTheMultiprocessors) {
  PtxLaunches alone{cuda, false};
  cuda.runs_launch = [&](const FakeLaunch& launch) { alone(launch); };
  const auto backend = make_cuda_backend({});
  const auto queue = backend->make_queue(1, nullptr);
  queue->start_cycles();
  EXPECT_EQ(queue->stop_cycles(), 1'980);
  EXPECT_THAT(cuda.violations, testing::IsEmpty());
}

TEST_F(GpuDayPtx, EveryRowOfTheQuickSelftestIsRightAndAsItsHostBodies) {
  const Backends backends = make_backends();
  const selftest::PlaceFinding place =
      selftest::run(backends, {.place = Place::Cuda, .quick = true}).places.at(0);
  EXPECT_EQ(place.unavailable, std::nullopt);
  EXPECT_THAT(place.notes, testing::IsEmpty());
  EXPECT_EQ(place.rows.size(), backends.at(Place::Cuda)->kernels().size());
  for (const selftest::RowFinding& row : place.rows)
    EXPECT_EQ(row.failure, "") << row.op << "/" << row.kernel;
  // In the kernels of `resize` and in the reference kernels, nvcc contracts a * b + c to an fma.
  // The host compiler does not.
  EXPECT_THAT(launches.contractions,
              testing::Each(Key(AnyOf(HasSubstr("ResizeBody"), HasSubstr("Reference")))));
}

TEST_F(GpuDayPtx, NothingIsSeenWhereNothingIsWrong) {
  EXPECT_THAT(violations_of(Planted::Nothing, 512), ElementsAre());
  for (const auto what : {PlantedInBlock::Nothing, PlantedInBlock::NothingInShuffles}) {
    EXPECT_THAT(violations_of(what, 512), ElementsAre());
    EXPECT_THAT(violations_of(what, 301), ElementsAre());
  }
}

TEST_F(GpuDayPtx, AMisalignedStoreIsSeen) {
  EXPECT_THAT(violations_of(Planted::MisalignedStore, 300),
              ElementsAre(AllOf(HasSubstr("AddOne"), HasSubstr("thread (2, 0, 0): st."),
                                HasSubstr("misaligned: 4 past a multiple of 16"))));
}

TEST_F(GpuDayPtx, AStorePastTheEndIsSeen) {
  EXPECT_THAT(violations_of(Planted::TailOverrun, 300),
              ElementsAre(AllOf(HasSubstr("block (1, 0, 0), thread (43, 0, 0): st.global"),
                                HasSubstr("outside every allocation"))));
}

TEST_F(GpuDayPtx, AHalfThatIsRoundedWronglyIsSeen) {
  EXPECT_THAT(
      violations_of(Planted::WrongHalf, 300),
      ElementsAre(AllOf(HasSubstr("ToHalf"), HasSubstr("differs from its host body: byte"))));
}

TEST_F(GpuDayPtx, AReadOfWhatNothingHasWrittenIsSeen) {
  EXPECT_THAT(violations_of(Planted::ReadBeforeWrite, 300),
              ElementsAre(AllOf(HasSubstr("thread (0, 0, 0): ld.global.f32"),
                                HasSubstr("read before it is written: byte 0 of device 1200"))));
}

TEST_F(GpuDayPtx, WhatIsNotWrittenIsNotAfterACopyButAfterAFill) {
  send(300);
  EXPECT_EQ(cudaMemcpy(in, out, 400, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset(in, 0, 396), cudaSuccess);
  EXPECT_THAT(violations_of(Planted::Nothing, 300),
              ElementsAre(AllOf(HasSubstr("thread (99, 0, 0): ld.global.f32"),
                                HasSubstr("read before it is written: byte 396 of device 1200"))));
}

TEST_F(GpuDayPtx, ASecondWriterIsSeen) {
  EXPECT_THAT(
      violations_of(Planted::TwoWriters, 300),
      ElementsAre(AllOf(
          HasSubstr("thread (1, 0, 0): st.global"),
          HasSubstr("race with block (0, 0, 0), thread (0, 0, 0), which writes the same byte: "
                    "byte 0 of device 1200"))));
}

TEST_F(GpuDayPtx, AMissingBarrierIsSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::NoBarrierAfterStores, 512),
              ElementsAre(AllOf(HasSubstr("Normalised"), HasSubstr("thread (0, 0, 0): ld.shared"),
                                HasSubstr("read before it is written: byte 512 of shared 1024"))));
}

TEST_F(GpuDayPtx, EachBarrierThatIsTakenAwayIsSeen) {
  for (int missing = 0;; ++missing) {
    bool is_missing = false;
    PtxLaunches changed(cuda, true);
    changed.change = [&](Kernel& kernel) { is_missing = take_barrier_away(kernel, missing); };
    cuda.runs_launch = [&](const FakeLaunch& launch) { changed(launch); };
    const Calls violations = violations_of(PlantedInBlock::Nothing, 512);
    if (!is_missing) {
      EXPECT_EQ(missing, 19);
      EXPECT_THAT(violations, ElementsAre());
      return;
    }
    EXPECT_THAT(violations,
                ElementsAre(AnyOf(HasSubstr("race with"), HasSubstr("read before it is written"))));
    cuda.streams.broken = cudaSuccess;
  }
}

TEST_F(GpuDayPtx, AMissingBarrierBeforeSharedMemoryIsUsedAgainIsSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::NoBarrierBeforeReuse, 512),
              ElementsAre(AllOf(HasSubstr("block (0, 0, 0), thread (0, 0, 0): st.shared"),
                                HasSubstr("race with block (0, 0, 0), thread (31, 0, 0), which "
                                          "reads the same byte: byte 0 of shared 1024"))));
}

TEST_F(GpuDayPtx, ARaceWithinAWarpIsSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::NoBarrierInLastWarp, 512),
              ElementsAre(AllOf(HasSubstr("block (0, 0, 0), thread (0, 0, 0): ld.shared"),
                                HasSubstr("race with block (0, 0, 0), thread (16, 0, 0), which "
                                          "writes the same byte: byte 64 of shared 1024"))));
}

TEST_F(GpuDayPtx, ABarrierInABranchIsSeen) {
  EXPECT_THAT(
      violations_of(PlantedInBlock::BarrierInBranch, 512),
      ElementsAre(HasSubstr("block (0, 0, 0), thread (64, 0, 0): bar.sync 0: the thread does not "
                            "come to it, others wait")));
}

TEST_F(GpuDayPtx, ABarrierThatSomeThreadsEndBeforeIsSeen) {
  EXPECT_THAT(
      violations_of(PlantedInBlock::BarrierInTail, 301),
      ElementsAre(HasSubstr("block (1, 0, 0), thread (45, 0, 0): bar.sync 0: the thread does not "
                            "come to it, others wait")));
}

TEST_F(GpuDayPtx, AShuffleWithoutAllItsLanesIsSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::ShuffleInTail, 301),
              ElementsAre(AllOf(HasSubstr("block (1, 0, 0), thread (32, 0, 0): shfl.sync.bfly"),
                                HasSubstr("not all lanes that it names come to it"))));
}

TEST_F(GpuDayPtx, AnOverrunOfSharedMemoryIsSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::SharedOverrun, 512),
              ElementsAre(AllOf(HasSubstr("thread (0, 0, 0): ld.shared"),
                                HasSubstr("past the end: byte 1024 of shared 1024"))));
}

TEST_F(GpuDayPtx, SharedMemoryThatATailHasNotWrittenIsSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::SharedNotWritten, 301),
              ElementsAre(AllOf(HasSubstr("block (1, 0, 0), thread (0, 0, 0): ld.shared"),
                                HasSubstr("read before it is written: byte 512 of shared 1024"))));
}

TEST_F(GpuDayPtx, AWrongTailIsSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::TailDropped, 301),
              ElementsAre(HasSubstr("differs from its host body: byte 1024 of device 1204")));
}

TEST_F(GpuDayPtx, ATailThatReadsPastTheEndIsSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::TailReadPast, 301),
              ElementsAre(AllOf(HasSubstr("block (1, 0, 0), thread (45, 0, 0): ld.global"),
                                HasSubstr("outside every allocation"))));
}

TEST_F(GpuDayPtx, BlocksThatWriteTheSameAreSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::BlocksWriteOne, 512),
              ElementsAre(AllOf(HasSubstr("block (1, 0, 0), thread (0, 0, 0): st.global"),
                                HasSubstr("race with block (0, 0, 0), thread (0, 0, 0), which "
                                          "writes the same byte: byte 0 of device 2048"))));
}

TEST_F(GpuDayPtx, ABlockThatReadsWhatAnotherWritesIsSeen) {
  EXPECT_THAT(violations_of(PlantedInBlock::BlockReadsAnother, 512),
              ElementsAre(AllOf(HasSubstr("block (1, 0, 0), thread (8, 0, 0): ld.global"),
                                HasSubstr("race with block (0, 0, 0), thread (5, 0, 0), which "
                                          "writes the same byte: byte 20 of device 2048"))));
}

TEST_F(GpuDayPtx, AnUnknownInstructionIsNamed) {
  EXPECT_THAT(violations_of(Planted::UnknownInstruction, 300),
              ElementsAre(HasSubstr("unknown instruction lg2.approx.ftz.f32")));
}

}  // namespace
}  // namespace normbench::ptx::launches_test
