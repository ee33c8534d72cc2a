#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "fake_backends.h"

namespace normbench {
namespace {

const std::string text = R"({
  "schema": 1, "name": "where", "about": "Where should uint8 images be normalised?",
  "defaults": {"source": {"size": [720, 1280]},
               "normalize": {"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}},
  "experiments": [
    {"name": "place", "question": "On the CPU or on the GPU?",
     "sweep": {"batch": [1, 10]}, "source": {"batch": "$batch"}, "baseline": "CPU, send f32",
     "variants": {"CPU only": [{"op": "cast", "to": "float32", "output": "fresh"},
                               {"op": "sub", "output": "in_place"},
                               {"op": "div", "output": "in_place", "kernel": "simd"}],
                  "CPU, send f32": ["normalize", "h2d"],
                  "send u8": {"stages": ["h2d", "normalize"], "threads": 2}}},
    {"name": "copy", "variants": {"copy": [{"op": "copy"}]}}]})";

const std::string golden = R"(where: Where should uint8 images be normalised?
3 groups, 7 cases (4 skipped here) · cold cache, wall clock, to 1.0 % · rounds take at most 15.0 s

place: On the CPU or on the GPU?
 batch=1 · 191 MB of host memory
  CPU only · 1 thread · moves 58.1 MB
    source                       1x3x720x1280 uint8 nchw pageable
    cast        simd        cpu  1x3x720x1280 float32 nchw pageable   13.8 MB, fresh
    sub         simd        cpu  1x3x720x1280 float32 nchw pageable   22.1 MB, in_place
    div         simd        cpu  1x3x720x1280 float32 nchw pageable   22.1 MB, in_place
  CPU, send f32 (baseline) · 1 thread · host waits per turn · moves 24.9 MB, link 11.1 MB
    source                       1x3x720x1280 uint8 nchw pageable
    normalize   lut         cpu  1x3x720x1280 float32 nchw pageable   13.8 MB
    h2d         -           cuda 1x3x720x1280 float32 nchw device     11.1 MB, link 11.1 MB
    skipped: no CUDA device (none)
  send u8 · 2 threads · host waits per turn · moves 16.6 MB, link 2.76 MB
    source                       1x3x720x1280 uint8 nchw pageable
    h2d         -           cuda 1x3x720x1280 uint8 nchw device       2.76 MB, link 2.76 MB
    normalize   -           cuda 1x3x720x1280 float32 nchw device     13.8 MB
    skipped: no CUDA device (none)
  limits: stream 2.76 MB:11.1 MB temporal, 1 thread; stream 2.76 MB:11.1 MB nt, 1 thread
 batch=10 · 332 MB of host memory · moves: CPU only 581 MB; CPU, send f32 249 MB, link 111 MB; send
     u8 166 MB, link 27.6 MB

copy
 166 MB of host memory
  copy (baseline) · 1 thread · moves 55.3 MB
    source                       10x3x720x1280 uint8 nchw pageable
    copy        simd        cpu  10x3x720x1280 uint8 nchw pageable    55.3 MB
  limits: stream 27.6 MB:27.6 MB temporal, 1 thread; stream 27.6 MB:27.6 MB nt, 1 thread
)";

TEST(Explain, TellsTheWholePlan) {
  EXPECT_EQ(explain(fakes::plan(text), {.host = 32 << 20}), golden);
}

const std::string gpu_text = R"({
  "schema": 1, "name": "gpu",
  "defaults": {"source": {"batch": 1, "channels": 1, "size": [1000, 1000]}},
  "experiments": [
    {"name": "ways", "variants": {
       "pin": {"stages": [{"op": "pin", "output": "fresh"}, "h2d",
                          {"op": "cast", "to": "float32", "output": "cuda_malloc"}],
               "wait": "stage"},
       "graph": {"stages": [{"op": "source", "memory": "device"}, {"op": "cast", "to": "float32"}],
                 "graph": true, "wait": "iteration"}}}]})";

