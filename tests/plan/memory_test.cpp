#include "plan/memory.h"

#include <gmock/gmock.h>

#include <array>

#include "fake_backends.h"

namespace normbench::memory_test {
namespace {

void expect_need(const MemoryNeed& need, const Sides& kept, const Sides& passing) {
  EXPECT_EQ(need.kept.host, kept.host);
  EXPECT_EQ(need.kept.device, kept.device);
  EXPECT_EQ(need.passing.host, passing.host);
  EXPECT_EQ(need.passing.device, passing.device);
}

MemoryNeed need_of(const Case& planned, Cache cache, const Sides& cache_bytes) {
  return memory_need(std::array{&planned}, cache, cache_bytes);
}

const std::string source = R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000]})";

/// Returns a case with these stages on one image of 1 MB.
Case one_case(const std::string& stages) {
  return fakes::only_case(fakes::config(source + R"(, "variants": {"v": )" + stages + "}"),
                          fakes::with_gpu());
}

// A buffer takes whole cache lines of 64 B and a gap of 4,032 B, so 4,000,000 B take 4,004,032 B. A
// check of 1 million input values and 1 million output values takes 8 B * (2 * 2 + 4) million: each
// value has a bound, and there are four temporary tensors. In every set of buffers, each of the
// three slots (source, output, scratch) has an address of 8 B. Placing the buffers takes 16 B for
// each placed buffer.
constexpr std::int64_t placed = 4'004'032, check = 64'000'000;

TEST(Memory, ColdBuffersExceedTheCacheThreefold) {
  Case planned = one_case(R"([{"op": "cast", "to": "float32"}])");
  const Sides cache{.host = 10'000'000, .device = 1};
  expect_need(need_of(planned, Cache::Hot, cache), {.host = 1'000'000 + placed},
              {.host = check + 8 * 3 + 16});
  // 31 copies of the source exceed 30 MB, three times the cache. So do 7 sets of buffers, because
  // an iteration touches 5 MB (source and output).
  expect_need(need_of(planned, Cache::Cold, cache), {.host = 31 * 1'000'000 + 7 * placed},
              {.host = check + 7 * (8 * 3 + 16)});
  planned.resident = true;
  expect_need(need_of(planned, Cache::Cold, cache), {.host = 1'000'000 + placed},
              {.host = check + 8 * 3 + 16});
}

TEST(Memory, EachSideExceedsItsOwnCache) {
  const Case planned = fakes::only_case(
      fakes::config(
          R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000], "memory": "device"},
         "variants": {"v": [{"op": "cast", "to": "float32"}, {"op": "d2h", "memory": "mapped"}]})"),
      fakes::with_gpu());
  // Buffers in device memory take whole lines of 512 B. A buffer there takes 1,000,448 B (`small`),
  // or 4,000,256 B and a gap of 3,584 B (`large`). The check covers three tensors of 1 million
  // elements each, so it takes 8 B * (2 * 3 + 4) million. Making the source takes host memory for
  // the source and for a copy of it. A set of buffers has five addresses of 8 B, and two buffers
  // whose placing takes 16 B each.
  constexpr std::int64_t small = 1'000'448, large = 4'003'840;
  constexpr std::int64_t passing = 8 * 10'000'000 + 2 * small;
  expect_need(need_of(planned, Cache::Hot, {.host = 1, .device = 1}),
              {.host = placed, .device = small + large}, {.host = passing + 8 * 5 + 16 * 2});
  // The host has 3 sets of buffers, because an iteration touches 4 MB there, and three sets exceed
  // three times its cache of 3 MB. The device has 15 copies of the source, which exceed three times
  // its cache of 5 MB. So do 4 sets of buffers, because an iteration touches 5 MB there.
  expect_need(need_of(planned, Cache::Cold, {.host = 3'000'000, .device = 5'000'000}),
              {.host = 3 * placed, .device = 15 * small + 4 * large},
              {.host = passing + 4 * (8 * 5 + 16 * 2)});
}

