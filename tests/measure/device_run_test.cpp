#include <cstring>

#include "measure/check.h"
#include "measure/device_fixture.h"

namespace normbench::device_run_test {
namespace {

using testing::ElementsAre;

struct DeviceRunTest : DeviceTest {
  /// Returns a case that casts on the CPU and then sends the result to the device.
  Case cast_and_send(Wait wait) {
    Case planned = make_case("cast, send", {{.op = Cast{}}, on_device(H2d{}, 1)});
    planned.wait = wait;
    return planned;
  }
  /// In iteration i, the CPU writes i as the first value of its output. Returns, for each
  /// iteration, the first value that kernel row 1 of the device then read.
  std::vector<float> read_by_device(const Case& planned, int iterations) {
    std::vector<float> seen;
    fake->rows[0].calls = 0;
    fake->rows[0].then = [](const FakeCall& call) {
      const auto number = static_cast<float>(call.number);
      std::memcpy(call.out[0].data, &number, 4);
    };
    device->rows[1].then = [&](const FakeCall& call) {
      std::memcpy(&seen.emplace_back(), call.in[0].data, 4);
    };
    GroupMemory memory = memory_for({&planned});
    Engine prepared = placed(planned, memory);
    log_of(prepared, iterations);
    prepared.drain();
    fake->rows[0].then = device->rows[1].then = nullptr;
    return seen;
  }
  /// Returns a case with four stages. A graph can capture the second and third stage, but not the
  /// first and the last.
  Case with_graph() {
    Case planned = make_case("graph", {on_device(H2d{}, 0), on_device(Cast{}, 1),
                                       on_device(Sub{.mean = {1}}, 2), on_device(D2h{}, 0)});
    planned.graph = true;
    return planned;
  }
  bool is_right(Engine& prepared) {
    prepared.drain();
    return check_output(prepared.planned(), prepared.item().inputs(), prepared.item().outputs(),
                        backends)
        .result.ok;
  }
};

TEST_F(DeviceRunTest, WaitsWhenTheCaseSays) {
  Case planned = send_and_cast();
  const auto log_when = [&](Wait wait) {
    planned.wait = wait;
    return log_of(planned);
  };
  EXPECT_THAT(log_when(Wait::Turn), ElementsAre("launch 0", "launch 1"));
  EXPECT_THAT(log_when(Wait::Iteration), ElementsAre("launch 0", "launch 1", "drain device"));
  EXPECT_THAT(log_when(Wait::Stage),
              ElementsAre("launch 0", "drain device", "launch 1", "drain device"));
}

TEST_F(DeviceRunTest, TheHostReadsWhatTheDeviceWroteWhenItIsThere) {
  Case planned = make_case("back", {on_device(H2d{}, 0),
                                    on_device(Cast{}, 1),
                                    on_device(D2h{}, 2),
                                    {.op = Sub{.mean = {1}}, .row = 1}});
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  EXPECT_THAT(log_of(prepared, 2),
              ElementsAre("launch 0", "launch 1", "launch 2", "mark 0", "wait 0", "row 1",
                          "launch 0", "launch 1", "launch 2", "mark 1", "wait 1", "row 1"));
  EXPECT_TRUE(is_right(prepared));
  planned.wait = Wait::Iteration;
  EXPECT_THAT(log_of(planned), ElementsAre("launch 0", "launch 1", "launch 2", "mark 0", "wait 0",
                                           "row 1", "drain", "drain device"));
}

TEST_F(DeviceRunTest, TheHostOverwritesABufferWhenTheDeviceHasReadIt) {
  const Case planned = cast_and_send(Wait::Turn);
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  EXPECT_THAT(log_of(prepared, 3),
              ElementsAre("row 0", "launch 1", "mark 0", "wait 0", "row 0", "launch 1", "mark 1",
                          "wait 1", "row 0", "launch 1", "mark 2"));
  prepared.drain();
  EXPECT_THAT(log_of(prepared, 1), ElementsAre("row 0", "launch 1", "mark 3"));
  EXPECT_THAT(read_by_device(planned, 4), ElementsAre(0, 1, 2, 3));
}

TEST_F(DeviceRunTest, OtherBufferSetsAreNotWaitedFor) {
  plan.measure.cache = Cache::Cold;
  const Case planned = cast_and_send(Wait::Turn);
  GroupMemory memory = memory_for({&planned});
  ASSERT_EQ(memory.sets(Memory::Pageable), 5u);
  Engine prepared = placed(planned, memory);
  std::vector<std::string> expected;
  for (int i = 0; i < 7; ++i) {
    if (i >= 5) expected.push_back(fmt::format("wait {}", i - 5));
    expected.insert(expected.end(), {"row 0", "launch 1", fmt::format("mark {}", i)});
  }
  EXPECT_EQ(log_of(prepared, 7), expected);
  EXPECT_THAT(read_by_device(planned, 7), ElementsAre(0, 1, 2, 3, 4, 5, 6));
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
  const Case planned = with_graph();
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
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
  Case planned =
      make_case("graph", {on_device(H2d{}, 1), on_device(Cast{}, 2, OutputPolicy::Fresh),
                          on_device(Sub{.mean = {1}}, 3), on_device(Div{.std = {2}}, 4)});
  planned.graph = true;
  EXPECT_THAT(log_of(planned),
              ElementsAre("begin capture", "capture 1", "end capture", "launch graph of 1",
                          "allocate fresh device 480", "launch 2", "launch 3", "free device 480",
                          "begin capture", "capture 4", "end capture", "launch graph of 1"));
}

TEST_F(DeviceRunTest, CapturesAGraphPerBufferSlotAhead) {
  plan.measure.cache = Cache::Cold;
  const Case planned = with_graph();
  GroupMemory memory = memory_for({&planned});
  // There are so many sets of buffers that they exceed three times the cache of 1 KiB. A set has
  // outputs of 120, 480 and 480 bytes, which take 1152 bytes in whole cache lines, so there are
  // three sets.
  ASSERT_EQ(memory.sets(Memory::Device), 3u);
  Engine prepared = placed(planned, memory);
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
  Case planned = make_case("graph", {on_device(H2d{}, 1)});
  planned.graph = true;
  GroupMemory memory = memory_for({&planned});
  ASSERT_EQ(memory.inputs(planned).count, 3u);
  ASSERT_EQ(memory.sets(Memory::Device), 3u);
  Engine prepared = placed(planned, memory);
  std::vector<std::byte*> read;
  device->rows[1].then = [&](const FakeCall& call) { read.push_back(call.in[0].data); };
  log_of(prepared, 6);
  prepared.drain();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i], memory.inputs(planned).first + 128 * i);
    EXPECT_EQ(read[i], read[i + 3]);
  }
}

TEST_F(DeviceRunTest, AGraphIsWatchedAsItsStagesAre) {
  Case planned = cast_and_send(Wait::Turn);
  planned.graph = true;
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  log_of(prepared, 1);
  prepared.drain();
  EXPECT_THAT(log_of(prepared, 2), ElementsAre("row 0", "launch graph of 1", "mark 1", "wait 1",
                                               "row 0", "launch graph of 1", "mark 2"));
  EXPECT_THAT(read_by_device(planned, 3), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace normbench::device_run_test
