/// Kernels of the program run by their PTX instead of their host bodies.
#include "cuda/cuda_fixture.h"
#include "measure/selftest/selftest.h"
#include "ptx/interpreter.h"
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

  /// What the runtime says after a launch on so many numbers, from 0.9999 on.
  Calls violations_of(Planted what, std::int64_t elements) {
    std::vector<float> numbers(static_cast<std::size_t>(elements));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.9999f + static_cast<float>(i);
    const std::size_t bytes = numbers.size() * sizeof(float);
    void *in = nullptr, *out = nullptr;
    EXPECT_EQ(cudaMalloc(&in, bytes), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&out, bytes), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(in, numbers.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(
        launch_planted(nullptr, what, static_cast<float*>(in), static_cast<float*>(out), elements),
        cudaSuccess);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return std::exchange(cuda.violations, {});
  }

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
  EXPECT_THAT(violations_of(Planted::Nothing, 300), ElementsAre());
  EXPECT_THAT(violations_of(Planted::SharedMemory, 512), ElementsAre());
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
