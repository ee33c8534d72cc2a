/// Tests which inputs, place, kernel and memory the plan gives each stage of a config, and for
/// which reasons it skips a case.
#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::stages_test {
namespace {

using fakes::config;
using fakes::mistakes;
using fakes::only_case;
using fakes::stages;
using testing::ElementsAre;

/// Returns "label place kernel in->out description" for every stage.
std::vector<std::string> shown(const Case& one) {
  std::vector<std::string> lines;
  for (const Stage& stage : one.stages)
    lines.push_back(fmt::format("{} {} {} {}->{} {}", stage.label, name_of(stage.place),
                                stage.kernel == nullptr ? "-" : stage.kernel->name,
                                fmt::join(stage.in, ","), fmt::join(stage.out, ","),
                                describe(stage.signature.out.at(0))));
  return lines;
}

std::string skip(const std::string& list, const Backends& all = fakes::without_gpu(),
                 const std::string& head = "") {
  return only_case(config(R"("variants": {"v": )" + list + "}", head), all).skip.value_or("runs");
}

TEST(Stages, FollowTheSourceToTheDeviceAndBack) {
  EXPECT_THAT(shown(only_case(
                  stages(
                      R"(["copy", {"op": "cast", "to": "float32", "memory": "pageable_huge"}, "h2d",
              {"op": "cast", "to": "float16"}, {"op": "d2h", "memory": "pinned"},
              {"op": "cast", "to": "float32"}, {"op": "cast", "to": "float16", "place": "cuda"}])"),
                  fakes::with_gpu())),
              ElementsAre("copy cpu simd 0->1 2x3x4x6 uint8 nchw pageable",
                          "cast cpu simd 1->2 2x3x4x6 float32 nchw pageable_huge",
                          "h2d cuda async 2->3 2x3x4x6 float32 nchw device",
                          "cast cuda eager 3->4 2x3x4x6 float16 nchw device",
                          "d2h cuda async 4->5 2x3x4x6 float16 nchw pinned",
                          "cast cpu simd 5->6 2x3x4x6 float32 nchw pinned",
                          "cast cuda eager 6->7 2x3x4x6 float16 nchw device"));
}

TEST(Stages, StartWithTheirOwnSourceOrLoadOrTheDefault) {
  const auto first = [](const std::string& text) {
    const Case one = only_case(text);
    return describe(one.values.at(0).desc) + (!one.inputs.empty() ? " source" : " load");
  };
  EXPECT_EQ(first(config(R"("variants": {"v": ["copy"]})")),
            "10x3x720x1280 uint8 nchw pageable source");
  EXPECT_EQ(
      first(config(R"("variants": {"v": ["copy"]})", R"("defaults": {"source": {"batch": 1}})")),
      "1x3x720x1280 uint8 nchw pageable source");
  EXPECT_EQ(first(config(R"("source": {"size": [1, 2]}, "variants": {"v": ["copy"]})",
                         R"("defaults": {"source": {"batch": 1}})")),
            "1x3x1x2 uint8 nchw pageable source");
  EXPECT_EQ(first(stages(R"([{"op": "source", "batch": 7}, "copy"])")),
            "7x3x4x6 uint8 nchw pageable source");
  EXPECT_EQ(first(config(R"("load": {"batch": 3}, "variants": {"v": ["copy"]})",
                         R"("defaults": {"load": {"size": [5, 6]}})")),
            "3x3x5x6 uint8 nhwc pageable load");
  EXPECT_EQ(first(stages(R"(["load", "copy"])")), "8x3x224x224 uint8 nhwc pageable load");
}

TEST(Stages, ABareStartIsTheExperiments) {
  const auto first = [](const std::string& start, const std::string& variant) {
    const Case one = only_case(config(start + R"(, "variants": {"v": [)" + variant + "]}"));
    EXPECT_EQ(one.stages.back().label, "copy");
    return describe(one.values.at(0).desc);
  };
  EXPECT_EQ(first(R"("load": {"batch": 3, "size": [5, 6]})", R"("load", "copy")"),
            "3x3x5x6 uint8 nhwc pageable");
  EXPECT_EQ(first(R"("source": {"dtype": "float32", "batch": 2})", R"("source", "copy")"),
            "2x3x720x1280 float32 nchw pageable");
  EXPECT_EQ(first(R"("source": {"batch": 3})", R"("load", "copy")"),
            "8x3x224x224 uint8 nhwc pageable");
}

