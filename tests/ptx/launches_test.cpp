/// Kernels of the program run by their PTX instead of their host bodies.
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

  /// Sends so many numbers, from 0.9999 on, to `in`.
  void send(std::size_t elements) {
    std::vector<float> numbers(elements);
    for (std::size_t i = 0; i < elements; ++i) numbers[i] = 0.9999f + static_cast<float>(i);
    EXPECT_EQ(cudaMalloc(&in, elements * 4), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&out, elements * 4), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(in, numbers.data(), elements * 4, cudaMemcpyHostToDevice), cudaSuccess);
  }
  /// What the runtime has to say of a launch on these numbers.
  Calls violations_of(Planted what, std::int64_t elements) {
    if (!in) send(static_cast<std::size_t>(elements));
    launch_planted(nullptr, what, static_cast<float*>(in), static_cast<float*>(out), elements);
    cudaDeviceSynchronize();
    return std::exchange(cuda.violations, {});
  }

  void *in = nullptr, *out = nullptr;
  PtxLaunches launches{cuda, true};
};

TEST_F(GpuDayPtx, EveryRowOfTheQuickSelftestIsRightAndAsItsHostBodies) {
  const Backends backends = make_backends();
  const selftest::PlaceFinding place =
      selftest::run(backends, {.place = Place::Cuda, .quick = true}).places.at(0);
  EXPECT_EQ(place.unavailable, std::nullopt);
  EXPECT_THAT(place.notes, testing::IsEmpty());
  EXPECT_EQ(place.rows.size(), backends.at(Place::Cuda)->kernels().size());
  for (const selftest::RowFinding& row : place.rows)
    EXPECT_EQ(row.failure, "") << row.op << "/" << row.kernel;
  // Where nvcc contracts what a host's compiler leaves apart: a * b + c in the source.
  EXPECT_THAT(launches.contractions,
              testing::Each(Key(AnyOf(HasSubstr("ResizeBody"), HasSubstr("Reference")))));
}

TEST_F(GpuDayPtx, NothingIsSeenWhereNothingIsWrong) {
  EXPECT_THAT(violations_of(Planted::Nothing, 512), ElementsAre());
  EXPECT_THAT(violations_of(Planted::NothingInMirror, 512), ElementsAre());
  EXPECT_THAT(violations_of(Planted::NothingInSums, 512), ElementsAre());
  EXPECT_THAT(violations_of(Planted::NothingInShuffles, 512), ElementsAre());
  EXPECT_THAT(violations_of(Planted::NothingInSums, 301), ElementsAre());
  EXPECT_THAT(violations_of(Planted::NothingInShuffles, 301), ElementsAre());
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
      ElementsAre(AllOf(HasSubstr("thread (1, 0, 0): st.global"),
                        HasSubstr("a second thread writes the same byte: byte 0 of device 1200"))));
}

TEST_F(GpuDayPtx, AMissingBarrierIsSeen) {
  EXPECT_THAT(violations_of(Planted::MissingBarrier, 512),
              ElementsAre(AllOf(HasSubstr("Mirror<false>"), HasSubstr(": ld.shared"),
                                HasSubstr("read before it is written"))));
}

TEST_F(GpuDayPtx, AnUnknownInstructionIsNamed) {
  EXPECT_THAT(violations_of(Planted::UnknownInstruction, 300),
              ElementsAre(HasSubstr("unknown instruction lg2.approx.ftz.f32")));
}

}  // namespace
}  // namespace normbench::ptx::launches_test
