#include "report/plan_text.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>

#include "core/text.h"
#include "plan/fake_backends.h"

namespace normbench::plan_text_test {
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
3 groups, 7 cases (4 skipped here) · cold cache, wall clock, to 1.0 % · budget 15.0 s

place: On the CPU or on the GPU?
 batch=1 · 467 MB of host memory
  CPU only · 1 thread · moves 58.1 MB
    source                            1x3x720x1280 uint8 nchw pageable
    cast        simd             cpu  1x3x720x1280 float32 nchw pageable   13.8 MB, fresh
    sub         simd             cpu  1x3x720x1280 float32 nchw pageable   22.1 MB, in_place
    div         simd             cpu  1x3x720x1280 float32 nchw pageable   22.1 MB, in_place
  CPU, send f32 (baseline) · 1 thread · host waits per turn · moves 24.9 MB, link 11.1 MB
    source                            1x3x720x1280 uint8 nchw pageable
    normalize   lut              cpu  1x3x720x1280 float32 nchw pageable   13.8 MB
    h2d         -                cuda 1x3x720x1280 float32 nchw device     11.1 MB, link 11.1 MB
    skipped: no CUDA device (none)
  send u8 · 2 threads · host waits per turn · moves 16.6 MB, link 2.76 MB
    source                            1x3x720x1280 uint8 nchw pageable
    h2d         -                cuda 1x3x720x1280 uint8 nchw device       2.76 MB, link 2.76 MB
    normalize   -                cuda 1x3x720x1280 float32 nchw device     13.8 MB
    skipped: no CUDA device (none)
  limits: stream 2.76 MB:11.1 MB temporal, 1 thread; stream 2.76 MB:11.1 MB nt, 1 thread; stream
      11.1 MB:11.1 MB temporal, 1 thread, in cache
 batch=10 · 940 MB of host memory · moves: CPU only 581 MB; CPU, send f32 249 MB, link 111 MB; send
     u8 166 MB, link 27.6 MB

copy
 343 MB of host memory
  copy (baseline) · 1 thread · moves 55.3 MB
    source                            10x3x720x1280 uint8 nchw pageable
    copy        simd             cpu  10x3x720x1280 uint8 nchw pageable    55.3 MB
  limits: stream 27.6 MB:27.6 MB temporal, 1 thread; stream 27.6 MB:27.6 MB nt, 1 thread
)";

TEST(Explain, TellsTheWholePlan) {
  EXPECT_EQ(plan_text(fakes::plan(text), {.host = 32 << 20}), golden);
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
  EXPECT_EQ(plan_text(make_plan("c.json", gpu_text, fakes::without_device(), {}), {}),
            R"(gpu
1 group, 2 cases (2 skipped here) · cold cache, wall clock, to 1.0 % · budget 0 s

ways
 nothing can run here
  pin (baseline) · 1 thread · host waits per stage · moves 8.00 MB, link 1.00 MB
    source                            1x1x1000x1000 uint8 nchw pageable
    pin         only             cuda 1x1x1000x1000 uint8 nchw pinned      2.00 MB, fresh
    h2d         async            cuda 1x1x1000x1000 uint8 nchw device      1.00 MB, link 1.00 MB
    cast        eager            cuda 1x1x1000x1000 float32 nchw device    5.00 MB, cuda_malloc
    skipped: no CUDA device (none)
  graph · 1 thread · graph · host waits per batch · moves 5.00 MB
    source                            1x1x1000x1000 uint8 nchw device
    cast        eager            cuda 1x1x1000x1000 float32 nchw device    5.00 MB
    skipped: no CUDA device (none)
)");
}