TEST(Stages, AStartTakesFromTheExperimentWhatItDoesNotSay) {
  const auto first = [](const std::string& start, const std::string& stage) {
    const Case one = only_case(config(start + R"(, "variants": {"v": [)" + stage + R"(, "copy"]})",
                                      R"("defaults": {"load": {"size": [9, 9]}})"));
    return one.values.at(0).name + " " + describe(one.values.at(0).desc);
  };
  const std::string load = R"("load": {"batch": 3, "as": "photos"})";
  EXPECT_EQ(first(load, R"({"op": "load"})"), "photos 3x3x9x9 uint8 nhwc pageable");
  EXPECT_EQ(first(load, R"({"op": "load", "kernel": "simd", "size": [5, 6]})"),
            "photos 3x3x5x6 uint8 nhwc pageable");
  const std::string source = R"("source": {"batch": 2, "size": [5, 6], "dtype": "float32"})";
  EXPECT_EQ(first(source, R"({"op": "source", "batch": 1})"), " 1x3x5x6 float32 nchw pageable");
  EXPECT_EQ(first(source, R"({"op": "source", "shape": [1, 2, 3, 4]})"),
            " 1x2x3x4 float32 nchw pageable");
  EXPECT_EQ(first(R"("source": {"shape": [1, 2, 3, 4]})", R"({"op": "source", "batch": 5})"),
            " 5x3x720x1280 uint8 nchw pageable");
  EXPECT_EQ(first(R"("source": [{"batch": 2}, {"batch": 3}])", R"({"op": "source"})"),
            " 10x3x720x1280 uint8 nchw pageable");
  EXPECT_EQ(first(source, R"({"op": "load"})"), " 8x3x9x9 uint8 nhwc pageable");
}

TEST(Stages, AStartDoesNotTakeWhatItHasNoUseFor) {
  const auto load = [](const std::string& own) {
    const Case one = only_case(config(
        R"("load": {"fit": "crop", "shorter": 256}, "variants": {"v": [)" + own + R"(, "copy"]})"));
    const Load& op = *one.loader();
    return fmt::format("{} {} {}", name_of(op.storage), name_of(op.fit), op.shorter);
  };
  EXPECT_EQ(load(R"({"op": "load", "storage": "image"})"), "image crop 256");
  EXPECT_EQ(load(R"({"op": "load", "storage": "raw"})"), "raw resize 0");
  EXPECT_EQ(load(R"({"op": "load", "fit": "resize"})"), "image resize 0");
  EXPECT_EQ(load(R"({"op": "load", "shorter": 300})"), "image crop 300");
}

TEST(Stages, AnotherStartOfTheVariantDoesNotTakeTheName) {
  const Case one =
      only_case(config(R"("source": {"batch": 2, "as": "x"}, "variants": {"v": [{"op": "source"},
                {"op": "source", "as": "y"}, {"op": "concat", "in": ["x", "y"]}]})"));
  EXPECT_EQ(describe(one.result()), "4x3x720x1280 uint8 nchw pageable");
}

TEST(Stages, DefaultsAreMergedBelowWhatAStageSays) {
  const Case one = only_case(
      config(R"("source": {"dtype": "float32"},
                "variants": {"v": ["sub", {"op": "div", "constants": "cached"}, "normalize"]})",
             R"("defaults": {"normalize": {"mean": [1, 2, 3], "std": 4, "constants": "per_call",
                                           "output": "fresh"}, "sub": {"mean": 5}})"));
  const auto& sub = std::get<Sub>(one.stages[0].op);
  const auto& div = std::get<Div>(one.stages[1].op);
  const auto& normalize = std::get<Normalize>(one.stages[2].op);
  EXPECT_EQ(fmt::format("{} {} | {} {} | {} {}", sub.mean, name_of(sub.constants), div.std,
                        name_of(div.constants), normalize.mean, normalize.std),
            "[5] per_call | [4] cached | [1, 2, 3] [4]");
  EXPECT_EQ(one.stages[1].output, OutputPolicy::Reuse);
  EXPECT_EQ(one.stages[2].output, OutputPolicy::Fresh);
}

