/// Tests the addresses of fresh outputs on the GPU in consecutive iterations. A fresh output is
/// allocated anew in each iteration.
#include <fmt/format.h>

#include <set>

#include "cuda/cuda_measure.h"

namespace normbench::gpu_day_fresh_test {
namespace {

/// Tests cases with inputs of 96 bytes and outputs of 384 bytes on the GPU. With a cold cache, a
/// case rotates through so many sets of buffers that they exceed three times the L2 cache, which
/// has 800 bytes here. In whole cache lines, a set takes 512 bytes, so there are five sets.
class GpuDayFresh : public CudaMeasureTest {
 protected:
  GpuDayFresh() {
    cuda.attributes[cudaDevAttrL2CacheSize] = 800;
    backends = make_backends();  // they read the cache size when they are made
  }

  /// Returns the address of the output in each of 12 iterations of a variant.
  std::vector<const std::byte*> addresses(std::string_view variant, std::string_view cache) {
    const Plan plan = plan_of(fmt::format(
        R"({{"schema": 1, "name": "test", "measure": {{"cache": "{}"}},
             "experiments": [{{"name": "e", "question": "?",
                "source": {{"batch": 1, "size": [4, 8], "memory": "device"}},
                "variants": {{"v": {}}}}}]}})",
        cache, variant));
    const Case& planned = plan.groups.at(0).cases.at(0);
    const std::vector<const Case*> cases{&planned};
    GroupMemory memory(cases, plan.measure, backends, 1 << 10);
    sets = memory.sets(Memory::Device);
    std::mt19937_64 random{1};
    Engine prepared(planned, memory, backends, recorder, clock, random);
    std::vector<const std::byte*> found;
    const auto look = [&](const Item& item) { found.push_back(item.outputs().at(0).data); };
    before = cuda.log;
    for (int i = 0; i < 12; ++i) {
      prepared.advance();
      prepared.iterate({.on_done = look});
    }
    prepared.drain();
    during = {cuda.log.begin() + static_cast<std::ptrdiff_t>(before.size()), cuda.log.end()};
    return found;
  }

  /// Returns how many calls that start with the text `call` are made per iteration, on average.
  double each(std::string_view call) const {
    return static_cast<double>(std::ranges::count_if(
               during, [&](const std::string& one) { return one.starts_with(call); })) /
           12;
  }

  std::size_t sets = 0;
  Calls before, during;
};

/// Returns the largest n for which any n consecutive iterations write to n different addresses.
std::size_t apart(const std::vector<const std::byte*>& addresses) {
  for (std::size_t count = 2; count <= addresses.size(); ++count)
    for (std::size_t i = 0; i + count <= addresses.size(); ++i)
      if (std::set(addresses.begin() + static_cast<std::ptrdiff_t>(i),
                   addresses.begin() + static_cast<std::ptrdiff_t>(i + count))
              .size() < count)
        return count - 1;
  return addresses.size();
}

constexpr const char* kNew = R"([{"op": "cast", "to": "float32", "output": "fresh"}])";
constexpr const char* kMalloc = R"([{"op": "cast", "to": "float32", "output": "cuda_malloc"}])";
constexpr const char* kKept = R"([{"op": "cast", "to": "float32"}])";

TEST_F(GpuDayFresh, OutputsAreAsColdAsKeptOnes) {
  for (const char* const variant : {kKept, kNew}) {
    const auto found = addresses(variant, "cold");
    EXPECT_EQ(sets, 5u);
    EXPECT_EQ(apart(found), sets) << variant;
    EXPECT_EQ(std::set(found.begin(), found.end()).size(), sets) << variant;
  }
}

TEST_F(GpuDayFresh, OutputsComeBackAtOnceWhereEverythingIsHot) {
  EXPECT_EQ(apart(addresses(kNew, "hot")), 1u);
}

TEST_F(GpuDayFresh, OutputsAreTakenAndFreedOnceInEachIteration) {
  for (const char* const cache : {"cold", "hot"}) {
    addresses(kNew, cache);
    EXPECT_EQ(each("cudaMallocFromPoolAsync 384"), 1) << cache;
    EXPECT_EQ(each("cudaFreeAsync 384"), 1) << cache;
    addresses(kMalloc, cache);
    EXPECT_EQ(each("cudaMalloc 384"), 1) << cache;
    EXPECT_EQ(each("cudaFree device 384"), 1) << cache;
  }
}

TEST_F(GpuDayFresh, OutputsThatLiveOnAreThereBeforeTheFirstIteration) {
  for (const auto& [variant, call] :
       {std::pair(kNew, "cudaMallocFromPoolAsync 384"), {kMalloc, "cudaMalloc 384"}}) {
    addresses(variant, "cold");
    const auto is_made = [&](const std::string& one) { return one.starts_with(call); };
    EXPECT_EQ(std::ranges::count_if(before, is_made), 4) << variant;
  }
}

TEST_F(GpuDayFresh, IntermediatesAreTakenAndFreedOnceToo) {
  addresses(R"([{"op": "cast", "to": "float32", "output": "fresh"},
                {"op": "cast", "to": "float16", "output": "fresh"}])",
            "cold");
  EXPECT_EQ(each("cudaMallocFromPoolAsync 384"), 1);
  EXPECT_EQ(each("cudaFreeAsync 384"), 1);
}

}  // namespace
}  // namespace normbench::gpu_day_fresh_test
