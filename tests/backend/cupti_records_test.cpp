#include "backend/cuda/cupti/cupti_records.h"

#include <gmock/gmock.h>

#include <array>
#include <string>

#include "backend/cupti_fake_records.h"

namespace normbench::cupti::cupti_records_test {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

constexpr CUpti_ActivityKind kRuntime = CUPTI_ACTIVITY_KIND_RUNTIME;
constexpr CUpti_ActivityKind kDriver = CUPTI_ACTIVITY_KIND_DRIVER;

CUptiResult callback_name(CUpti_CallbackDomain domain, std::uint32_t cbid, const char** name) {
  *name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API &&
      cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000)
    *name = "cudaLaunchKernel_v7000";
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel)
    *name = "cuLaunchKernel";
  return *name != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

Functions functions() {
  Functions functions;
  functions.get_next_record = &FakeBuffer::next_record;
  functions.get_callback_name = &callback_name;
  return functions;
}

DeviceTrace read(FakeBuffer& buffer, const ClockMap& clock = {}) {
  const std::vector<std::span<std::uint8_t>> buffers = {buffer.bytes()};
  return read_records(buffers, functions(), clock);
}

std::vector<std::string> names(const DeviceTrace& trace) {
  std::vector<std::string> names;
  for (const DeviceRecord& record : trace.records) names.emplace_back(record.name);
  return names;
}

TEST(CuptiRecords, OfNothingAreNone) {
  const DeviceTrace trace = read_records({}, functions(), {});
  EXPECT_EQ(trace.source, "CUPTI");
  EXPECT_THAT(trace.records, IsEmpty());
  EXPECT_EQ(trace.dropped, 0);
  EXPECT_EQ(trace.without_times, 0);
  EXPECT_EQ(trace.clock_error_ns, 0);
}

TEST(CuptiRecords, AKernelSaysHowItWasLaunched) {
  CUpti_ActivityKernel9 kernel = fake_kernel(11, 1000, 1500);
  kernel.gridX = 4;
  kernel.gridY = 106;
  kernel.gridZ = 1;
  kernel.blockX = 128;
  kernel.blockY = 2;
  kernel.blockZ = 3;
  kernel.registersPerThread = 30;
  kernel.staticSharedMemory = 1024;
  kernel.dynamicSharedMemory = 256;
  FakeBuffer buffer;
  buffer.add(kernel);
  EXPECT_THAT(read(buffer).records,
              ElementsAre(DeviceRecord{.activity = Activity::Kernel,
                                       .start_ns = 1000,
                                       .end_ns = 1500,
                                       .name = "work(float*, int)",
                                       .correlation = 11,
                                       .device = 2,
                                       .context = 5,
                                       .stream = 7,
                                       .launch = LaunchShape{.grid = {4, 106, 1},
                                                             .block = {128, 2, 3},
                                                             .registers_per_thread = 30,
                                                             .shared_bytes = 1280}}));
}

TEST(CuptiRecords, ACopySaysWhatItMovedAndOverWhat) {
  FakeBuffer buffer;
  buffer.add(fake_copy(12, 100, 200));
  EXPECT_THAT(read(buffer).records,
              ElementsAre(DeviceRecord{.activity = Activity::Memcpy,
                                       .start_ns = 100,
                                       .end_ns = 200,
                                       .name = "Memcpy HtoD (Pinned -> Device)",
                                       .correlation = 12,
                                       .device = 2,
                                       .context = 5,
                                       .stream = 13,
                                       .bytes = 4096,
                                       .over_link = true}));
}