TEST(Stages, DenormalizeUndoesTheNormalizeOfTheDefaults) {
  const Case one = only_case(
      config(R"("variants": {"v": ["normalize", "denormalize"]})",
             R"("defaults": {"normalize": {"mean": [1, 2, 3], "std": 4, "scale": 0.5}})"));
  const auto& back = std::get<Denormalize>(one.stages[1].op);
  EXPECT_EQ(fmt::format("{} {} {}", back.mean, back.std, back.scale), "[1, 2, 3] [4] 0.5");
}

TEST(Stages, MistakesInDefaultsStandWhereTheyAreWritten) {
  EXPECT_THAT(mistakes(config(R"("variants": {"v": ["normalize", "sub"]})",
                              R"("defaults": {"normalize": {"mean": "x", "std": [1]}})")),
              ElementsAre("/defaults/normalize/mean: expected a number, got \"x\""));
}

TEST(Stages, NamesPickInputs) {
  EXPECT_THAT(shown(only_case(stages(R"([{"op": "copy", "as": "a"}, {"op": "flip", "as": ["b"]},
                                         {"op": "copy", "in": "a"}, {"op": "copy", "in": ["source"]},
                                         "flip"])"))),
              ElementsAre("copy cpu simd 0->1 2x3x4x6 uint8 nchw pageable",
                          "flip cpu simd 1->2 2x3x4x6 uint8 nchw pageable",
                          "copy cpu simd 1->3 2x3x4x6 uint8 nchw pageable",
                          "copy cpu simd 0->4 2x3x4x6 uint8 nchw pageable",
                          "flip cpu simd 4->5 2x3x4x6 uint8 nchw pageable"));
  EXPECT_THAT(mistakes(stages(R"([{"op": "copy", "as": "first"}, {"op": "copy", "in": "frist"}])")),
              ElementsAre("/experiments/0/variants/v/1/in: unknown value \"frist\" (did you mean "
                          "\"first\"?)"));
  EXPECT_THAT(mistakes(stages(R"([{"op": "copy", "as": "source"}])")),
              ElementsAre("/experiments/0/variants/v/0/as: the name \"source\" is taken (choose "
                          "another)"));
  EXPECT_THAT(mistakes(stages(R"([{"op": "copy", "as": ["a", "b"]}])")),
              ElementsAre("/experiments/0/variants/v/0/as: names 2 outputs, copy has 1"));
  EXPECT_THAT(mistakes(stages(R"([{"op": "copy", "as": "a"}, {"op": "copy", "in": ["a", "a"]}])")),
              ElementsAre("/experiments/0/variants/v/1: needs 1 input, got 2"));
}

TEST(Stages, KernelsAreForcedOrTheFirstThatTakesTheSignature) {
  const auto shown_normalize = [](const std::string& source, const std::string& more) {
    return shown(only_case(stages(fmt::format(R"([{{"op": "source", "batch": 1, "size": [2, 2]{}}},
                        {{"op": "normalize", "mean": 1, "std": 1{}}}])",
                                              source, more))));
  };
  EXPECT_THAT(shown_normalize("", ""),
              ElementsAre("normalize cpu lut 0->1 1x3x2x2 float32 nchw pageable"));
  EXPECT_THAT(shown_normalize(R"(, "dtype": "float32")", ""),
              ElementsAre("normalize cpu fused 0->1 1x3x2x2 float32 nchw pageable"));
  EXPECT_THAT(
      shown_normalize("", R"(, "kernel": "reference")"),
      ElementsAre("normalize (reference) cpu reference 0->1 1x3x2x2 float32 nchw pageable"));
  const auto mistake = [](const std::string& kernel) {
    return mistakes(stages(fmt::format(
        R"([{{"op": "source", "dtype": "float32", "batch": 1, "size": [2, 2]}},
            {{"op": "normalize", "mean": 1, "std": 1, "kernel": "{}"}}])",
        kernel)));
  };
  EXPECT_THAT(mistake("fusde"),
              ElementsAre("/experiments/0/variants/v/1/kernel: unknown kernel \"fusde\" (did you "
                          "mean \"fused\"?)"));
  EXPECT_THAT(mistake("zzzzzz"),
              ElementsAre("/experiments/0/variants/v/1/kernel: unknown kernel \"zzzzzz\" (known: "
                          "reference, lut, fused)"));
  EXPECT_THAT(
      mistake("lut"),
      ElementsAre("/experiments/0/variants/v/1/kernel: kernel \"lut\" does not take 1x3x2x2 "
                  "float32 nchw pageable -> 1x3x2x2 float32 nchw pageable"));
}

