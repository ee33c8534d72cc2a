#include "cuda/cuda_fixture.h"

namespace normbench::memory_test {
namespace {

using ::testing::ElementsAre;

/// The runtime calls that allocate and free one kind of memory.
struct KindCalls {
  friend void PrintTo(const KindCalls& kind, std::ostream* out) { *out << name_of(kind.memory); }

  Memory memory;
  Calls made, freed;
};

class MemoryKinds : public CudaBackendTest, public ::testing::WithParamInterface<KindCalls> {};

TEST_P(MemoryKinds, AreMadeAndFreedWithTheirCalls) {
  std::unique_ptr<Allocation> memory;
  EXPECT_EQ(calls_of([&] { memory = backend->allocate(GetParam().memory, 4096); }),
            GetParam().made);
  EXPECT_EQ(memory->bytes(), 4096u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 64, 0u);
  EXPECT_EQ(calls_of([&] { memory.reset(); }), GetParam().freed);
}

TEST_P(MemoryKinds, HoldWhatIsCopiedIntoThem) {
  const auto memory = backend->allocate(GetParam().memory, 4096);
  const Bytes sent(4096, std::byte{7});
  Bytes back(4096);
  backend->copy(memory->data(), sent.data(), sent.size());
  backend->copy(back.data(), memory->data(), back.size());
  EXPECT_EQ(back, sent);
}

TEST_P(MemoryKinds, CanBeFilled) {
  const auto memory = backend->allocate(GetParam().memory, 4096);
  backend->fill(memory->data(), std::byte{9}, 4095);
  const Bytes now = cuda.read(memory->data(), 4096);
  EXPECT_EQ(Bytes(now.begin(), now.end() - 1), Bytes(4095, std::byte{9}));
  EXPECT_NE(now.back(), std::byte{9});
}

const std::string managed_access =
    "cudaDeviceGetAttribute " + std::to_string(cudaDevAttrConcurrentManagedAccess) + " device 0";

INSTANTIATE_TEST_SUITE_P(
    All, MemoryKinds,
    ::testing::Values(
        KindCalls{Memory::Pinned, {"cudaHostAlloc 4096 default"}, {"cudaFreeHost pinned 4096"}},
        KindCalls{Memory::WriteCombined,
                  {"cudaHostAlloc 4096 write_combined"},
                  {"cudaFreeHost write_combined 4096"}},
        KindCalls{Memory::Mapped,
                  {"cudaHostAlloc 4096 mapped", "cudaHostGetDevicePointer mapped 4096"},
                  {"cudaFreeHost mapped 4096"}},
        KindCalls{Memory::Registered,
                  {"cudaHostRegister 4096 default", "cudaHostGetDevicePointer registered 4096"},
                  {"cudaHostUnregister registered 4096"}},
        KindCalls{Memory::Managed,
                  {"cudaMallocManaged 4096 global", managed_access,
                   "cudaMemAdvise 4096 preferred_location device 0"},
                  {"cudaFree managed 4096"}},
        KindCalls{Memory::Device, {"cudaMalloc 4096"}, {"cudaFree device 4096"}}),
    [](const auto& info) { return std::string(name_of(info.param.memory)); });

class MemoryTest : public CudaBackendTest {
 protected:
  std::unique_ptr<Allocation> fresh(OutputPolicy policy, Memory memory = Memory::Device) {
    return backend->allocate_fresh(policy, memory, 4096, *queue);
  }
};

TEST_F(MemoryTest, FreshDeviceMemoryComesFromAPoolThatKeepsIt) {
  std::unique_ptr<Allocation> memory;
  EXPECT_THAT(calls_of([&] { memory = fresh(OutputPolicy::Fresh); }),
              ElementsAre("cudaMemPoolCreate device 0",
                          "cudaMemPoolSetAttribute pool 1 keeps 18446744073709551615",
                          "cudaMallocFromPoolAsync 4096 pool 1 stream 1"));
  EXPECT_THAT(calls_of([&] { memory.reset(); }), ElementsAre("cudaFreeAsync 4096 stream 1"));
  EXPECT_THAT(calls_of([&] { memory = fresh(OutputPolicy::Fresh); }),
              ElementsAre("cudaMallocFromPoolAsync 4096 pool 1 stream 1"));
}

TEST_F(MemoryTest, CudaMallocWaitsForTheDeviceWhenItFrees) {
  std::unique_ptr<Allocation> memory;
  EXPECT_THAT(calls_of([&] { memory = fresh(OutputPolicy::CudaMalloc); }),
              ElementsAre("cudaMalloc 4096"));
  EXPECT_THAT(calls_of([&] { memory.reset(); }), ElementsAre("cudaFree device 4096"));
}

TEST_F(MemoryTest, FreshHostMemoryIsMadeAsAlways) {
  std::unique_ptr<Allocation> memory;
  EXPECT_THAT(calls_of([&] { memory = fresh(OutputPolicy::Fresh, Memory::Pinned); }),
              ElementsAre("cudaHostAlloc 4096 default"));
}

TEST_F(MemoryTest, NoAdviceWhereTheDeviceCannotFaultManagedPagesIn) {
  cuda.attributes[cudaDevAttrConcurrentManagedAccess] = 0;
  std::unique_ptr<Allocation> memory;
  EXPECT_THAT(calls_of([&] { memory = backend->allocate(Memory::Managed, 64); }),
              ElementsAre("cudaMallocManaged 64 global", managed_access));
}

TEST_F(MemoryTest, AFullDeviceIsSaidWithAdvice) {
  cuda.failures = {{.function = "cudaMalloc", .code = cudaErrorMemoryAllocation}};
  EXPECT_EQ(error_of([&] { backend->allocate(Memory::Device, 27'648'000); }),
            "cudaMalloc(27.6 MB) failed: cudaErrorMemoryAllocation (out of memory); use a smaller "
            "batch, or free the GPU (nvidia-smi shows who holds it)");
}

TEST_F(MemoryTest, PageableMemoryIsNotCudasToGive) {
  EXPECT_EQ(error_of([&] { backend->allocate(Memory::Pageable, 64); }),
            "CUDA cannot allocate pageable memory");
}

}  // namespace
}  // namespace normbench::memory_test