TEST(CuptiRecords, OnlyCopiesBetweenHostAndDeviceGoOverTheLink) {
  struct Copy {
    CUpti_ActivityMemcpyKind kind;
    const char* name;
    bool over_link;
  };
  const std::vector<Copy> copies = {
      {CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN, "Memcpy Unknown (Pinned -> Device)", false},
      {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, "Memcpy HtoD (Pinned -> Device)", true},
      {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, "Memcpy DtoH (Pinned -> Device)", true},
      {CUPTI_ACTIVITY_MEMCPY_KIND_HTOA, "Memcpy HtoA (Pinned -> Device)", true},
      {CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, "Memcpy AtoH (Pinned -> Device)", true},
      {CUPTI_ACTIVITY_MEMCPY_KIND_ATOA, "Memcpy AtoA (Pinned -> Device)", false},
      {CUPTI_ACTIVITY_MEMCPY_KIND_ATOD, "Memcpy AtoD (Pinned -> Device)", false},
      {CUPTI_ACTIVITY_MEMCPY_KIND_DTOA, "Memcpy DtoA (Pinned -> Device)", false},
      {CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, "Memcpy DtoD (Pinned -> Device)", false},
      {CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, "Memcpy HtoH (Pinned -> Device)", false},
      {CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, "Memcpy PtoP (Pinned -> Device)", false}};
  FakeBuffer buffer;
  for (const Copy& copy : copies) {
    CUpti_ActivityMemcpy5 record = fake_copy(1, 100, 200);
    record.copyKind = static_cast<std::uint8_t>(copy.kind);
    buffer.add(record);
  }
  const DeviceTrace trace = read(buffer);
  ASSERT_THAT(trace.records, SizeIs(copies.size()));
  for (std::size_t i = 0; i < copies.size(); ++i) {
    EXPECT_EQ(trace.records[i].name, copies[i].name);
    EXPECT_EQ(trace.records[i].over_link, copies[i].over_link) << copies[i].name;
  }
}

TEST(CuptiRecords, ACopyBetweenDevices) {
  CUpti_ActivityMemcpyPtoP4 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  copy.srcKind = copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.bytes = 77;
  copy.start = 100;
  copy.end = 200;
  copy.deviceId = 1;
  copy.contextId = 3;
  copy.streamId = 20;
  copy.correlationId = 9;
  FakeBuffer buffer;
  buffer.add(copy);
  EXPECT_THAT(read(buffer).records,
              ElementsAre(DeviceRecord{.activity = Activity::Memcpy,
                                       .start_ns = 100,
                                       .end_ns = 200,
                                       .name = "Memcpy PtoP (Device -> Device)",
                                       .correlation = 9,
                                       .device = 1,
                                       .context = 3,
                                       .stream = 20,
                                       .bytes = 77}));
}

TEST(CuptiRecords, ASetSaysOfWhat) {
  FakeBuffer buffer;
  buffer.add(fake_set(13, 100, 200));
  EXPECT_THAT(read(buffer).records, ElementsAre(DeviceRecord{.activity = Activity::Memset,
                                                             .start_ns = 100,
                                                             .end_ns = 200,
                                                             .name = "Memset (Device)",
                                                             .correlation = 13,
                                                             .device = 2,
                                                             .context = 5,
                                                             .stream = 13,
                                                             .bytes = 512}));
}

TEST(CuptiRecords, ACallSaysOnWhichThread) {
  FakeBuffer buffer;
  buffer.add(fake_launch(14, 100, 200));
  EXPECT_THAT(read(buffer).records, ElementsAre(DeviceRecord{.activity = Activity::Runtime,
                                                             .start_ns = 100,
                                                             .end_ns = 200,
                                                             .name = "cudaLaunchKernel",
                                                             .correlation = 14,
                                                             .thread = 4321}));
}

TEST(CuptiRecords, ACallWithoutANameIsItsNumber) {
  FakeBuffer buffer;
  buffer.add(fake_call(kRuntime, 31, 1, 100, 200));
  EXPECT_THAT(names(read(buffer)), ElementsAre("runtime call 31"));
}

