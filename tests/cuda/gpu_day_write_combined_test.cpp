/// Tests write-combined memory, which is slow for the CPU to read.
#include "cuda/cuda_measure.h"
#include "measure/contender.h"
#include "ops/array_file.h"

namespace normbench::gpu_day_write_combined_test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// Makes the fake runtime protect write-combined memory, so that a read by host code ends the
/// process. Real hardware allows such reads, but they are slow.
class GpuDayWriteCombined : public CudaMeasureTest {
 protected:
  GpuDayWriteCombined() { cuda.memory.closes_write_combined = true; }

  Backend& backend() { return *backends.at(Place::Cuda); }
};

TEST_F(GpuDayWriteCombined, ReadingItIsNoticed) {
  const auto memory = backend().allocate(Memory::WriteCombined, 64);
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(memory->data()), "");
}

TEST_F(GpuDayWriteCombined, CopyingItFromHostToHostIsNoticed) {
  const auto memory = backend().allocate(Memory::WriteCombined, 64);
  Bytes host(64);
  cudaMemcpy(host.data(), memory->data(), 64, cudaMemcpyDefault);
  EXPECT_THAT(cuda.violations,
              ElementsAre("the CPU reads write-combined memory: 64 write_combined->pageable"));
  cuda.violations.clear();
}

TEST_F(GpuDayWriteCombined, IsReadByTheDevice) {
  constexpr std::size_t bytes = (9 << 20) + 5;  // copied in three chunks
  const auto memory = backend().allocate(Memory::WriteCombined, bytes);
  const auto other = backend().allocate(Memory::WriteCombined, bytes);
  backend().fill(memory->data(), std::byte{3}, bytes);
  Bytes sent(bytes), back(bytes);
  for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<std::byte>(i * 7 / 5);
  backend().copy(memory->data(), sent.data(), bytes - 1);
  backend().copy(other->data(), memory->data(), bytes);
  backend().copy(back.data(), other->data(), bytes);
  sent.back() = std::byte{3};
  EXPECT_EQ(back, sent);
}

TEST_F(GpuDayWriteCombined, IsWrittenToAFileThroughOtherMemory) {
  TensorDesc desc = dense(DType::UInt8, Layout::Nchw, {1, 1, 8, 8}, Memory::WriteCombined);
  const auto memory = backend().allocate(desc.memory, 64);
  backend().fill(memory->data(), std::byte{3}, 64);
  const std::string path = testing::TempDir() + "gpu_day_write_combined.npy";
  write_array(path, {.data = memory->data(), .desc = desc}, backends);
  desc.memory = Memory::Pageable;
  const ArrayFile file(path, desc);
  EXPECT_EQ(Bytes(file.view().data, file.view().data + 64), Bytes(64, std::byte{3}));
}

TEST_F(GpuDayWriteCombined, SourcesAndOutputsAreFilledAndCheckedThroughOtherMemory) {
  Results results = run_plan(plan_of(
      R"({"schema": 1, "name": "test",
          "measure": {"max_seconds_per_group": 0.1, "cache": "cold"},
          "defaults": {"source": {"batch": 2, "size": [8, 16]}},
          "experiments": [{"name": "e", "source": {"memory": "write_combined"}, "variants": {
            "up": ["h2d"],
            "round": ["h2d", {"op": "d2h", "memory": "write_combined"}],
            "fresh": ["h2d", {"op": "d2h", "memory": "write_combined", "output": "fresh"}]}}]})"));
  ASSERT_THAT(results.groups, SizeIs(1));
  ASSERT_THAT(results.groups[0].cases, SizeIs(3));
  for (const CaseResult& result : results.groups[0].cases) {
    EXPECT_EQ(result.status, Status::Ok) << result.reason;
    EXPECT_TRUE(result.check.ok) << result.variant;
  }
}

}  // namespace
}  // namespace normbench::gpu_day_write_combined_test
