/// Tests of variants that a peer (a process of another program) runs.
#include <gmock/gmock.h>

#include <array>

#include "fake_backends.h"
#include "plan/buffers.h"
#include "plan/memory.h"

namespace normbench::peers_test {
namespace {

using fakes::mistakes;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string head =
    R"("peers": {"torch": ["python3", "torch_peer.py", "--eager"], "numpy": ["./numpy"]})";

/// Returns a config with the variant "v" on a source of 2x3x4x6 uint8.
std::string variant(const std::string& text) {
  return fakes::config(R"("source": {"batch": 2, "size": [4, 6]}, "variants": {"v": )" + text + "}",
                       head);
}

PlanOptions allowed() {
  PlanOptions options;
  options.base_dir = "/configs";
  options.allow_peers = true;
  return options;
}

Plan plan(const std::string& text, const PlanOptions& options = allowed(),
          const Backends& all = fakes::without_gpu()) {
  return make_plan("c.json", text, all, options);
}

Case only_case(const std::string& text, const PlanOptions& options = allowed(),
               const Backends& all = fakes::without_gpu()) {
  return plan(text, options, all).groups.at(0).cases.at(0);
}

std::vector<std::string> wrong(const std::string& text,
                               const Backends& all = fakes::without_gpu()) {
  return mistakes(variant(text), allowed(), all);
}

TEST(Peers, HaveTheirCommandsAndTheConfigsFolder) {
  const Plan planned = plan(variant(R"(["copy"])"));
  ASSERT_EQ(planned.peers.size(), 2u);
  EXPECT_THAT(planned.peers.at("torch").argv, ElementsAre("python3", "torch_peer.py", "--eager"));
  EXPECT_EQ(planned.peers.at("torch").directory, "/configs");
  EXPECT_THAT(planned.peers.at("numpy").argv, ElementsAre("./numpy"));
}

TEST(Peers, CommandsAreListsOfWords) {
  for (const std::string command : {"\"x\"", "[]", "[1]", "[\"x\", null]", "[\"\"]", "{}"})
    EXPECT_THAT(mistakes(fakes::config(R"("variants": {"v": ["copy"]})",
                                       R"("peers": {"p": )" + command + "}")),
                ElementsAre("/peers/p: expected a command: a list of strings, program first"));
  EXPECT_THAT(mistakes(fakes::config(R"("variants": {"v": ["copy"]})", R"("peers": ["x"])")),
              ElementsAre("/peers: expected an object, got a list"));
}

TEST(Peers, RunWhatNoRowOfOursDoes) {
  const Case planned = only_case(variant(
      R"({"peer": "torch", "threads": 2, "stages": [
          {"op": "cast", "to": "float32", "output": "fresh"},
          {"op": "normalize", "mean": [1, 2, 3], "std": 4, "kernel": "compiled"}]})"));
  EXPECT_EQ(planned.skip, std::nullopt);
  EXPECT_EQ(planned.peer, "torch");
  EXPECT_EQ(planned.threads, 2);
  ASSERT_EQ(planned.stages.size(), 2u);
  for (const Stage& stage : planned.stages) EXPECT_EQ(stage.kernel, nullptr);
  EXPECT_EQ(planned.stages[0].forced, "");
  EXPECT_EQ(planned.stages[1].forced, "compiled");
  EXPECT_EQ(planned.stages[1].label, "normalize (compiled)");
  EXPECT_EQ(planned.stages[0].output, OutputPolicy::Fresh);
  EXPECT_EQ(planned.stages[0].fewest.read_bytes, 144);
  EXPECT_EQ(planned.stages[0].cost.written_bytes, 576);
  EXPECT_EQ(planned.stages[1].parameters.dump(), R"({"mean":[1,2,3],"std":4})");
}

TEST(Peers, MayBeNone) {
  EXPECT_EQ(only_case(variant(R"({"peer": "", "stages": ["copy"]})")).peer, "");
  EXPECT_NE(only_case(variant(R"({"peer": "", "stages": ["copy"]})")).stages[0].kernel, nullptr);
}

TEST(Peers, AreSweptLikeAnything) {
  const Plan planned = plan(fakes::config(
      R"("vary": {"by": ["torch", "numpy"]}, "variants": {
          "v": {"peer": "$by", "stages": ["copy"]}})",
      head));
  const auto& cases = planned.groups.at(0).cases;
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].peer, "torch");
  EXPECT_EQ(cases[1].peer, "numpy");
}

TEST(Peers, RunOnlyWhenAllowed) {
  const Case planned =
      only_case(variant(R"({"peer": "torch", "stages": ["copy"]})"), PlanOptions{});
  EXPECT_EQ(planned.skip,
            "peer commands run only with --allow-peers (this one: python3 torch_peer.py --eager)");
  EXPECT_EQ(planned.skip_kind, Skip::NotAllowed);
  EXPECT_EQ(planned.peer, "torch");
}