TEST(CuptiRecords, CallsThatStartNothingAreLeftOut) {
  FakeBuffer buffer;
  buffer.add(fake_call(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 1, 100, 200))
      .add(fake_call(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020, 2, 100, 200))
      .add(fake_call(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaEventCreateWithFlags_v3020, 3, 1, 2))
      .add(fake_call(kDriver, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent, 4, 100, 200));
  const DeviceTrace trace = read(buffer);
  EXPECT_THAT(trace.records, IsEmpty());
  EXPECT_EQ(trace.dropped, 0);
}

TEST(CuptiRecords, ALaunchOfTheDriverIsACall) {
  FakeBuffer buffer;
  buffer.add(fake_call(kDriver, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 15, 100, 200))
      .add(fake_external_id(15, 8))
      .add(fake_kernel(15, 150, 300));
  const DeviceTrace trace = read(buffer);
  ASSERT_THAT(names(trace), ElementsAre("cuLaunchKernel", "work(float*, int)"));
  EXPECT_EQ(trace.records[0].activity, Activity::Driver);
  EXPECT_EQ(trace.records[1].external_id, 8u);
}

TEST(CuptiRecords, ALaunchOfTheDriverInsideOneOfTheRuntimeIsNotCountedTwice) {
  FakeBuffer buffer;
  buffer.add(fake_call(kDriver, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 15, 120, 180))
      .add(fake_launch(15, 100, 200));
  EXPECT_THAT(names(read(buffer)), ElementsAre("cudaLaunchKernel"));
}

TEST(CuptiRecords, ExternalIdsReachCallAndWorkInAnyOrder) {
  FakeBuffer first, second;
  first.add(fake_kernel(2, 500, 600)).add(fake_launch(1, 100, 110)).add(fake_external_id(2, 42));
  second.add(fake_launch(2, 120, 130))
      .add(fake_external_id(1, 41))
      .add(fake_copy(1, 300, 400))
      .add(fake_set(3, 700, 800));
  const std::vector<std::span<std::uint8_t>> buffers = {first.bytes(), second.bytes()};
  const DeviceTrace trace = read_records(buffers, functions(), {});
  std::vector<std::pair<std::int64_t, std::uint64_t>> ids;
  for (const DeviceRecord& record : trace.records)
    ids.emplace_back(record.correlation, record.external_id);
  using Ids = std::pair<std::int64_t, std::uint64_t>;
  EXPECT_THAT(ids, ElementsAre(Ids(2, 42), Ids(1, 41), Ids(2, 42), Ids(1, 41), Ids(3, 0)));
}

TEST(CuptiRecords, IdsOfOtherToolsAreNotOurs) {
  CUpti_ActivityExternalCorrelation other = fake_external_id(1, 99);
  other.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
  FakeBuffer buffer;
  buffer.add(fake_external_id(1, 5)).add(other).add(fake_launch(1, 100, 200));
  EXPECT_THAT(read(buffer).records, ElementsAre(Field(&DeviceRecord::external_id, 5u)));
}

TEST(CuptiRecords, EveryKernelOfAGraphCarriesItsLaunch) {
  CUpti_ActivityKernel9 first = fake_kernel(6, 300, 400), second = fake_kernel(6, 400, 500);
  first.graphId = second.graphId = 3;
  first.graphNodeId = (std::uint64_t{3} << 32) + 1;
  second.graphNodeId = (std::uint64_t{3} << 32) + 2;
  CUpti_ActivityMemcpy5 copy = fake_copy(6, 200, 300);
  copy.graphId = 3;
  copy.graphNodeId = std::uint64_t{3} << 32;
  FakeBuffer buffer;
  buffer.add(copy)
      .add(first)
      .add(second)
      .add(fake_external_id(6, 17))
      .add(fake_call(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, 6, 100, 150));
  const DeviceTrace trace = read(buffer);
  ASSERT_THAT(trace.records, SizeIs(4));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(trace.records[i].correlation, 6);
    EXPECT_EQ(trace.records[i].external_id, 17u);
    EXPECT_EQ(trace.records[i].graph, 3);
    EXPECT_EQ(trace.records[i].graph_node, (std::int64_t{3} << 32) + static_cast<std::int64_t>(i));
  }
  EXPECT_EQ(trace.records[3].graph, 0);
}

