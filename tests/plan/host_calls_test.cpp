/// Tests of stages that call the CUDA runtime: transfers, `pin`, `register` and `unregister`,
/// `launch`, `sync`.
#include <gmock/gmock.h>

#include "fake_backends.h"

namespace normbench::host_calls_test {
namespace {

using fakes::only_case;
using fakes::stages;
using testing::ElementsAre;

/// Returns "op place in->out memory of value" for every stage. `value` is the number of the value
/// whose buffer the output shares, or -1 if the output has its own buffer.
std::vector<std::string> shown(const std::string& list) {
  const Case one = only_case(stages(list), fakes::with_gpu());
  std::vector<std::string> lines;
  for (const Stage& stage : one.stages) {
    const Value& out = one.values.at(stage.out.at(0));
    lines.push_back(fmt::format("{} {} {}->{} {} of {}", name_of(stage.op), name_of(stage.place),
                                fmt::join(stage.in, ","), stage.out.at(0), name_of(out.desc.memory),
                                out.in_place_of));
  }
  return lines;
}

std::vector<std::string> mistake(const std::string& list) {
  return fakes::mistakes(stages(list), {}, fakes::with_gpu());
}

TEST(HostCalls, PinWritesPageLockedMemory) {
  EXPECT_THAT(shown(R"(["pin", "h2d"])"),
              ElementsAre("pin cuda 0->1 pinned of -1", "h2d cuda 1->2 device of -1"));
  for (const std::string memory : {"pinned", "write_combined", "mapped"})
    EXPECT_THAT(shown(R"([{"op": "pin", "memory": ")" + memory + R"(", "output": "fresh"}])"),
                ElementsAre("pin cuda 0->1 " + memory + " of -1"));
  EXPECT_THAT(
      mistake(R"([{"op": "pin", "memory": "managed"}])"),
      ElementsAre("/experiments/0/variants/v/0/memory: pin writes pinned, write_combined or "
                  "mapped memory"));
  EXPECT_THAT(mistake(R"(["pin", "pin"])"),
              ElementsAre("/experiments/0/variants/v/1: input is in pinned memory, which the GPU "
                          "reaches already (remove this)"));
  EXPECT_THAT(mistake(R"([{"op": "pin", "place": "cpu"}])"),
              ElementsAre("/experiments/0/variants/v/0/place: pin runs at place cuda only"));
}

TEST(HostCalls, RegisterAndUnregisterPassTheirInputThrough) {
  EXPECT_THAT(shown(R"(["register", "h2d", "unregister"])"),
              ElementsAre("register cuda 0->1 registered of 0", "h2d cuda 1->2 device of -1",
                          "unregister cuda 2,1->3 device of 2"));
  EXPECT_THAT(shown(R"([{"op": "copy", "memory": "pageable_huge"}, "register", "unregister"])"),
              ElementsAre("copy cpu 0->1 pageable_huge of -1", "register cuda 1->2 registered of 1",
                          "unregister cuda 2,2->3 pageable_huge of 2"));
  // The copy reads the source (value 0), and not the output of `register`. `unregister` unlocks
  // value 1 and passes value 2, the output of the copy, through. The buffer of value 2 stays
  // registered.
  EXPECT_THAT(shown(R"(["register", {"op": "copy", "in": "source", "memory": "registered"},
                        "unregister", "h2d"])"),
              ElementsAre("register cuda 0->1 registered of 0", "copy cpu 0->2 registered of -1",
                          "unregister cuda 2,1->3 registered of 2", "h2d cuda 3->4 device of -1"));
  EXPECT_THAT(
      shown(R"([{"op": "register", "as": "r"}, {"op": "unregister", "in": ["r", "r"]},
                        "register", "unregister"])"),
      ElementsAre("register cuda 0->1 registered of 0", "unregister cuda 1,1->2 pageable of 1",
                  "register cuda 2->3 registered of 2", "unregister cuda 3,3->4 pageable of 3"));
}

TEST(HostCalls, MistakesOfRegistering) {
  EXPECT_THAT(mistake(R"(["register", "h2d"])"),
              ElementsAre("/experiments/0/variants/v/0: is never undone: the next iteration could "
                          "not register the same pages again (add an unregister stage)"));
  EXPECT_THAT(mistake(R"(["register", "register"])"),
              ElementsAre("/experiments/0/variants/v/1: a value is registered already (put an "
                          "unregister stage before this)"));
  EXPECT_THAT(
      mistake(R"(["h2d", "unregister"])"),
      ElementsAre("/experiments/0/variants/v/1: nothing is registered (put a register stage "
                  "before it)"));
  EXPECT_THAT(mistake(R"(["register", {"op": "copy", "as": "c"},
                          {"op": "unregister", "in": ["c", "c"]}])"),
              ElementsAre("/experiments/0/variants/v/2/in: the second input is not what register "
                          "gave"));
  EXPECT_THAT(
      mistake(R"([{"op": "register", "as": "r"}, {"op": "unregister", "in": "r"}])"),
      ElementsAre("/experiments/0/variants/v/1: needs 2 inputs, what passes through and what "
                  "is registered, got 1"));
  EXPECT_THAT(mistake(R"([{"op": "register", "as": "r"}, "unregister", {"op": "h2d", "in": "r"}])"),
              ElementsAre("/experiments/0/variants/v/2/in: that value is no longer registered (use "
                          "the output of unregister)"));
  EXPECT_THAT(mistake(R"(["h2d", "register"])"),
              ElementsAre("/experiments/0/variants/v/1: input is in device memory (add a d2h "
                          "stage)"));
}

