#include "report/own_code_text.h"

#include <gmock/gmock.h>

#include "analysis/analysed.h"
#include "example_results.h"

namespace normbench::own_code_text_test {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const Results& results) {
  const Analysed analysed(results);
  const Experiment& experiment = analysed.experiments()[0];
  return own_code_texts(*experiment.groups[0], experiment.analyses[0]);
}

TEST(OwnCodeText, SaysWhatBatchesAreAndWhatLoadingCosts) {
  EXPECT_THAT(
      texts(examples::own_code()),
      ElementsAre("train.loader and batches that take no time give float32 [10, 3, 720, 1280], "
                  "pageable, from 2 workers, 111 MB a batch: 4.0x the bytes of uint8.",
                  "That is not what the config says: float32, not uint8.",
                  testing::HasSubstr("so loading costs 40.")));
}

TEST(OwnCodeText, SaysWhenLoadingCostsNothingOrCannotBeTold) {
  Results results = examples::own_code();
  std::vector<CaseResult>& cases = results.groups[0].cases;
  std::swap(cases[0].rounds, cases[1].rounds);
  EXPECT_THAT(texts(results).back(), testing::EndsWith(", so loading costs nothing."));
  cases[0].rounds = cases[1].rounds;
  EXPECT_THAT(texts(results).back(), testing::HasSubstr(", so loading costs at most 4."));
  for (CaseResult& result : cases) result.rounds.resize(3);
  EXPECT_THAT(texts(results).back(),
              testing::EndsWith(", too few rounds to say what loading costs."));
}

TEST(OwnCodeText, SaysWhatPyTorchCopied) {
  Results results = examples::own_code();
  results.groups[0].cases.pop_back();
  CaseResult& result = results.groups[0].cases[0];
  result.given->copies.emplace();
  EXPECT_THAT(texts(results), testing::Not(testing::Contains(testing::HasSubstr("copied"))));
  result.given->copies = {{.op = "_to_copy", .calls = 10, .bytes = 4'000'000},
                          {.op = "stack", .calls = 1, .bytes = 1000}};
  EXPECT_THAT(
      texts(results),
      testing::Contains("For a batch of train.loader PyTorch copied 4.00 MB by _to_copy (10 "
                        "calls) and 1.00 kB by stack (1 call)."));
}

TEST(OwnCodeText, SaysOfEachVariantWhatItsBatchesTook) {
  Results results = examples::own_code();
  std::vector<CaseResult>& cases = results.groups[0].cases;
  const std::vector<CopiesResult> stacked{{.op = "stack", .calls = 1, .bytes = 1000}};
  cases[0].given->copies = stacked;
  cases[1].given->copies = {{.op = "flip", .calls = 3, .bytes = 30}};
  using testing::Contains;
  EXPECT_THAT(texts(results),
              Contains(testing::StartsWith("train.loader and batches that take no time give")));
  EXPECT_THAT(texts(results),
              Contains("For a batch of train.loader PyTorch copied 1.00 kB by stack (1 call)."));
  EXPECT_THAT(texts(results), Contains("For a batch of batches that take no time PyTorch copied 30 "
                                       "B by flip (3 calls)."));
  cases[1].given->copies = stacked;
  EXPECT_THAT(texts(results),
              testing::Contains("For a batch of train.loader and batches that take no time PyTorch "
                                "copied 1.00 kB by stack (1 call)."));
}

TEST(OwnCodeText, NamesEveryDifference) {
  Results results = examples::own_code();
  results.groups[0].cases.pop_back();
  CaseResult& result = results.groups[0].cases[0];
  result.stages[0].out.memory = Memory::Pinned;
  result.given->dtype = "uint8";
  result.given->bytes /= 4;
  result.given->batch_bytes = result.given->bytes;
  result.given->order = ArrayOrder::ChannelsLast;
  result.given->workers.reset();
  EXPECT_THAT(
      texts(results),
      ElementsAre("train.loader gives uint8 [10, 3, 720, 1280] channels_last, pageable, "
                  "27.6 MB a batch: as many bytes as uint8 has.",
                  "That is not what the config says: another layout than nchw; not in pinned "
                  "memory."));
  result.given->shape = {10, 2};
  result.given->bytes = 20;
  result.given->device = "cuda:0";
  EXPECT_THAT(
      texts(results),
      ElementsAre(testing::StartsWith("train.loader gives uint8 [10, 2] channels_last, on cuda:0"),
                  "That is not what the config says: shape [10, 2], not "
                  "10x3x720x1280; not in pinned memory."));
}

TEST(OwnCodeText, SaysHowMuchOfABatchIsInItsLargestArray) {
  Results results = examples::own_code();
  results.groups[0].cases.pop_back();
  GivenResult& given = *results.groups[0].cases[0].given;
  given.batch_bytes = 2 * given.bytes;
  EXPECT_THAT(texts(results),
              testing::Contains(testing::HasSubstr(
                  "221 MB a batch: 111 MB of it in that array, 4.0x the bytes of uint8.")));
}

TEST(OwnCodeText, SaysNothingOfOtherCases) {
  EXPECT_THAT(texts(examples::tie()), testing::IsEmpty());
}

}  // namespace
}  // namespace normbench::own_code_text_test