TEST(CuptiRecords, AKernelWithoutItsCallAndACallWithoutItsKernelStay) {
  FakeBuffer buffer;
  buffer.add(fake_launch(1, 100, 200)).add(fake_kernel(2, 300, 400));
  EXPECT_THAT(names(read(buffer)), ElementsAre("cudaLaunchKernel", "work(float*, int)"));
}

TEST(CuptiRecords, AWaitIsOnTheThreadAndTheDeviceOfItsCall) {
  FakeBuffer buffer;
  buffer.add(fake_sync(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, 4, 100, 200))
      .add(fake_call(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020, 4, 90, 210))
      .add(fake_kernel(3, 50, 60));
  const DeviceTrace trace = read(buffer);
  ASSERT_THAT(trace.records, SizeIs(2));
  EXPECT_EQ(trace.records[0], (DeviceRecord{.activity = Activity::Sync,
                                            .start_ns = 100,
                                            .end_ns = 200,
                                            .name = "Stream Sync",
                                            .correlation = 4,
                                            .device = 2,
                                            .context = 5,
                                            .stream = 7,
                                            .thread = 4321}));
}

TEST(CuptiRecords, AWaitForNoStreamHasNone) {
  CUpti_ActivitySynchronization sync =
      fake_sync(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, 4, 100, 200);
  sync.streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  FakeBuffer buffer;
  buffer.add(sync);
  EXPECT_THAT(read(buffer).records, ElementsAre(DeviceRecord{.activity = Activity::Sync,
                                                             .start_ns = 100,
                                                             .end_ns = 200,
                                                             .name = "Context Sync",
                                                             .correlation = 4,
                                                             .context = 5}));
}

TEST(CuptiRecords, OverheadSaysWhatCuptiDid) {
  FakeBuffer buffer;
  buffer.add(fake_overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, 100, 200));
  EXPECT_THAT(read(buffer).records, ElementsAre(DeviceRecord{.activity = Activity::Overhead,
                                                             .start_ns = 100,
                                                             .end_ns = 200,
                                                             .name = "Buffer Flush",
                                                             .thread = 4321}));
}

TEST(CuptiRecords, WithoutTimesAreCountedAndNotShown) {
  FakeBuffer buffer;
  buffer.add(fake_kernel(1, 0, 0))
      .add(fake_kernel(2, 0, 500))
      .add(fake_copy(3, 600, 500))
      .add(fake_kernel(4, 700, 700));
  const DeviceTrace trace = read(buffer);
  EXPECT_THAT(trace.records, ElementsAre(Field(&DeviceRecord::correlation, 4)));
  EXPECT_EQ(trace.without_times, 3);
  EXPECT_EQ(trace.dropped, 0);
}

TEST(CuptiRecords, WorkBeforeItsCallShowsHowFarTheClocksAreOff) {
  FakeBuffer buffer;
  buffer.add(fake_launch(1, 1000, 1100))
      .add(fake_kernel(1, 990, 1200))
      .add(fake_kernel(2, 1975, 2200))
      .add(fake_launch(2, 2000, 2100));
  const DeviceTrace trace = read(buffer);
  EXPECT_THAT(trace.records, SizeIs(4));
  EXPECT_EQ(trace.clock_error_ns, 25);
}

TEST(CuptiRecords, TimesAreThoseOfTheHost) {
  const ClockMap clock({.host_ns = 1000, .cupti_ns = 5000, .error_ns = 3},
                       {.host_ns = 2000, .cupti_ns = 6000, .error_ns = 4});
  FakeBuffer buffer;
  buffer.add(fake_kernel(1, 5100, 5700));
  const DeviceTrace trace = read(buffer, clock);
  ASSERT_THAT(trace.records, SizeIs(1));
  EXPECT_EQ(trace.records[0].start_ns, 1100);
  EXPECT_EQ(trace.records[0].end_ns, 1700);
  EXPECT_EQ(trace.clock_error_ns, 7);
}