TEST(Explain, TellsKernelsAndReasonsWhereThereIsNoDevice) {
  EXPECT_EQ(explain(make_plan("c.json", gpu_text, fakes::without_device(), {}), {}),
            R"(gpu
1 group, 2 cases (2 skipped here) · cold cache, wall clock, to 1.0 % · rounds take at most 0 s

ways
 nothing can run here
  pin (baseline) · 1 thread · host waits per stage · moves 8.00 MB, link 1.00 MB
    source                       1x1x1000x1000 uint8 nchw pageable
    pin         only        cuda 1x1x1000x1000 uint8 nchw pinned      2.00 MB, fresh
    h2d         async       cuda 1x1x1000x1000 uint8 nchw device      1.00 MB, link 1.00 MB
    cast        eager       cuda 1x1x1000x1000 float32 nchw device    5.00 MB, cuda_malloc
    skipped: no CUDA device (none)
  graph · 1 thread · graph · host waits per batch · moves 5.00 MB
    source                       1x1x1000x1000 uint8 nchw device
    cast        eager       cuda 1x1x1000x1000 float32 nchw device    5.00 MB
    skipped: no CUDA device (none)
)");
}

TEST(Explain, TellsMemoryOnBothSidesAndTheLimitsOfAGpu) {
  const std::string told = explain(make_plan("c.json", gpu_text, fakes::with_gpu(), {}),
                                   {.host = 10'000'000, .device = 20'000'000});
  // Host: 31 copies of the pageable source and of the h2d limit's, 16 sets of what pin writes.
  // Device: 61 copies of the source, and 61 sets (the h2d limit writes 1 MB) of the first case's 5.
  EXPECT_THAT(told, testing::HasSubstr("\n 78.0 MB of host memory, 366 MB of device memory\n"));
  EXPECT_THAT(told, testing::EndsWith(
                        "  limits: h2d 1.00 MB pinned; stream 1.00 MB:4.00 MB vector, cuda; stream "
                        "1.00 MB:4.00 MB streaming,\n      cuda; launch; launch + sync\n"));
}

TEST(Explain, NoLineIsLongerThan100Columns) {
  const std::string name(150, 'x');
  std::istringstream lines(
      explain(fakes::plan(fakes::config(fmt::format(
                  R"("question": "{0} {0}", "variants": {{"ä {0} {0}": ["copy"]}})", name))),
              {.host = 1}));
  const auto starts_character = [](char byte) { return (byte & 0xc0) != 0x80; };
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(std::ranges::count_if(line, starts_character), 100) << line;
}

TEST(Memory, ColdBuffersExceedTheCacheThreefold) {
  const Plan plan = fakes::plan(fakes::config(
      R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000]},
         "variants": {"v": [{"op": "cast", "to": "float32"}]})"));
  Measure measure;
  // 1 MB of source and 4 MB of output; the streams read the same source.
  measure.cache = Cache::Hot;
  const Sides cache{.host = 10'000'000};
  EXPECT_EQ(memory_bytes(plan.groups[0], measure, cache), (Sides{.host = 1'000'000 + 4'000'000}));
  measure.cache = Cache::Cold;
  // 31 copies of a source exceed 30 MB by themselves, 7 sets together with their outputs.
  EXPECT_EQ(memory_bytes(plan.groups[0], measure, cache),
            (Sides{.host = 31 * 1'000'000 + 7 * 4'000'000}));
}

TEST(Memory, EachSideExceedsItsOwnCache) {
  const Plan plan = make_plan(
      "c.json",
      fakes::config(
          R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000], "memory": "device"},
         "variants": {"v": [{"op": "cast", "to": "float32"}, {"op": "d2h", "memory": "mapped"}]})"),
      fakes::with_gpu(), {});
  Measure measure;
  measure.cache = Cache::Hot;
  // The d2h limit has a source of its own, of 4 MB, and writes pinned memory.
  EXPECT_EQ(memory_bytes(plan.groups[0], measure, {.host = 1, .device = 1}),
            (Sides{.host = 4'000'000 + 4'000'000, .device = 1'000'000 + 4'000'000 + 4'000'000}));
  measure.cache = Cache::Cold;
  // 3 sets of 4 MB on the host, in two kinds. On the device 16 copies of the source of 1 MB and 4
  // of that of 4 MB; the case alone writes there, 5 MB touched: 4 sets.
  EXPECT_EQ(
      memory_bytes(plan.groups[0], measure, {.host = 3'000'000, .device = 5'000'000}),
      (Sides{.host = 3 * 8'000'000, .device = 16 * 1'000'000 + 4 * 4'000'000 + 4 * 4'000'000}));
}

}  // namespace
}  // namespace normbench