TEST(Peers, OnAGpuNeedOne) {
  const std::string on_gpu = variant(R"({"peer": "torch", "stages": ["h2d", "copy"]})");
  EXPECT_EQ(only_case(on_gpu).skip, "no CUDA device (none)");
  EXPECT_EQ(only_case(on_gpu, PlanOptions{}).skip, "no CUDA device (none)");
  const Case planned = only_case(on_gpu, allowed(), fakes::with_gpu());
  EXPECT_EQ(planned.skip, std::nullopt);
  EXPECT_EQ(planned.stages[1].place, Place::Cuda);
  EXPECT_EQ(planned.stages[0].cost.link_bytes, 144);
  Backends cpu_only;
  cpu_only.list.push_back(
      std::make_unique<fakes::FakeBackend>(Place::Cpu, std::nullopt, fakes::cpu_rows()));
  EXPECT_EQ(only_case(on_gpu, allowed(), cpu_only).skip,
            "no backend for device memory in this "
            "build");
}

TEST(Peers, MistakesInWhatIsAskedOfThem) {
  const std::string at = "/experiments/0/variants/v/";
  EXPECT_THAT(wrong(R"({"peer": "torhc", "stages": ["copy"]})"),
              ElementsAre(at + R"(peer: unknown peer "torhc" (did you mean "torch"?))"));
  EXPECT_THAT(wrong(R"({"peer": 5, "stages": ["copy"]})"),
              ElementsAre(at + "peer: expected a string, got 5"));
  EXPECT_THAT(wrong(R"({"peer": "torch", "graph": true, "stages": ["copy"]})"),
              ElementsAre(at + "graph: a peer submits its work as it likes: a peer has no graph "
                               "(remove this)"));
  EXPECT_THAT(wrong(R"({"peer": "torch", "wait": "stage", "stages": ["h2d"]})", fakes::with_gpu()),
              ElementsAre(at + "wait: a peer waits at the end of its turn only (remove this)"));
  EXPECT_THAT(wrong(R"({"peer": "torch", "stages": ["load", "copy"]})"), IsEmpty());
  EXPECT_THAT(wrong(R"({"peer": "torch", "stages": ["copy", {"op": "cast", "to": "float32",
                                                             "in": "source"}]})"),
              IsEmpty());
  EXPECT_THAT(wrong(R"({"peer": "torch", "stages": [{"op": "copy", "as": "x"},
                                                    {"op": "copy", "in": "x"}]})"),
              IsEmpty());
}

/// Returns a config with the variant "v" on a source of 2x3x4x6 float32, which the network
/// "resnet18" accepts.
std::string model_variant(const std::string& text) {
  return fakes::config(R"("source": {"batch": 2, "dtype": "float32", "size": [4, 6]},
                          "variants": {"v": )" +
                           text + "}",
                       head + R"(, "defaults": {"normalize": {"mean": [1, 2, 3], "std": 4}})");
}

TEST(Peers, AloneRunModels) {
  const std::string model = R"({"op": "model", "name": "resnet18"})";
  const Case planned = only_case(model_variant(R"({"peer": "torch", "stages": [)" + model + "]}"));
  EXPECT_EQ(planned.skip, std::nullopt);
  EXPECT_EQ(planned.result().shape, (Shape{2, 1000, 1, 1}));
  const std::string where =
      "\"model\" runs in a peer only (name a peer: {\"peer\": \"torch\", "
      "\"stages\": […]})";
  EXPECT_THAT(mistakes(model_variant("[\"copy\", " + model + "]"), allowed()),
              ElementsAre("/experiments/0/variants/v/1: " + where));
  EXPECT_THAT(mistakes(model_variant(R"({"peer": "", "stages": [)" + model + "]}"), allowed()),
              ElementsAre("/experiments/0/variants/v/stages/0: " + where));
}

TEST(Peers, GiveModelsTheConstantsOfNormalize) {
  const Case planned = only_case(model_variant(
      R"({"peer": "torch", "stages": [{"op": "model", "name": "x", "normalize": "inside"}]})"));
  EXPECT_EQ(planned.stages[0].parameters.dump(),
            R"({"name":"x","normalize":"inside","mean":[1,2,3],"std":4})");
}

TEST(Peers, RunModelsOnAllThreadsHoweverSmall) {
  PlanOptions options = allowed();
  options.all_threads = 8;
  options.data_caches = {32 << 10, 1 << 20};
  const std::string by = R"({"peer": "torch", "threads": "all", "stages": [)";
  EXPECT_EQ(only_case(model_variant(by + R"({"op": "model", "name": "x"}]})"), options).threads, 8);
  EXPECT_EQ(only_case(model_variant(by + "\"copy\"]}"), options).threads, 1);
}