TEST(Stages, NoKernelTakesTheSignature) {
  Backends all;
  all.list.push_back(std::make_unique<fakes::FakeBackend>(
      Place::Cpu, std::nullopt,
      std::vector<Kernel>{fakes::row("copy", "reference", Place::Cpu, fakes::nothing)}));
  const std::string text = config(R"("source": {"batch": 1, "size": [2, 2]},
                                     "variants": {"v": ["copy"]})");
  EXPECT_THAT(mistakes(text, {}, all),
              ElementsAre("/experiments/0/variants/v/0: no cpu kernel of \"copy\" takes 1x3x2x2 "
                          "uint8 nchw pageable -> 1x3x2x2 uint8 nchw pageable (there are: "
                          "reference)"));
}

TEST(Stages, UnreachableMemory) {
  const auto mistake = [](const std::string& list) { return mistakes(stages(list)); };
  EXPECT_THAT(
      mistake(R"([{"op": "copy", "place": "cuda"}])"),
      ElementsAre("/experiments/0/variants/v/0/place: cuda cannot reach pageable memory (add "
                  "an h2d stage, or use pinned, registered, mapped or managed memory)"));
  EXPECT_THAT(
      mistake(R"(["h2d", {"op": "copy", "place": "cpu"}])"),
      ElementsAre("/experiments/0/variants/v/1/place: cpu cannot reach device memory (add a "
                  "d2h stage)"));
  EXPECT_THAT(mistake(R"([{"op": "copy", "memory": "device"}])"),
              ElementsAre("/experiments/0/variants/v/0/memory: cpu cannot write device memory (add "
                          "an h2d stage)"));
  EXPECT_THAT(mistake(R"(["h2d", {"op": "copy", "memory": "pageable"}])"),
              ElementsAre("/experiments/0/variants/v/1/memory: cuda cannot write pageable memory "
                          "(add a d2h stage)"));
  EXPECT_THAT(mistake(R"(["h2d", "h2d"])"),
              ElementsAre("/experiments/0/variants/v/1: input is already on the device"));
  EXPECT_THAT(mistake(R"(["d2h"])"),
              ElementsAre("/experiments/0/variants/v/0: input is already in host memory"));
  EXPECT_THAT(mistake(R"([{"op": "h2d", "place": "cpu"}])"),
              ElementsAre("/experiments/0/variants/v/0/place: h2d runs at place cuda only"));
  EXPECT_THAT(mistake(R"([{"op": "h2d", "memory": "pinned"}])"),
              ElementsAre("/experiments/0/variants/v/0/memory: h2d writes device memory only"));
  EXPECT_THAT(mistake(R"(["h2d", {"op": "d2h", "memory": "device"}])"),
              ElementsAre("/experiments/0/variants/v/1/memory: d2h writes host memory (pageable, "
                          "pinned, …)"));
}

