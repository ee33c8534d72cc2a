#include "measure/selftest/selftest.h"

#include "cuda/cuda_fixture.h"

namespace normbench::selftest_test {
namespace {

/// Runs the self-test of the CUDA backend, which checks every kernel row (implementation of an op)
/// against the op's reference. The fake CUDA runtime runs the kernels' code on the host.
class SelftestOfCuda : public CudaTest {
 protected:
  static selftest::PlaceFinding found(const std::string& glob = "") {
    const Backends backends = make_backends();
    return selftest::run(backends, {.place = Place::Cuda, .glob = glob, .quick = true})
        .places.at(0);
  }
};

TEST_F(SelftestOfCuda, EveryRowIsRight) {
  const selftest::PlaceFinding place = found();
  EXPECT_EQ(place.unavailable, std::nullopt);
  EXPECT_THAT(place.notes, ::testing::IsEmpty());
  EXPECT_EQ(place.rows.size(), make_backends().at(Place::Cuda)->kernels().size());
  for (const selftest::RowFinding& row : place.rows)
    EXPECT_EQ(row.failure, "") << row.op << "/" << row.kernel;
}

TEST_F(SelftestOfCuda, SeesWhatAThreadThatDoesNotRunLeavesOut) {
  cuda.runs = [](std::int64_t thread) { return thread != 0; };
  const selftest::PlaceFinding place = found("cast/eager");
  ASSERT_EQ(place.rows.size(), 1u);
  EXPECT_THAT(place.rows[0].failure, ::testing::EndsWith("element 0 not written"));
}

TEST_F(SelftestOfCuda, AnInterruptEndsItAfterTheCaseAtHand) {
  std::atomic<bool> interrupted = false;
  cuda.runs = [&](std::int64_t) { return interrupted = true; };
  const selftest::PlaceFinding place =
      selftest::run(
          make_backends(),
          {.place = Place::Cuda, .glob = "cast/*", .quick = true, .interrupted = &interrupted})
          .places.at(0);
  std::int64_t cases = 0;
  for (const selftest::RowFinding& row : place.rows) {
    EXPECT_FALSE(row.finished) << row.kernel;
    EXPECT_EQ(row.failure, "") << row.kernel;
    cases += row.accepted;
  }
  EXPECT_EQ(cases, 1);
}

TEST_F(SelftestOfCuda, AnErrorThatStaysFailsTheOtherRowsWithItsReason) {
  cuda.runs = [this](std::int64_t) {
    for (const char* call : {"cudaMalloc", "cudaStreamSynchronize"})
      cuda.failures.push_back({call, cudaErrorIllegalAddress, 1, true});
    return cuda.runs = {}, true;
  };
  const selftest::PlaceFinding place = found("cast");
  ASSERT_EQ(place.rows.size(), 2u);
  EXPECT_THAT(place.rows[0].failure, ::testing::HasSubstr(" failed: cudaErrorIllegalAddress"));
  EXPECT_THAT(place.rows[1].failure,
              ::testing::StartsWith("not tested to the end, because nothing can run here any more: "
                                    "cudaMalloc(576 B) failed: cudaErrorIllegalAddress"));
}

}  // namespace
}  // namespace normbench::selftest_test