TEST(Explain, TellsMemoryOnBothSidesAndTheLimitsOfAGpu) {
  const std::string told = plan_text(make_plan("c.json", gpu_text, fakes::with_gpu(), {}),
                                     {.host = 10'000'000, .device = 20'000'000});
  // Host memory:
  // - 62 MB: 31 copies of the pageable source, and 31 copies of the source of the limit "h2d".
  // - 96 MB: the check of the first case, which has 4 tensors of 1 million values. It takes 8 B *
  //   (2 * 4 + 4) million: each value has a bound, and there are four temporary tensors.
  // - 5 MB: 1 MB that the first case pins, and its output of 4 MB, which the checks keep.
  // Device memory:
  // - 61 MB: 60 copies of the source, and one copy that stays in the cache.
  // - 244 MB: 61 buffers for the second case's output, into which the limit "h2d" also writes.
  // - 248 MB: 61 outputs that the first case allocates anew, and one output that its check keeps.
  EXPECT_THAT(told, testing::HasSubstr("\n 163 MB of host memory, 553 MB of device memory\n"));
  EXPECT_THAT(told,
              testing::EndsWith(
                  "  limits: stream 1.00 MB:4.00 MB vector, cuda; stream 1.00 MB:4.00 MB "
                  "streaming, cuda; stream\n      1.00 MB:4.00 MB vector, cuda, in cache; h2d "
                  "1.00 MB pinned; launch; launch + sync\n"));
}

