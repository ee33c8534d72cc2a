#include <cstring>

#include "measure/check.h"
#include "measure/device_fixture.h"

namespace normbench::device_run_test {
namespace {

using testing::ElementsAre;

struct DeviceRunTest : DeviceTest {
  /// Works on the CPU, then sends.
  Case cast_and_send(Wait wait) {
    Case work = make_case("cast, send", {{.op = Cast{}}, on_device(H2d{}, 1)});
    work.wait = wait;
    return work;
  }
  /// The first value of what row 1 of the device read in each iteration, when the CPU writes the
  /// iteration's number there.
  std::vector<float> read_by_device(const Case& work, int iterations) {
    std::vector<float> seen;
    fake->rows[0].calls = 0;
    fake->rows[0].then = [](const FakeCall& call) {
      const auto number = static_cast<float>(call.number);
      std::memcpy(call.out[0].data, &number, 4);
    };
    device->rows[1].then = [&](const FakeCall& call) {
      std::memcpy(&seen.emplace_back(), call.in[0].data, 4);
    };
    GroupMemory memory = memory_for({&work});
    Engine prepared = placed(work, memory);
    log_of(prepared, iterations);
    prepared.drain();
    fake->rows[0].then = device->rows[1].then = nullptr;
    return seen;
  }
  /// Two stages that can be captured between two that cannot.
  Case with_graph() {
    Case work = make_case("graph", {on_device(H2d{}, 0), on_device(Cast{}, 1),
                                    on_device(Sub{.mean = {1}}, 2), on_device(D2h{}, 0)});
    work.graph = true;
    return work;
  }
  bool is_right(Engine& prepared) {
    prepared.drain();
    return check_output(prepared.planned(), prepared.item().inputs(), prepared.item().outputs(),
                        backends)
        .result.ok;
  }
};

TEST_F(DeviceRunTest, WaitsWhenTheCaseSays) {
  Case work = send_and_cast();
  const auto log_when = [&](Wait wait) {
    work.wait = wait;
    return log_of(work);
  };
  EXPECT_THAT(log_when(Wait::Turn), ElementsAre("launch 0", "launch 1"));
  EXPECT_THAT(log_when(Wait::Iteration), ElementsAre("launch 0", "launch 1", "drain device"));
  EXPECT_THAT(log_when(Wait::Stage),
              ElementsAre("launch 0", "drain device", "launch 1", "drain device"));
}

TEST_F(DeviceRunTest, TheHostReadsWhatTheDeviceWroteWhenItIsThere) {
  Case work = make_case("back", {on_device(H2d{}, 0),
                                 on_device(Cast{}, 1),
                                 on_device(D2h{}, 2),
                                 {.op = Sub{.mean = {1}}, .row = 1}});
  GroupMemory memory = memory_for({&work});
  Engine prepared = placed(work, memory);
  EXPECT_THAT(log_of(prepared, 2),
              ElementsAre("launch 0", "launch 1", "launch 2", "mark 0", "wait 0", "row 1",
                          "launch 0", "launch 1", "launch 2", "mark 1", "wait 1", "row 1"));
  EXPECT_TRUE(is_right(prepared));
  work.wait = Wait::Iteration;
  EXPECT_THAT(log_of(work), ElementsAre("launch 0", "launch 1", "launch 2", "mark 0", "wait 0",
                                        "row 1", "drain", "drain device"));
}

TEST_F(DeviceRunTest, TheHostOverwritesABufferWhenTheDeviceHasReadIt) {
  const Case work = cast_and_send(Wait::Turn);
  GroupMemory memory = memory_for({&work});
  Engine prepared = placed(work, memory);
  EXPECT_THAT(log_of(prepared, 3),
              ElementsAre("row 0", "launch 1", "mark 0", "wait 0", "row 0", "launch 1", "mark 1",
                          "wait 1", "row 0", "launch 1", "mark 2"));
  prepared.drain();
  EXPECT_THAT(log_of(prepared, 1), ElementsAre("row 0", "launch 1", "mark 3"));
  EXPECT_THAT(read_by_device(work, 4), ElementsAre(0, 1, 2, 3));
}

TEST_F(DeviceRunTest, OtherBufferSetsAreNotWaitedFor) {
  plan.measure.cache = Cache::Cold;
  const Case work = cast_and_send(Wait::Turn);
  GroupMemory memory = memory_for({&work});
  ASSERT_EQ(memory.sets(Memory::Pageable), 5u);
  Engine prepared = placed(work, memory);
  std::vector<std::string> expected;
  for (int i = 0; i < 7; ++i) {
    if (i >= 5) expected.push_back(fmt::format("wait {}", i - 5));
    expected.insert(expected.end(), {"row 0", "launch 1", fmt::format("mark {}", i)});
  }
  EXPECT_EQ(log_of(prepared, 7), expected);
  EXPECT_THAT(read_by_device(work, 7), ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST_F(DeviceRunTest, MarksAreSetOnlyWhereThereIsAHazard) {
  EXPECT_THAT(log_of(cast_and_send(Wait::Iteration)),
              ElementsAre("row 0", "launch 1", "drain", "drain device"));
  EXPECT_THAT(log_of(cast_and_send(Wait::Stage)),
              ElementsAre("row 0", "drain", "launch 1", "drain device"));
  EXPECT_THAT(log_of(send_and_cast()), ElementsAre("launch 0", "launch 1"));
}

TEST_F(DeviceRunTest, CallsThatWorkOnHostMemoryWaitLikeTheCpu) {
  const Case pin = make_case("pin", {on_device(Pin{}, 0), on_device(H2d{}, 1)});
  GroupMemory memory = memory_for({&pin});
  Engine prepared = placed(pin, memory);
  EXPECT_THAT(log_of(prepared, 2), ElementsAre("launch 0", "launch 1", "mark 0", "wait 0",
                                               "launch 0", "launch 1", "mark 1"));
  const Case registered = make_case(
      "register", {on_device(Register{}, 0), on_device(H2d{}, 1), on_device(Unregister{}, 2)});
  EXPECT_THAT(log_of(registered),
              ElementsAre("launch 0", "launch 1", "mark 0", "wait 0", "launch 2"));
}

TEST_F(DeviceRunTest, CapturesARunOnceAndLaunchesItAsOne) {
  const Case work = with_graph();
  GroupMemory memory = memory_for({&work});
  Engine prepared = placed(work, memory);
  prepared.item().poison({std::byte{0xFF}});
  EXPECT_THAT(log_of(prepared, 2),
              ElementsAre("launch 0", "begin capture", "capture 1", "capture 2", "end capture",
                          "launch graph of 2", "launch 0",  //
                          "launch 0", "launch graph of 2", "launch 0"));
  EXPECT_TRUE(is_right(prepared));
  prepared.place(random);
  EXPECT_THAT(log_of(prepared, 1),
              ElementsAre("launch 0", "begin capture", "capture 1", "capture 2", "end capture",
                          "launch graph of 2", "launch 0"));
  EXPECT_TRUE(is_right(prepared));
  EXPECT_THAT(log_of(prepared, 1, {.graphs = false}),
              ElementsAre("launch 0", "launch 1", "launch 2", "launch 0"));
}

TEST_F(DeviceRunTest, AFreshBufferIsInNoGraph) {
  Case work = make_case("graph", {on_device(H2d{}, 1), on_device(Cast{}, 2, OutputPolicy::Fresh),
                                  on_device(Sub{.mean = {1}}, 3), on_device(Div{.std = {2}}, 4)});
  work.graph = true;
  EXPECT_THAT(log_of(work),
              ElementsAre("begin capture", "capture 1", "end capture", "launch graph of 1",
                          "allocate fresh device 480", "launch 2", "launch 3", "free device 480",
                          "begin capture", "capture 4", "end capture", "launch graph of 1"));
}

TEST_F(DeviceRunTest, CapturesAGraphPerBufferSlotAhead) {
  plan.measure.cache = Cache::Cold;
  const Case work = with_graph();
  GroupMemory memory = memory_for({&work});
  // 120 bytes sent, 480 cast and 480 subtracted are 1152 in lines: three sets exceed 3 KiB.
  ASSERT_EQ(memory.sets(Memory::Device), 3u);
  Engine prepared = placed(work, memory);
  const auto captures = [&](std::int64_t iterations) {
    fake->log.clear();
    prepared.capture(iterations);
    return std::ranges::count(fake->log, "begin capture");
  };
  EXPECT_EQ(captures(2), 2);
  EXPECT_EQ(captures(12), 1);
  const auto log = log_of(prepared, 12);
  EXPECT_EQ(std::ranges::count(log, "begin capture"), 0);
  EXPECT_EQ(std::ranges::count(log, "launch graph of 2"), 12);
  EXPECT_TRUE(is_right(prepared));
  prepared.drop_graphs();
  EXPECT_EQ(captures(12), 3);
}

TEST_F(DeviceRunTest, AGraphThatReadsTheSourceDiffersByItsCopy) {
  plan.measure.cache = Cache::Cold;
  cache_bytes = 100;
  Case work = make_case("graph", {on_device(H2d{}, 1)});
  work.graph = true;
  GroupMemory memory = memory_for({&work});
  ASSERT_EQ(memory.inputs(work).count, 3u);
  ASSERT_EQ(memory.sets(Memory::Device), 3u);
  Engine prepared = placed(work, memory);
  std::vector<std::byte*> read;
  device->rows[1].then = [&](const FakeCall& call) { read.push_back(call.in[0].data); };
  log_of(prepared, 6);
  prepared.drain();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i], memory.inputs(work).first + 128 * i);
    EXPECT_EQ(read[i], read[i + 3]);
  }
}

TEST_F(DeviceRunTest, AGraphIsWatchedAsItsStagesAre) {
  Case work = cast_and_send(Wait::Turn);
  work.graph = true;
  GroupMemory memory = memory_for({&work});
  Engine prepared = placed(work, memory);
  log_of(prepared, 1);
  prepared.drain();
  EXPECT_THAT(log_of(prepared, 2), ElementsAre("row 0", "launch graph of 1", "mark 1", "wait 1",
                                               "row 0", "launch graph of 1", "mark 2"));
  EXPECT_THAT(read_by_device(work, 3), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace normbench::device_run_test