TEST(Memory, OfAFreshResultIsThereTwiceAndDoesNotRotate) {
  const Case planned = fakes::only_case(fakes::config(
      R"("source": {"batch": 4, "size": [720, 1280]},
         "variants": {"v": [{"op": "cast", "to": "float32", "output": "fresh"}]})"));
  // 28 copies of the source, which has 11,059,200 B, exceed 300 MB, three times the cache. The last
  // argument has these terms, in this order:
  // - the output of an iteration, and the whole output that the check of the last call keeps,
  // - one of the 4 images of the output, which the other checks keep,
  // - a check of one image, which takes 8 B * (2 * 2 + 4) for each of its 2,764,800 values,
  // - the addresses of three slots of 8 B in each of 6 sets of buffers.
  constexpr std::int64_t result = 44'236'800;
  expect_need(need_of(planned, Cache::Cold, {.host = 100'000'000, .device = 1}),
              {.host = 28 * 11'059'200},
              {.host = 2 * result + result / 4 + 8 * 8 * 2'764'800 + 6 * 8 * 3});
}

TEST(Memory, OfAnExchangeHasWhatComesBack) {
  const Case planned = fakes::only_case(
      fakes::config(
          R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000], "memory": "pinned"},
             "variants": {"v": ["exchange"]})"),
      fakes::with_gpu());
  expect_need(need_of(planned, Cache::Hot, {.host = 1, .device = 1}),
              {.host = 1'000'000, .device = 1'000'448 + 3'584},
              {.host = 1'000'000 + check + 8 * 3 + 16});
}

TEST(Memory, OfAGroupIsItsSourcesAndTheLargestOfTheRest) {
  const Case one = one_case(R"([{"op": "cast", "to": "float32"}])");
  const Case same = one_case(R"(["copy"])");
  const Case other = one_case(R"([{"op": "source", "batch": 1, "channels": 1, "size": [1000, 1000],
                    "dtype": "float32"}, {"op": "cast", "to": "uint8"}])");
  expect_need(memory_need(std::array{&one, &same, &other}, Cache::Hot, {.host = 1, .device = 1}),
              {.host = 1'000'000 + 4'000'000 + placed}, {.host = check + 3 * 8 * 3 + 16});
}

TEST(Memory, NearTheLinkIsCountedBesideOther) {
  const std::string text = fakes::config(source + R"(, "variants": {
      "stays": [{"op": "cast", "to": "float32"}],
      "cast, sent": [{"op": "cast", "to": "float32"}, "h2d"],
      "sent": ["h2d"]})");
  Backends backends = fakes::backends(std::nullopt, fakes::cuda_rows());
  const auto host_bytes = [&] {
    const Plan plan = make_plan("c.json", text, backends, {});
    const std::vector<Case>& cases = plan.groups.at(0).cases;
    for (const Case& limit : plan.groups.at(0).limits)
      EXPECT_EQ(limit.near_link, cases[0].near_link);
    return memory_need(std::array{&cases[0], &cases[1], &cases[2]}, Cache::Hot,
                       {.host = 1, .device = 1})
        .kept.host;
  };
  EXPECT_EQ(host_bytes(), 1'000'000 + placed);
  static_cast<fakes::FakeBackend&>(*backends.list.back()).node = 1;
  EXPECT_EQ(host_bytes(), 2 * (1'000'000 + placed));  // a second source and output near the link
}

TEST(Memory, OfTheLargestCaseIsNoNumberThatOverflows) {
  std::string stages;
  for (int i = 0; i < 1000; ++i) stages += i == 0 ? R"("copy")" : R"(, "copy")";
  const Case planned = fakes::only_case(fakes::config(
      R"("source": {"batch": 1, "channels": 1, "size": [2147483647, 500000]},
         "variants": {"v": [)" +
      stages + "]}"));
  for (const Cache cache : {Cache::Hot, Cache::Cold}) {
    const MemoryNeed need = need_of(planned, cache, {.host = 1 << 28, .device = 1 << 28});
    // There are 1001 buffers of 1.07 PB. The bytes of the check would exceed 2^60, the largest
    // number that is counted.
    EXPECT_NEAR(static_cast<double>(need.kept.host), 1001 * 1'073'741'823'500'000.0, 1e7);
    EXPECT_EQ(need.passing.host, std::int64_t{1} << 60);
    EXPECT_EQ(need.total().device, 0);
  }
}

}  // namespace
}  // namespace normbench::memory_test
