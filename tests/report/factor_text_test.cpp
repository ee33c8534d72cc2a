#include <gmock/gmock.h>

#include "example_results.h"
#include "report/cause_text.h"

namespace normbench::factor_text_test {
namespace {

using examples::make_case;
using testing::ElementsAre;
using testing::IsEmpty;

/// Returns a text for every factor: "name (left, right)".
std::vector<std::string> shown(const CaseResult& a, const CaseResult& b) {
  std::vector<std::string> texts;
  for (const Factor& factor : factors(a, b)) texts.push_back(factor_text(factor));
  return texts;
}

/// Returns a case with the stages `sub` and `div` on float32, which have these output policies.
CaseResult chain(OutputPolicy sub = OutputPolicy::Reuse, OutputPolicy div = OutputPolicy::Reuse) {
  return make_case(
      {"chain", 1, DType::Float32, {{"sub", DType::Float32, sub}, {"div", DType::Float32, div}}});
}

void set_constants(CaseResult& result, const std::string& when) {
  for (StageResult& stage : result.stages) stage.parameters["constants"] = when;
}

TEST(Factors, OfCasesThatDoTheSameAreNone) {
  CaseResult said = chain();
  set_constants(said, "cached");
  EXPECT_THAT(shown(chain(), chain()), IsEmpty());
  EXPECT_THAT(shown(chain(), said), IsEmpty());  // "cached" is also the default
}

TEST(Factors, OneChangeIsOneFactor) {
  CaseResult a = chain(), b = a;
  set_constants(b, "per_call");
  EXPECT_THAT(shown(a, b), ElementsAre("constants (cached, per_call)"));
  EXPECT_THAT(shown(b, a), ElementsAre("constants (per_call, cached)"));
  b = a;
  b.threads = 2;
  EXPECT_THAT(shown(a, b), ElementsAre("threads (1, 2)"));
  b = a;
  b.stages[1].forced = true;
  b.stages[1].kernel = "plain";
  EXPECT_THAT(shown(a, b), ElementsAre("kernel of div (fused, plain)"));
  b.stages[1].label = a.stages[1].label = "my div";
  EXPECT_THAT(shown(a, b), ElementsAre("kernel of my div (fused, plain)"));
  b = a;
  b.stages[1].label = "another name";
  b.stages[1].kernel = "plain";  // chosen by the program, not by the config
  EXPECT_THAT(shown(a, b), IsEmpty());
  b = a;
  b.stages[0].out.memory = Memory::Pinned;
  EXPECT_THAT(shown(a, b), ElementsAre("memory of sub (pageable, pinned)"));
}

TEST(Factors, APixelFormatIsNoSize) {
  CaseResult a = make_case({"a", 1, DType::UInt8, {{"copy", DType::UInt8}}}), b = a;
  a.source = dense(DType::UInt8, Layout::Nchw, {1, 3, 4, 6}, Memory::Pageable);
  b.source =
      dense(DType::UInt8, Layout::Nchw, {1, 3, 4, 6, PixelFormat::Ycbcr420}, Memory::Pageable);
  EXPECT_THAT(shown(a, b), ElementsAre("pixel format of the source (rgb, ycbcr420)"));
  b.source->shape.h = 8;
  EXPECT_THAT(shown(a, b), ElementsAre("pixel format of the source (rgb, ycbcr420)",
                                       "size of the source (1x3x4x6, 1x3x8x6)"));
}

TEST(Factors, OtherFilesFollowFromAnotherStorage) {
  CaseResult a = make_case({"a", 1, DType::UInt8, {{"load", DType::UInt8}}}), b = a;
  a.stages[0].parameters = {{"dataset", "png"}};
  b.stages[0].parameters = {{"dataset", "jpeg"}};
  EXPECT_THAT(shown(a, b), ElementsAre("dataset (png, jpeg)"));
  b.stages[0].parameters = {{"dataset", "pixels"}, {"storage", "npy"}};
  EXPECT_THAT(shown(a, b), ElementsAre("storage (image, npy)"));
  b.stages[0].parameters["via"] = "mmap";
  EXPECT_EQ(shown(a, b).size(), 2u);
}

TEST(Factors, OfOutputsSayWhichUnlessAllChangeAlike) {
  EXPECT_THAT(shown(chain(OutputPolicy::Fresh, OutputPolicy::InPlace),
                    chain(OutputPolicy::Fresh, OutputPolicy::Fresh)),
              ElementsAre("output of div (in_place, fresh)"));
  EXPECT_THAT(shown(chain(OutputPolicy::Fresh, OutputPolicy::Fresh), chain()),
              ElementsAre("outputs (fresh, reuse)"));
  EXPECT_THAT(shown(chain(OutputPolicy::Fresh, OutputPolicy::InPlace), chain()),
              ElementsAre("output of sub (fresh, reuse)", "output of div (in_place, reuse)"));
}

TEST(Factors, OfConstantsInOneStageOnlySayWhich) {
  CaseResult a = chain(), b = chain();
  set_constants(a, "per_call");
  set_constants(b, "per_call");
  b.stages[1].parameters["constants"] = "cached";
  EXPECT_THAT(shown(a, b), ElementsAre("constants of div (per_call, cached)"));
}

TEST(Factors, TheSourceBringsItsCastWithIt) {
  const CaseResult ints = make_case({"ints", 1, DType::UInt8, {{"cast"}, {"sub"}, {"div"}}});
  EXPECT_THAT(shown(chain(), ints),
              ElementsAre("dtype of the source (float32, uint8 and its cast)"));
  EXPECT_THAT(shown(make_case({"fused"}), make_case({"fused", 1, DType::UInt8})),
              ElementsAre("dtype of the source (float32, uint8)"));
}

TEST(Factors, OfOlderDocumentsKnowTheSourcesBytes) {
  CaseResult floats = chain(),
             ints = make_case({"ints", 1, DType::UInt8, {{"cast"}, {"sub"}, {"div"}}});
  floats.source.reset();
  ints.source.reset();
  EXPECT_THAT(shown(floats, ints), ElementsAre("bytes of the source (110592000, 27648000)"));
}

TEST(Factors, WhatFollowsFromTheSourceIsNone) {
  CaseResult host = chain(), device = chain();
  device.source->memory = Memory::Device;
  for (StageResult& stage : device.stages) {
    stage.place = Place::Cuda;
    stage.kernel = "eager";
    stage.out.memory = Memory::Device;
  }
  EXPECT_THAT(shown(host, device), ElementsAre("memory of the source (pageable, device)"));
}

TEST(Factors, APlaceThatWasChosenIsOne) {
  CaseResult a = chain(), b = chain();
  for (CaseResult* result : {&a, &b}) result->source->memory = Memory::Pinned;
  for (CaseResult* result : {&a, &b})
    for (StageResult& stage : result->stages) stage.out.memory = Memory::Pinned;
  b.stages[1].place = Place::Cuda;
  b.stages[1].out.memory = Memory::Device;
  EXPECT_THAT(shown(a, b), ElementsAre("place of div (cpu, cuda)"));
}

TEST(Factors, AStageMoreIsAnOpAndNothingElse) {
  const CaseResult plain = make_case({"plain", 1, DType::UInt8, {{"h2d"}}});
  const CaseResult pinned =
      make_case({"pinned", 1, DType::UInt8, {{"pin", DType::UInt8, OutputPolicy::Fresh}, {"h2d"}}});
  EXPECT_THAT(shown(plain, pinned), ElementsAre("ops (h2d | pin, h2d)"));
  EXPECT_THAT(shown(pinned, plain), ElementsAre("ops (pin, h2d | h2d)"));
}

TEST(Factors, OfDifferentOpsAreOfTheChains) {
  CaseResult fused = make_case({"fused"});
  EXPECT_THAT(shown(chain(OutputPolicy::Fresh, OutputPolicy::InPlace), fused),
              ElementsAre("ops (sub, div | normalize)", "outputs (fresh, reuse)"));
  EXPECT_THAT(shown(chain(OutputPolicy::Reuse, OutputPolicy::InPlace), fused),
              ElementsAre("ops (sub, div | normalize)"));
  fused.stages[0].parameters["constants"] = "per_call";
  fused.stages[0].out.dtype = DType::Float16;
  EXPECT_THAT(shown(chain(), fused),
              ElementsAre("ops (sub, div | normalize)", "constants (cached, per_call)",
                          "dtype of the result (float32, float16)"));
}

TEST(Factors, OfDifferentOpsCountTheMemoryOfTheResult) {
  CaseResult fused = make_case({"fused"});
  fused.stages[0].out.memory = Memory::PageableHuge;
  EXPECT_THAT(shown(chain(), fused),
              ElementsAre("ops (sub, div | normalize)", "memory (pageable, pageable_huge)"));
  fused.source->memory = Memory::PageableHuge;
  EXPECT_THAT(shown(chain(), fused), ElementsAre("memory of the source (pageable, pageable_huge)",
                                                 "ops (sub, div | normalize)"));
}

TEST(Factors, OfTheOutputsForm) {
  CaseResult a = make_case({"a"}), b = make_case({"b"});
  b.stages[0].out.dtype = DType::Float16;
  b.stages[0].parameters["dtype"] = "float16";
  EXPECT_THAT(shown(a, b), ElementsAre("dtype of normalize (float32, float16)"));
  b = a;
  b.stages[0].parameters["size"] = {224, 256};
  EXPECT_THAT(shown(a, b), ElementsAre("size (default, 224x256)"));
}

TEST(Factors, OfWaitingNeedAGpuOnBothSides) {
  CaseResult a = chain(), b = chain();
  a.wait = Wait::Iteration;
  EXPECT_THAT(shown(a, b), IsEmpty());
  b.wait = Wait::Turn;
  b.graph = true;
  EXPECT_THAT(shown(a, b), ElementsAre("wait (iteration, turn)", "graph (no, yes)"));
}

TEST(Factors, AxesCountWhereNothingElseShowsThem) {
  CaseResult a = chain(), b = chain();
  a.axes = {{"file", "a.npy"}};
  b.axes = {{"file", "b.npy"}};
  EXPECT_THAT(shown(a, b), ElementsAre("file (a.npy, b.npy)"));
  b.threads = 2;
  EXPECT_THAT(shown(a, b), ElementsAre("threads (1, 2)"));
}

TEST(Factors, OfFilesAreTheirBytes) {
  CaseResult a = make_case({"a", 1, DType::UInt8, {{"load", DType::UInt8}}}), b = a;
  a.source.reset();
  b.source.reset();
  b.source_bytes = 7;
  EXPECT_THAT(shown(a, b), ElementsAre("bytes of the source (27648000, 7)"));
}

TEST(FactorText, LeavesLongValuesOut) {
  const Factor mean{Factor::Kind::Parameter, Json("0.485x0.456x0.406x0.485x0.456x0.406"), Json(1),
                    "mean"};
  EXPECT_EQ(factor_text(mean), "mean");
  const Factor threads{Factor::Kind::Threads, std::int64_t{1}, std::int64_t{2}};
  EXPECT_EQ(factor_names(std::vector{mean, threads}), "mean, threads");
}

TEST(OnlyFactor, IsTheOneOfItsKind) {
  const std::vector<Factor> one{{Factor::Kind::Memory, Memory::Pageable, Memory::Pinned}};
  EXPECT_EQ(only_factor(one, {Factor::Kind::SourceMemory, Factor::Kind::Memory}), &one[0]);
  EXPECT_EQ(only_factor(one, {Factor::Kind::Output}), nullptr);
  EXPECT_EQ(only_factor(std::vector{one[0], one[0]}, {Factor::Kind::Memory}), nullptr);
}

}  // namespace
}  // namespace normbench::factor_text_test