TEST(Stages, InPlaceTakesOverTheInput) {
  const Case one = only_case(stages(
      R"([{"op": "cast", "to": "float32"}, {"op": "sub", "mean": 1, "output": "in_place"},
          {"op": "div", "std": 2, "output": "in_place"}])"));
  std::vector<int> over;
  for (const Value& value : one.values) over.push_back(value.in_place_of);
  EXPECT_THAT(over, ElementsAre(-1, -1, 1, 2));
}

TEST(Stages, MistakesInPlace) {
  const auto mistake = [](const std::string& list) { return mistakes(stages(list)); };
  EXPECT_THAT(mistake(R"([{"op": "cast", "to": "uint8", "output": "in_place"}])"),
              ElementsAre("/experiments/0/variants/v/0/output: cannot write over the source (other "
                          "variants read it)"));
  EXPECT_THAT(
      mistake(R"(["copy", {"op": "cast", "to": "float32", "output": "in_place"}])"),
      ElementsAre("/experiments/0/variants/v/1/output: in place needs an output as large as "
                  "the input (144 B in, 576 B out)"));
  EXPECT_THAT(mistake(R"(["copy", {"op": "flip", "output": "in_place"}])"),
              ElementsAre("/experiments/0/variants/v/1/output: flip cannot run in place"));
  EXPECT_THAT(mistake(R"([{"op": "load", "output": "in_place"}, "copy"])"),
              ElementsAre("/experiments/0/variants/v/0/output: load cannot run in place"));
  EXPECT_THAT(mistake(R"(["copy", {"op": "cast", "to": "uint8", "output": "in_place",
                                   "memory": "pageable_huge"}])"),
              ElementsAre("/experiments/0/variants/v/1/output: in place writes the input's memory, "
                          "pageable, not pageable_huge"));
  EXPECT_THAT(mistake(R"([{"op": "cast", "to": "float32"},
                          {"op": "normalize", "mean": 1, "std": 1, "layout": "nhwc",
                           "output": "in_place"}])"),
              ElementsAre("/experiments/0/variants/v/1/output: in place cannot change the layout"));
  EXPECT_THAT(mistake(R"([{"op": "copy", "as": "a"}, {"op": "cast", "to": "uint8",
                          "output": "in_place"}, {"op": "copy", "in": "a"}])"),
              ElementsAre("/experiments/0/variants/v/2/in: that value was overwritten in place by "
                          "cast (use the output of cast)"));
}

TEST(Stages, FreshOutputsFromTheSystemHaveUnmappedPages) {
  const auto mapped = [](const std::string& size) {
    return only_case(config(fmt::format(
                         R"("source": {{"channels": 1, "batch": 1, "size": {}}},
                            "variants": {{"v": [{{"op": "copy", "output": "fresh"}}]}})",
                         size)))
        .stages.at(0)
        .signature.pages_mapped;
  };
  EXPECT_FALSE(mapped("[8192, 4096]"));
  EXPECT_TRUE(mapped("[8191, 4096]"));
}

TEST(Skip, WhatCannotRunHere) {
  const Backends& gpu = fakes::with_gpu();
  EXPECT_EQ(skip(R"(["copy"])"), "runs");
  EXPECT_EQ(skip(R"(["h2d"])"), "no CUDA device (none)");
  EXPECT_EQ(skip(R"([{"op": "copy", "memory": "pinned"}])"), "no CUDA device (none)");
  EXPECT_EQ(skip(R"([{"op": "source", "memory": "device"}, "copy"])"), "no CUDA device (none)");
  EXPECT_EQ(skip(R"(["h2d"])", gpu), "runs");
  EXPECT_EQ(skip(R"(["h2d", {"op": "resize", "size": [2, 2]}])", gpu),
            "no cuda kernel of \"resize\" in this version");
  EXPECT_EQ(skip(R"([{"op": "source", "memory": "device"}, "d2h"])", gpu), "runs");
  EXPECT_EQ(skip(R"(["load", "copy"])"), "no images given (--images DIR)");
}