TEST(CuptiRecords, KernelsOfOneNameShareIt) {
  const std::string again = "_Z4workPfi";  // the same name at another address
  FakeBuffer buffer;
  buffer.add(fake_kernel(1, 100, 200)).add(fake_kernel(2, 200, 300, again.c_str()));
  const DeviceTrace trace = read(buffer);
  ASSERT_THAT(trace.records, SizeIs(2));
  EXPECT_EQ(trace.records[0].name.data(), trace.records[1].name.data());
  EXPECT_THAT(trace.names, ElementsAre("work(float*, int)"));
}

TEST(CuptiRecords, NamesOutliveTheLibrarysOwnAndMoveWithTheTrace) {
  DeviceTrace moved;
  {
    std::string name = "_Z4workPfi";
    FakeBuffer buffer;
    buffer.add(fake_kernel(1, 100, 200, name.c_str()));
    DeviceTrace trace = read(buffer);
    name.assign(name.size(), '!');
    moved = std::move(trace);
  }
  EXPECT_THAT(names(moved), ElementsAre("work(float*, int)"));
}

TEST(CuptiRecords, OfAnOlderLibraryLackTheNewerFields) {
  CUpti_ActivityKernel4 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.correlationId = 1;
  kernel.start = 100;
  kernel.end = 200;
  kernel.name = "old";
  kernel.gridX = 6;
  CUpti_ActivityMemcpy copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.correlationId = 2;
  copy.start = 200;
  copy.end = 300;
  copy.bytes = 64;
  FakeBuffer buffer;
  buffer.add(kernel).add(copy).add(kernel);
  const DeviceTrace trace = read(buffer);
  ASSERT_THAT(names(trace), ElementsAre("old", "Memcpy Unknown (Unknown -> Unknown)", "old"));
  EXPECT_EQ(trace.records[0].graph, 0);
  EXPECT_EQ(trace.records[0].graph_node, 0);
  EXPECT_EQ(trace.records[0].launch->grid[0], 6);
  EXPECT_EQ(trace.records[1].bytes, 64);
  EXPECT_EQ(trace.records[1].graph, 0);
  EXPECT_EQ(trace.dropped, 0);
}

TEST(CuptiRecords, OfANewerLibraryMayBeLonger) {
  struct Longer {
    CUpti_ActivityKernel9 kernel;
    std::uint64_t more[9];
  };
  FakeBuffer buffer;
  buffer.add(Longer{.kernel = fake_kernel(1, 100, 200), .more = {7, 7, 7}})
      .add(fake_kernel(2, 200, 300));
  const DeviceTrace trace = read(buffer);
  EXPECT_THAT(names(trace), ElementsAre("work(float*, int)", "work(float*, int)"));
  EXPECT_EQ(trace.dropped, 0);
}

/// A kernel record of CUDA 13.0, 13.1, 13.3 or 13.4: CUpti_ActivityKernel10 to 13. Each of these
/// versions appended fields.
template <std::size_t Bytes>
struct NewerKernel {
  CUpti_ActivityKernel9 kernel = fake_kernel(1, 100, 200);
  std::array<std::uint8_t, Bytes - sizeof(CUpti_ActivityKernel9)> more = {};
};

template <std::size_t Bytes>
void expect_read() {
  NewerKernel<Bytes> newer;
  static_assert(sizeof(newer) == Bytes);
  newer.more.fill(0xEE);
  FakeBuffer buffer;
  buffer.add(newer).add(newer).add(fake_launch(1, 50, 90)).add(newer);
  const DeviceTrace trace = read(buffer);
  EXPECT_THAT(names(trace), ElementsAre("work(float*, int)", "work(float*, int)",
                                        "cudaLaunchKernel", "work(float*, int)"))
      << Bytes;
  EXPECT_EQ(trace.dropped, 0) << Bytes;
}