TEST(Explain, TellsWhatIsClaimedAndWhatWasPublished) {
  const std::string told = plan_text(fakes::plan(fakes::config(R"("ids": ["A5", "A6"],
      "sweep": {"batch": [1, 10]}, "source": {"batch": "$batch"},
      "variants": {"once": ["copy"], "twice": ["copy", "copy"]},
      "published": [{"ids": ["A5"], "variant": "twice", "point": {"batch": 10}, "wall_ms": 13.39,
                     "items": 50, "where": "a table"},
                    {"ids": ["A6"], "variant": "once", "stage": "copy", "sum_ms": 9}],
      "claims": [{"ids": ["A6"], "text": "less is more", "expects": ["once", "<", "twice"],
                  "ratio": [1.5, 2], "point": {"batch": 10}},
                 {"text": "the gap grows", "expects": ["once", "<", "twice"],
                  "across": {"batch": "grows"}},
                 {"text": "as fast", "expects": ["once", "=", "twice"], "within": 0.01}])")),
                                     {.host = 1});
  EXPECT_THAT(told, testing::HasSubstr(R"(
  published as A5, A6
  claim (A6): once < twice, 1.5-2x, at batch=10: less is more
  claim (A5, A6): once < twice, grows along batch: the gap grows
  claim (A5, A6): once = twice, within 1.0 %: as fast
  published (A6): once, copy: 9 ms host and device
 batch=10)"));
  EXPECT_THAT(told, testing::EndsWith("  published (A5): twice: 13.39 ms wall of 50 iterations\n"
                                      "  published (A6): once, copy: 9 ms host and device\n"));
}

TEST(Explain, LinesOfWordsAreAtMost100Columns) {
  std::string name = "word";
  for (int i = 0; i < 24; ++i) name += " 画像";
  std::istringstream lines(
      plan_text(fakes::plan(fakes::config(fmt::format(
                    R"("question": "{0} {0}", "variants": {{"ä {0} {0}": ["copy"]}})", name))),
                {.host = 1}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100u) << line;
}

TEST(Explain, TellsWhatIsFreeAndWhatDoesNotFit) {
  PlanOptions options;
  options.free_bytes = {.host = 2'000'000'000, .device = 500'000'000};
  options.free_notes = {.host = "2.10 GB left in the container, 100 MB kept back", .device = ""};
  const std::string told = plan_text(make_plan("c.json",
                                               fakes::config(R"("sweep": {"batch": [1, 1000, 2000]},
                                 "source": {"batch": "$batch", "channels": 1, "size": [1000, 1000]},
                                 "variants": {"v": [{"op": "cast", "to": "float32"}]})",
                                                             R"("measure": {"cache": "hot"})"),
                                               fakes::with_gpu(), options),
                                     options.cache_bytes);
  EXPECT_EQ(told, R"(c
3 groups, 3 cases (2 skipped here) · hot cache, wall clock, to 1.0 % · budget 5.00 s
free: 2.00 GB of host memory (2.10 GB left in the container, 100 MB kept back), 500 MB of device
    memory

e
 batch=1 · 69.0 MB of host memory
  v (baseline) · 1 thread · moves 5.00 MB
    source                            1x1x1000x1000 uint8 nchw pageable
    cast        simd             cpu  1x1x1000x1000 float32 nchw pageable  5.00 MB
  limits: stream 1.00 MB:4.00 MB temporal, 1 thread; stream 1.00 MB:4.00 MB nt, 1 thread
 batch=1000 · nothing can run here · moves: v 5.00 GB
  v skipped: needs 5.06 GB of host memory, 2.00 GB are free (2.10 GB left in the container, 100 MB
      kept back)
 batch=2000 · nothing can run here · moves: v 10.0 GB
  v skipped: needs 10.1 GB of host memory, 2.00 GB are free (2.10 GB left in the container, 100 MB
      kept back)
)");
}

TEST(PlanText, FitsANarrowTerminalHoweverDeepRangesAre) {
  std::string stages = R"("copy")";
  for (int depth = 0; depth < 25; ++depth)
    stages = fmt::format(R"({{"range": "range {}", "stages": [{}]}})", depth, stages);
  const Plan plan = fakes::plan(fakes::config(fmt::format(
      R"("source": {{"batch": 1, "size": [4, 4]}}, "variants": {{"v": [{}]}})", stages)));
  std::istringstream lines(plan_text(plan, {.host = 1}, 40));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 90u) << line;
  EXPECT_GT(count, 25);
}

TEST(Explain, TellsRangesAndLabels) {
  const std::string ranges = fakes::config(
      R"("variants": {"v": [{"range": "preprocess", "stages": [
           {"op": "cast", "to": "float32", "output": "fresh", "label": "to float {i}"},
           {"range": "inner", "stages": ["copy"]}]}, {"op": "copy", "kernel": "simd"}]})");
  EXPECT_THAT(plan_text(fakes::plan(ranges), {.host = 1}), testing::HasSubstr(
                                                               R"(
    source                            10x3x720x1280 uint8 nchw pageable
    range "preprocess"
      cast        simd             cpu  10x3x720x1280 float32 nchw pageable  138 MB, fresh, label
          "to float {i}"
      range "inner"
        copy        simd             cpu  10x3x720x1280 float32 nchw pageable  221 MB
    copy        simd             cpu  10x3x720x1280 float32 nchw pageable  221 MB
)"));
}

TEST(Explain, TellsWhatPeersRun) {
  PlanOptions options;
  options.allow_peers = true;
  const std::string told = plan_text(
      fakes::plan(fakes::config(
                      R"("sweep": {"batch": [2, 4]}, "source": {"batch": "$batch", "size": [4, 6]},
                            "variants": {"ours": ["copy"],
                                         "theirs": {"peer": "torch", "stages": [
                                             {"op": "cast", "to": "float32", "kernel": "jit"}]}})",
                      R"("peers": {"torch": ["python3", "torch_peer.py", "--eager"],
                                 "numpy": ["./numpy"]})"),
                  options),
      {.host = 32 << 20});
  EXPECT_THAT(told, testing::HasSubstr(R"(  theirs · 1 thread · run by peer torch
    source                            2x3x4x6 uint8 nchw pageable
    cast        peer torch       cpu  2x3x4x6 float32 nchw pageable        fewest 720 B, kernel jit
  peer torch (needs --allow-peers): python3 torch_peer.py --eager
)"));
  EXPECT_THAT(told, testing::HasSubstr(" · moves: ours 576 B\n"));
  EXPECT_THAT(told, testing::Not(testing::HasSubstr("numpy")));
}

}  // namespace
}  // namespace normbench::plan_text_test