TEST(HostCalls, LaunchAndSyncPassAnyMemoryThrough) {
  EXPECT_THAT(shown(R"(["launch", {"op": "h2d", "as": "d"}, "sync", {"op": "launch", "count": 3},
                        {"op": "copy", "in": "d"}, "sync"])"),
              ElementsAre("launch cuda 0->1 pageable of 0", "h2d cuda 1->2 device of -1",
                          "sync cuda 2->3 device of 2", "launch cuda 3->4 device of 3",
                          "copy cuda 2->5 device of -1", "sync cuda 5->6 device of 5"));
  const Case ends = only_case(stages(R"(["h2d", "sync"])"), fakes::with_gpu());
  EXPECT_EQ(describe(ends.result()), "2x3x4x6 uint8 nchw device");
  const Case without = only_case(stages(R"(["copy", "sync"])"));
  EXPECT_EQ(without.skip, "no CUDA device (none)");
  EXPECT_EQ(without.skip_kind, Skip::NoGpu);
}

TEST(HostCalls, HaveNoOutputOfTheirOwn) {
  EXPECT_THAT(
      mistake(R"(["h2d", {"op": "sync", "output": "fresh"}])"),
      ElementsAre("/experiments/0/variants/v/1/output: sync passes its input through (remove "
                  "this)"));
  EXPECT_THAT(mistake(R"(["h2d", {"op": "launch", "memory": "device"}])"),
              ElementsAre("/experiments/0/variants/v/1/memory: launch passes its input through "
                          "(remove this)"));
  EXPECT_THAT(mistake(R"([{"op": "pin", "output": "in_place"}])"),
              ElementsAre("/experiments/0/variants/v/0/output: cannot write over the source (other "
                          "variants read it)"));
}

TEST(HostCalls, WhatTheyPassThroughIsWrittenInPlaceWhereItLies) {
  EXPECT_THAT(mistake(R"([{"op": "source", "dtype": "float32", "memory": "device"}, "sync",
                          {"op": "sub", "mean": 1, "output": "in_place"}])"),
              ElementsAre("/experiments/0/variants/v/2/output: cannot write over the source (other "
                          "variants read it)"));
  EXPECT_THAT(
      mistake(R"(["h2d", {"op": "cast", "to": "float32", "as": "a"}, {"op": "sync", "as": "b"},
                          {"op": "sub", "mean": 1, "output": "in_place"}, {"op": "copy", "in": "b"}])"),
      ElementsAre("/experiments/0/variants/v/4/in: that value was overwritten in place by "
                  "sub (use the output of sub)"));
  EXPECT_THAT(shown(R"([{"op": "cast", "to": "float32"}, "register",
                {"op": "sub", "mean": 1, "output": "in_place"}, "unregister"])"),
              ElementsAre("cast cpu 0->1 pageable of -1", "register cuda 1->2 registered of 1",
                          "sub cpu 2->3 registered of 2", "unregister cuda 3,2->4 pageable of 3"));
}

TEST(Outputs, CudaMallocIsOfDeviceMemory) {
  const auto policy = [](const std::string& list) {
    return only_case(stages(list), fakes::with_gpu()).stages.back().output;
  };
  EXPECT_EQ(policy(R"([{"op": "h2d", "output": "cuda_malloc"}])"), OutputPolicy::CudaMalloc);
  EXPECT_EQ(policy(R"(["h2d", {"op": "copy", "output": "cuda_malloc"}])"),
            OutputPolicy::CudaMalloc);
  EXPECT_THAT(
      mistake(R"([{"op": "copy", "output": "cuda_malloc"}])"),
      ElementsAre("/experiments/0/variants/v/0/output: cuda_malloc allocates device memory, "
                  "not pageable (use fresh)"));
  EXPECT_THAT(
      mistake(R"(["h2d", {"op": "d2h", "memory": "pinned", "output": "cuda_malloc"}])"),
      ElementsAre("/experiments/0/variants/v/1/output: cuda_malloc allocates device memory, "
                  "not pinned (use fresh)"));
  EXPECT_THAT(
      mistake(R"(["h2d", {"op": "copy", "memory": "managed", "output": "cuda_malloc"}])"),
      ElementsAre("/experiments/0/variants/v/1/output: cuda_malloc allocates device memory, "
                  "not managed (use fresh)"));
}

TEST(Sources, LieInAnyMemory) {
  const auto place = [](const std::string& memory, const std::string& more) {
    const Case one =
        only_case(stages(fmt::format(R"([{{"op": "source", "memory": "{}"}}, {{"op": "copy"{}}}])",
                                     memory, more)),
                  fakes::with_gpu());
    return fmt::format("{}, {}", name_of(one.stages[0].place), name_of(one.result().memory));
  };
  for (const std::string memory :
       {"pageable", "pageable_huge", "pinned", "registered", "write_combined", "mapped", "managed"})
    EXPECT_EQ(place(memory, ""), "cpu, " + memory);
  for (const std::string memory : {"pinned", "registered", "mapped", "managed", "device"})
    EXPECT_EQ(place(memory, R"(, "place": "cuda")"), "cuda, device");
  EXPECT_EQ(place("device", R"(, "memory": "mapped")"), "cuda, mapped");
  EXPECT_THAT(
      fakes::mistakes(stages(
          R"([{"op": "source", "memory": "write_combined"}, {"op": "copy", "place": "cuda"}])")),
      ElementsAre("/experiments/0/variants/v/1/place: cuda cannot reach write_combined memory (add "
                  "an h2d stage, or use pinned, registered, mapped or managed memory)"));
}

}  // namespace
}  // namespace normbench::host_calls_test