TEST(Skip, SkippedCasesArePlannedWhole) {
  const Case one = only_case(stages(R"(["h2d", {"op": "cast", "to": "float32"}])"));
  EXPECT_EQ(one.stages[0].fewest.link_bytes, 144);
  EXPECT_EQ(one.stages[1].fewest.written_bytes, 576);
  EXPECT_EQ(one.stages[1].cost.written_bytes, 576);
}

/// Plans a cast on the GPU that comes after the stages `before`. The source is in memory `source`,
/// and the cast writes to memory `memory`. Returns the bytes that the cast reads, writes, and moves
/// over the link.
std::string cast_moves(const std::string& source, const std::string& before,
                       const std::string& memory = "device") {
  const Case one = only_case(
      stages(fmt::format(
          R"([{{"op": "source", "batch": 2, "size": [4, 6], "memory": "{}"}}, {}{{"op": "cast", "to": "float32",
                             "place": "cuda", "memory": "{}"}}])",
          source, before, memory)),
      fakes::with_gpu());
  const Cost& cost = one.stages.back().cost;
  return fmt::format("{} {} {}", cost.read_bytes, cost.written_bytes, cost.link_bytes);
}

TEST(Link, IsCrossedByWhatAKernelReadsAndWritesInHostMemory) {
  EXPECT_EQ(cast_moves("device", ""), "144 576 0");
  for (const std::string memory : {"pinned", "registered", "mapped"}) {
    EXPECT_EQ(cast_moves(memory, ""), "0 576 144") << memory;
    EXPECT_EQ(cast_moves("device", "", memory), "144 0 576") << memory;
    EXPECT_EQ(cast_moves(memory, "", memory), "0 0 720") << memory;
  }
}

TEST(Link, IsCrossedByManagedPagesThatTheHostHasJustWritten) {
  EXPECT_EQ(cast_moves("managed", ""), "144 576 0");
  EXPECT_EQ(cast_moves("pageable", R"({"op": "copy", "memory": "managed"}, )"), "0 576 144");
  EXPECT_EQ(cast_moves("pageable", R"({"op": "copy", "memory": "managed"}, "sync", )"),
            "0 576 144");
  EXPECT_EQ(cast_moves("managed", R"({"op": "copy", "place": "cuda"}, )"), "144 576 0");
  EXPECT_EQ(cast_moves("managed", "", "managed"), "144 576 0");
}

TEST(Variant, Options) {
  const Case one =
      only_case(stages(R"({"stages": ["h2d"], "threads": 2, "wait": "iteration", "graph": true})"));
  EXPECT_EQ(fmt::format("{} {} {}", one.threads, name_of(one.wait), one.graph), "2 iteration true");
  EXPECT_THAT(mistakes(stages(R"({"stages": ["copy"], "graph": true, "peer": "torhc",
                                  "thread": 1, "in_flight": 0})",
                              "")),
              ElementsAre("/experiments/0/variants/v/peer: unknown peer \"torhc\" (there are none)",
                          "/experiments/0/variants/v/in_flight: must be at least 1, got 0",
                          "/experiments/0/variants/v/graph: does not go with in_flight: lanes "
                          "submit stages one by one",
                          "/experiments/0/variants/v/thread: unknown key \"thread\" (did you mean "
                          "\"threads\"?)"));
  EXPECT_THAT(mistakes(stages(R"({"stages": ["copy"], "graph": true})")),
              ElementsAre("/experiments/0/variants/v/graph: graph needs stages on the GPU"));
}