TEST(Peers, HaveNoLimitsOfMemoryForModels) {
  // A limit is a case that measures the machine, here by streaming memory. A `model` stage has no
  // limits. The limits of the first plan belong to the `normalize` stage before it.
  const Plan planned = plan(
      model_variant(R"({"peer": "torch", "stages": ["normalize", {"op": "model", "name": "x"}]})"));
  std::vector<std::string> limits;
  for (const Case& limit : planned.groups.at(0).limits) limits.push_back(limit.variant);
  EXPECT_THAT(limits, ElementsAre("stream 576 B:576 B temporal, 1 thread",
                                  "stream 576 B:576 B nt, 1 thread"));
  EXPECT_THAT(plan(model_variant(R"({"peer": "torch", "stages": [{"op": "model", "name": "x"}]})"))
                  .groups.at(0)
                  .limits,
              IsEmpty());
}

TEST(Peers, OutputsOfModelsAreKeptForTheOthers) {
  const Case planned =
      only_case(model_variant(R"({"peer": "torch", "stages": [{"op": "model", "name": "x"}]})"));
  const MemoryNeed need = memory_need(std::array{&planned}, Cache::Hot, {.host = 1, .device = 1});
  // `passing` is the memory that is needed only for some time. Its terms, in this order:
  // - the logits in double that are kept,
  // - the logits in double that are compared,
  // - the addresses of three slots,
  // - the file of the source,
  // - the file of the output,
  // - the file of a second source with other values.
  EXPECT_EQ(need.passing, (Sides{.host = 16'000 + 16'000 + 24 + 576 + 8'000 + 576}));
}

TEST(Peers, KeepTheirBuffersToThemselves) {
  const Case planned = only_case(variant(
      R"({"peer": "torch", "stages": [{"op": "cast", "to": "float32", "output": "fresh"}, {"op": "sub", "mean": 1, "output": "in_place"}]})"));
  for (const Slot& slot : storage_of(planned))
    EXPECT_TRUE(slot.kind != Slot::Kind::Placed && slot.kind != Slot::Kind::Fresh);
  EXPECT_EQ(buffer_sets(std::array{&planned}, Cache::Cold, Memory::Pageable, 1 << 20), 1);
}

TEST(Peers, CountInTheMemoryThatAGroupNeeds) {
  const Case planned = only_case(fakes::config(
      R"("source": {"batch": 1, "channels": 1, "size": [1000, 1000]},
         "variants": {"v": {"peer": "torch", "stages": [{"op": "cast", "to": "float32"}]}})",
      head));
  const Sides cache{.host = 10'000'000, .device = 1};
  // This process has one source of 1 MB. The peer has two sources of 1 MB with different values,
  // and the output of 4 MB.
  EXPECT_EQ(memory_need(std::array{&planned}, Cache::Hot, cache).kept,
            (Sides{.host = 1'000'000 + 2'000'000 + 4'000'000}));
  // 31 sources of 1 MB exceed 30 MB, three times the cache. This process has 31 of them, and the
  // peer has 31.
  const MemoryNeed cold = memory_need(std::array{&planned}, Cache::Cold, cache);
  EXPECT_EQ(cold.kept, (Sides{.host = 31'000'000 + 31'000'000 + 4'000'000}));
  // `passing` is the memory that is needed only for some time. Its terms, in this order:
  // - a check of 8 million doubles,
  // - the addresses of three slots,
  // - the file of the source,
  // - the file of the output,
  // - the file of a second source with other values.
  EXPECT_EQ(cold.passing, (Sides{.host = 64'000'000 + 24 + 1'000'000 + 4'000'000 + 1'000'000}));
}

TEST(Peers, HaveAsManyOutputsOnADeviceAsInputs) {
  const Case planned =
      only_case(fakes::config(R"("source": {"batch": 1, "channels": 1, "size": [1024, 1024],
                                  "memory": "device"},
                       "variants": {"v": {"peer": "torch", "stages": [
                           {"op": "cast", "to": "float32"}, {"op": "sub", "mean": 1}]}})",
                              head));
  constexpr std::int64_t mib = 1 << 20;
  const Sides cache{.host = 1, .device = 10 * mib};
  // This process has one source of 1 MiB. The peer has two sources of 1 MiB with different values,
  // an intermediate of 4 MiB and an output of 4 MiB. With cold buffers, this process has 31
  // sources, and the peer has 31 sources, the intermediate and 31 outputs.
  EXPECT_EQ(memory_need(std::array{&planned}, Cache::Hot, cache).kept,
            (Sides{.device = (1 + 2 + 4 + 4) * mib}));
  EXPECT_EQ(memory_need(std::array{&planned}, Cache::Cold, cache).kept,
            (Sides{.device = (31 + 31 + 4 + 31 * 4) * mib}));
}

TEST(Peers, AreLimitedLikeOthers) {
  const Plan planned =
      plan(variant(R"({"peer": "torch", "stages": [{"op": "cast", "to": "float32"}]})"));
  std::vector<std::string> limits;
  for (const Case& limit : planned.groups.at(0).limits) limits.push_back(limit.variant);
  EXPECT_THAT(limits, ElementsAre("stream 144 B:576 B temporal, 1 thread",
                                  "stream 144 B:576 B nt, 1 thread"));
}

}  // namespace
}  // namespace normbench::peers_test