TEST(GpuDayKernelRecords, OfEveryCupti13AreRead) {
  expect_read<216>();
  expect_read<224>();
  expect_read<232>();
  expect_read<248>();
}

TEST(CuptiRecords, OfUnknownKindsAreSkipped) {
  CUpti_ActivityAPI strange = fake_launch(1, 100, 200);
  strange.kind = static_cast<CUpti_ActivityKind>(999);
  FakeBuffer buffer;
  buffer.add(strange).add(fake_launch(2, 100, 200));
  const DeviceTrace trace = read(buffer);
  EXPECT_THAT(trace.records, ElementsAre(Field(&DeviceRecord::correlation, 2)));
  EXPECT_EQ(trace.dropped, 0);
}

TEST(CuptiRecords, ARecordThatIsCutOffIsLost) {
  for (const std::size_t cut :
       {sizeof(CUpti_ActivityKernel9) - 2, sizeof(CUpti_ActivityKernel9) - 40, std::size_t{120}}) {
    FakeBuffer buffer;
    buffer.add(fake_launch(1, 100, 200)).add(fake_kernel(1, 150, 300)).cut(cut);
    const DeviceTrace trace = read(buffer);
    EXPECT_THAT(names(trace), ElementsAre("cudaLaunchKernel")) << cut;
    EXPECT_EQ(trace.dropped, 1) << cut;
  }
}

TEST(CuptiRecords, EveryKindCanBeCutOff) {
  const auto dropped = [](const auto& record) {
    FakeBuffer buffer;
    buffer.add(record).cut(sizeof(record) - 20);
    return read(buffer).dropped;
  };
  CUpti_ActivityMemcpyPtoP4 peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  EXPECT_EQ(dropped(fake_kernel(1, 1, 2)), 1);
  EXPECT_EQ(dropped(fake_copy(1, 1, 2)), 1);
  EXPECT_EQ(dropped(peer), 1);
  EXPECT_EQ(dropped(fake_set(1, 1, 2)), 1);
  EXPECT_EQ(dropped(fake_launch(1, 1, 2)), 1);
  EXPECT_EQ(dropped(fake_sync(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN, 1, 1, 2)), 1);
  EXPECT_EQ(dropped(fake_overhead(CUPTI_ACTIVITY_OVERHEAD_UNKNOWN, 1, 2)), 1);
}

TEST(CuptiRecords, ABufferThatEndsInNonsenseLosesOneAtLeast) {
  FakeBuffer spoiled, good;
  spoiled.add(fake_launch(1, 100, 200)).spoil();
  good.add(fake_launch(2, 300, 400));
  const std::vector<std::span<std::uint8_t>> buffers = {spoiled.bytes(), {}, good.bytes()};
  const DeviceTrace trace = read_records(buffers, functions(), {});
  EXPECT_THAT(trace.records, ElementsAre(Field(&DeviceRecord::correlation, 1),
                                         Field(&DeviceRecord::correlation, 2)));
  EXPECT_EQ(trace.dropped, 1);
}

TEST(CuptiRecords, BytesLeftOverAreARecordThatWasCutOff) {
  FakeBuffer several, nothing;
  several.add(fake_launch(1, 100, 200)).add(fake_launch(2, 300, 400)).leave(24);
  nothing.leave(24);
  EXPECT_EQ(read(several).dropped, 1);
  EXPECT_EQ(read(nothing).dropped, 1);
  FakeBuffer other;
  other.add(fake_launch(3, 500, 600));
  const std::vector<std::span<std::uint8_t>> buffers = {other.bytes(), several.bytes(),
                                                        other.bytes()};
  EXPECT_EQ(read_records(buffers, functions(), {}).dropped, 1);
}

}  // namespace
}  // namespace normbench::cupti::cupti_records_test