TEST(Variant, MistakesInStages) {
  EXPECT_THAT(
      mistakes(config(R"("variants": {"a": 3, "b": [], "c": {"graph": true}, "d": [4, {},
                              {"op": 5}, {"op": "nomalize"}, "zzzzzzzzz"], "e": ["source"],
                              "f": ["copy", "source"], "g": ["copy", "load"]})")),
      ElementsAre(
          "/experiments/0/variants/a: expected a list of stages, got 3",
          "/experiments/0/variants/b: has no stages (a list of at least one)",
          "/experiments/0/variants/c: no \"stages\" (a list of ops)",
          "/experiments/0/variants/d/0: expected an op's name, got 4",
          "/experiments/0/variants/d/1: no \"op\" (say what the stage does)",
          "/experiments/0/variants/d/2/op: expected an op's name, got 5",
          "/experiments/0/variants/d/3/op: unknown op \"nomalize\" (did you mean "
          "\"normalize\"?)",
          "/experiments/0/variants/d/4: unknown op \"zzzzzzzzz\" (known: source, "
          "load, batches, to_rgb, resize, crop, flip, layout, concat, cast, sub, div, normalize, "
          "denormalize, group_norm, moments, scale_shift, mul, sum, batch_norm_backward, "
          "accumulate, model, transform, step, copy, "
          "stream, first_touch, h2d, d2h, exchange, pin, register, unregister, "
          "launch, sync, compute, save)",
          "/experiments/0/variants/e: has no stage after its source",
          "/experiments/0/variants/f/1: \"source\" must be the first stage",
          "/experiments/0/variants/g/1: \"load\" must be the first stage"));
}

TEST(Variant, TenMistakesOfTenKindsAreToldAtOnce) {
  EXPECT_THAT(
      mistakes(config(R"(
        "source": {"batch": -1, "memory": "$memroy"},
        "vary": {"memory": ["pageable"]},
        "variants": {
          "type": [{"op": "copy", "as": 5}],
          "op": ["nomalize"],
          "key": [{"op": "cast", "to": "float32", "too": 1}],
          "twice": ["copy"],
          "twice": ["copy"],
          "means": [{"op": "source", "batch": 1, "memory": "pageable"}, {"op": "normalize", "mean": [1, 2], "std": 1}],
          "dtype": [{"op": "cast", "to": "flaot32"}],
          "reach": [{"op": "source", "memory": "$memory"}, {"op": "copy", "place": "cuda"}],
          "large": [{"op": "source", "batch": 2147483647, "size": [2147483647, 2147483647]},
                    "copy"]})")),
      ElementsAre(
          "/experiments/0/variants/twice: duplicate key (the first one counts; remove one)",
          "/experiments/0/source/memory: no axis is named \"memroy\" (did you mean \"$memory\"?)",
          "/experiments/0/source/batch: must be at least 1, got -1",
          "/experiments/0/variants/type/0/as: expected a string, got 5",
          "/experiments/0/variants/op/0: unknown op \"nomalize\" (did you mean \"normalize\"?)",
          "/experiments/0/variants/key/0/too: unknown key \"too\" (did you mean \"to\"?)",
          "/experiments/0/variants/means/1: 2 means for 3 channels (give 1 or 3)",
          "/experiments/0/variants/dtype/0/to: unknown value \"flaot32\" (did you mean "
          "\"float32\"?)",
          "/experiments/0/variants/reach/1/place: cuda cannot reach pageable memory (add an h2d "
          "stage, or use pinned, registered, mapped or managed memory)",
          "/experiments/0/variants/large/0: shape overflows: "
          "2147483647x3x2147483647x2147483647 uint8 (must be under 2^62 bytes)"));
}

TEST(Variant, AWrongExtentOfTheSourceHidesNoMistakeAfterIt) {
  EXPECT_THAT(mistakes(config(R"("source": {"batch": -1}, "variants": {
                      "means": [{"op": "normalize", "mean": [1, 2], "std": 1}]})")),
              ElementsAre("/experiments/0/source/batch: must be at least 1, got -1",
                          "/experiments/0/variants/means/0: 2 means for 3 channels (give 1 or 3)"));
}

TEST(Variant, TensorsLargerThanAnyMachine) {
  EXPECT_THAT(mistakes(config(R"("source": {"batch": 1000000, "size": [1000000, 1000000]},
                                 "variants": {"v": ["copy"]})")),
              ElementsAre("/experiments/0/source: 1000000x3x1000000x1000000 uint8 nchw pageable is "
                          "3000 PB, more than a machine holds"));
}

}  // namespace
}  // namespace normbench::stages_test
