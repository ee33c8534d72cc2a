#include <cstring>
#include <set>

#include "measure/check.h"
#include "measure/device_fixture.h"

namespace normbench::device_memory_test {
namespace {

using testing::ElementsAre;

struct DeviceMemoryTest : DeviceTest {
  /// Lets the fake device compute the output of `planned` by the references of the ops, and lets
  /// `spoil` change the output there. Returns the outcome of the output's check.
  CheckOutcome outcome(const Case& planned, const std::function<void(View)>& spoil = {}) {
    device->rows[1].then = [&](const FakeCall& call) {
      if (spoil) spoil(call.out[0]);
    };
    GroupMemory memory = memory_for({&planned});
    Engine prepared = placed(planned, memory);
    prepared.item().poison({std::byte{0xFF}});
    prepared.iterate({});
    prepared.drain();
    fake->log.clear();
    const CheckOutcome got =
        check_output(planned, prepared.item().inputs(), prepared.item().outputs(), backends);
    copies = fake->log;
    return got;
  }
  std::vector<std::string> copies;  // log of the copies of the latest check
};

TEST_F(DeviceMemoryTest, SourcesOnTheDeviceAreFilledThroughTheHost) {
  plan.measure.cache = Cache::Cold;
  device->cache = 1000;
  const Case planned =
      fake_case(*device, "cast", source_in(Memory::Device), {on_device(Cast{}, 1)});
  fake->log.clear();
  GroupMemory memory = memory_for({&planned});
  // A case on a cold cache gets several copies of its source and several sets of buffers. The
  // copies must exceed three times the cache of 1000 bytes. Each copy starts at a multiple of 512
  // bytes, so there are six. The sets must exceed three times the cache, too. An iteration touches
  // 128 + 512 bytes in whole cache lines, so there are five sets.
  EXPECT_THAT(
      fake->log,
      ElementsAre("allocate device 3072", "fill device 0x1 3072", "allocate pageable 120",
                  "allocate pageable 120", "copy host to device 120", "copy host to device 120",
                  "copy host to device 120", "copy host to device 120", "copy host to device 120",
                  "copy host to device 120", "free pageable 120", "free pageable 120",
                  "allocate device 5120", "fill device 0x1 5120"));
  const TensorDesc desc = planned.inputs.at(0).source.desc();
  std::vector<std::byte> expected(static_cast<std::size_t>(desc.bytes()));
  planned.inputs.at(0).source.fill({.data = expected.data(), .desc = desc}, 1);
  const SourceCopies copies = memory.inputs(planned);
  ASSERT_EQ(copies.count, 6u);
  for (std::size_t i = 0; i < copies.count; ++i) {
    std::vector<std::byte> moved(expected.size());
    moved_on({.data = expected.data(), .desc = desc}, moved.data(), i);
    EXPECT_EQ(bytes_of({.data = copies.first + i * copies.stride, .desc = desc}), moved);
  }
}

TEST_F(DeviceMemoryTest, EachSideRotatesPastItsOwnCache) {
  plan.measure.cache = Cache::Cold;
  device->cache = 4000;
  const Case planned = make_case("cast, send", {{.op = Cast{}}, on_device(H2d{}, 1)});
  GroupMemory memory = memory_for({&planned});
  EXPECT_EQ(memory.sets(Memory::Pageable), 5u);  // 128 + 512 bytes each, together over 3 * 1 KiB
  EXPECT_EQ(memory.sets(Memory::Pinned), 5u);
  EXPECT_EQ(memory.sets(Memory::Device), 24u);  // 512 bytes each, together more than 3 * 4000
  std::vector<std::byte*> sent, arrived;
  device->rows[1].then = [&](const FakeCall& call) {
    sent.push_back(call.in[0].data);
    arrived.push_back(call.out[0].data);
  };
  Engine prepared = placed(planned, memory);
  log_of(prepared, 48);
  prepared.drain();
  EXPECT_EQ(std::set(sent.begin(), sent.end()).size(), 5u);
  EXPECT_EQ(std::set(arrived.begin(), arrived.end()).size(), 24u);
  for (int i = 0; i < 43; ++i) EXPECT_EQ(sent[i], sent[i + 5]);
  for (int i = 0; i < 24; ++i) EXPECT_EQ(arrived[i], arrived[i + 24]);
  for (const std::byte* data : arrived) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 512, 0u);
}

TEST_F(DeviceMemoryTest, ADeviceThatDoesNotSayRotatesAsTheHost) {
  plan.measure.cache = Cache::Cold;
  const Case planned = send_and_cast();
  GroupMemory memory = memory_for({&planned});
  EXPECT_EQ(memory.sets(Memory::Device), 5u);
  EXPECT_EQ(memory.sets(Memory::Pageable), 1u);  // the case writes no pageable memory
  EXPECT_EQ(cold_caches(backends, 7), (Sides{.host = 7, .device = 7}));
  device->cache = 9;
  EXPECT_EQ(cold_caches(backends, 7), (Sides{.host = 7, .device = 9}));
}

TEST_F(DeviceMemoryTest, CasesThatWriteNothingOnASideAskForNoSetsThere) {
  plan.measure.cache = Cache::Cold;
  Source tiny = source_in(Memory::Device);
  tiny.shape = {.n = 1, .c = 1, .h = 1, .w = 1};
  const Case limit = fake_case(*device, "launch", tiny, {on_device(EmptyLaunch{}, 1)});
  const Case planned = send_and_cast();
  EXPECT_EQ(memory_for({&limit}).sets(Memory::Device), 1u);
  EXPECT_EQ(memory_for({&limit, &planned}).sets(Memory::Device), 5u);
}

TEST_F(DeviceMemoryTest, PoisonsThroughTheDevice) {
  const Case planned = send_and_cast();
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  fake->log.clear();
  prepared.item().poison({std::byte{0xFF}});
  EXPECT_THAT(fake->log, ElementsAre("fill device 0xff 120", "fill device 0xff 480"));
  EXPECT_EQ(bytes_of(prepared.item().outputs().at(0)),
            std::vector<std::byte>(480, std::byte{0xFF}));
}

TEST_F(DeviceMemoryTest, FreshOutputsOfEverySizeComeFromTheOwner) {
  const Case planned = make_case("eager", {on_device(H2d{}, 0, OutputPolicy::Fresh),
                                           on_device(Cast{}, 1, OutputPolicy::CudaMalloc),
                                           on_device(Sub{.mean = {1}}, 5, OutputPolicy::Fresh)});
  EXPECT_THAT(log_of(planned),
              ElementsAre("allocate fresh device 120", "launch 0",                           //
                          "allocate cuda_malloc device 480", "launch 1", "free device 120",  //
                          "allocate fresh device 480", "allocate fresh device 1000", "launch 5",
                          "free device 480", "free device 480", "free device 1000"));
}

TEST_F(DeviceMemoryTest, FreshDeviceMemoryIsPoisonedWhenItIsThere) {
  const Case planned = make_case("eager", {on_device(H2d{}, 0, OutputPolicy::Fresh)});
  EXPECT_THAT(
      log_of(planned, {.poison = Poison{std::byte{0x55}}, .keep_outputs = true}),
      ElementsAre("allocate fresh device 120", "drain device", "fill device 0x55 120", "launch 0"));
}

TEST_F(DeviceMemoryTest, FreshHostMemoryIsFreedWhenTheDeviceHasReadIt) {
  const Case pinned =
      make_case("pin", {on_device(Pin{}, 0, OutputPolicy::Fresh), on_device(H2d{}, 1)});
  EXPECT_THAT(log_of(pinned), ElementsAre("allocate fresh pinned 120", "launch 0", "launch 1",
                                          "drain device", "free pinned 120"));
  EXPECT_TRUE(outcome(pinned).result.ok);
  FakeStage fresh{.op = Cast{}, .output = OutputPolicy::Fresh, .memory = Memory::Pinned};
  const Case only_cpu = make_case("on the CPU", {fresh});
  EXPECT_THAT(log_of(only_cpu),
              ElementsAre("allocate fresh pinned 480", "row 0", "free pinned 480"));
}

TEST_F(DeviceMemoryTest, SmallPageableFreshOutputsAreStillRecycled) {
  const Case planned = make_case("cpu", {{.op = Cast{}, .output = OutputPolicy::Fresh}});
  EXPECT_THAT(log_of(planned), ElementsAre("row 0"));
}

TEST_F(DeviceMemoryTest, OutputsOnTheDeviceAreChecked) {
  const CheckOutcome got = outcome(send_and_cast());
  EXPECT_TRUE(got.result.ok);
  EXPECT_EQ(got.result.max_abs_error, 0);
  EXPECT_THAT(copies, ElementsAre("copy device to host 240", "copy device to host 240"));
}

TEST_F(DeviceMemoryTest, SlabsCoverEveryImageOfSourceAndOutput) {
  Source source = source_in(Memory::Device);
  source.shape = {.n = 5, .c = 1, .h = 1000, .w = 1000};  // each image is checked by itself
  const Case planned = fake_case(*device, "cast", source, {on_device(Cast{}, 1)});
  EXPECT_TRUE(outcome(planned).result.ok);
  std::vector<std::string> expected;
  for (int image = 0; image < 5; ++image)
    expected.insert(expected.end(), {"copy device to host 1000000", "copy device to host 4000000"});
  EXPECT_THAT(copies, testing::ElementsAreArray(expected));
  const CheckOutcome got = outcome(planned, [](View view) {
    const float wrong = -1;
    std::memcpy(view.data + 4 * 4'999'999, &wrong, 4);
  });
  EXPECT_FALSE(got.result.ok);
  EXPECT_THAT(got.reason, testing::HasSubstr("at [4, 0, 999, 999], bound 0"));
}

TEST_F(DeviceMemoryTest, ValuesThatAliasASourceAreWhereItIs) {
  const Case planned = make_case(
      "register", {on_device(Register{}, 0), on_device(H2d{}, 1), on_device(Unregister{}, 2)});
  std::vector<View> registered, sent, undone;
  device->rows[0].then = [&](const FakeCall& call) { registered.push_back(call.out[0]); };
  device->rows[2].then = [&](const FakeCall& call) {
    undone.assign({call.in[0], call.in[1], call.out[0]});
  };
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  prepared.iterate({});
  prepared.drain();
  std::byte* const source = prepared.item().inputs().at(0).data;
  EXPECT_EQ(registered.at(0).data, source);
  EXPECT_EQ(registered.at(0).desc.memory, Memory::Registered);
  EXPECT_EQ(undone.at(1).data, source);
  EXPECT_EQ(undone.at(0).data, prepared.item().outputs().at(0).data);
  EXPECT_EQ(undone.at(2).data, prepared.item().outputs().at(0).data);
  EXPECT_NE(prepared.item().outputs().at(0).data, source);
  EXPECT_TRUE(outcome(planned).result.ok);
}

TEST_F(DeviceMemoryTest, AResultMayBeTheSourceItself) {
  const Case host = make_case("register", {on_device(Register{}, 0)});
  EXPECT_TRUE(outcome(host).result.ok);
  const Case planned =
      fake_case(*device, "launch", source_in(Memory::Device), {on_device(EmptyLaunch{}, 1)});
  EXPECT_TRUE(outcome(planned).result.ok);
  EXPECT_THAT(copies, testing::Each("copy device to host 60"));
  EXPECT_THAT(outcome(planned, [](View view) { view.data[119] ^= std::byte{1}; }).reason,
              testing::IsEmpty());  // the reference reads the changed source, too
}

}  // namespace
}  // namespace normbench::device_memory_test
