#include "backend/cuda/cupti/cupti_tracer.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "backend/cuda/cupti/cupti.h"
#include "backend/cuda/cupti/cupti_buffers.h"
#include "backend/cuda/cupti/cupti_walk.h"
#include "backend/cupti_fake_records.h"
#include "fake_cupti.h"

namespace normbench::cupti::cupti_tracer_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const Places kNowhere{.names = {"libcupti_of_nobody.so"}, .directories = {"/nowhere/lib"}};
constexpr const char* kEvents = ": device times come from CUDA events";

/// The memory resource of the queue in which the process keeps completed CUPTI buffers. It becomes
/// the default resource before the queue is made, so that a test can make the queue run out of
/// memory.
ScarceMemory queue_memory;
[[maybe_unused]] auto* const default_memory = std::pmr::set_default_resource(&queue_memory);

/// Tests Tracer with the fake CUPTI library, which is reset before each test. A test can set the
/// mode of the library, which makes it fail or behave in another way.
class CuptiTracer : public testing::Test {
 protected:
  CuptiTracer() : library_(dlopen(FAKE_CUPTI, RTLD_NOW)), fake(FakeCupti::find(FAKE_CUPTI)) {
    fake.reset();
  }
  ~CuptiTracer() override {
    unsetenv("FAKE_CUPTI_MODE");
    dlclose(library_);
  }

  void set_mode(const char* mode) { setenv("FAKE_CUPTI_MODE", mode, 1); }

  /// Returns the calls of the fake library since the last log().
  std::vector<std::string> log() {
    std::vector<std::string> lines;
    std::istringstream text(fake.log());
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    std::vector<std::string> news(lines.begin() + seen_, lines.end());
    seen_ = static_cast<std::ptrdiff_t>(lines.size());
    return news;
  }

 private:
  void* library_;
  std::ptrdiff_t seen_ = 0;

 protected:
  FakeCupti fake;
  Tracer tracer{FAKE_CUPTI, kNowhere};
};

/// Removes the log lines of the CUPTI calls that choose which CUDA calls are recorded.
std::vector<std::string> without_choices(std::vector<std::string> lines) {
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("cuptiActivityEnableRuntimeApi") ||
           line.starts_with("cuptiActivityEnableDriverApi");
  });
  return lines;
}

TEST_F(CuptiTracer, LoadsNothingBeforeItAttaches) {
  EXPECT_EQ(tracer.missing(), "");
  EXPECT_THAT(log(), IsEmpty());
}

TEST_F(CuptiTracer, SubscribesBeforeAllElseAndSetsTheClockBeforeItEnables) {
  ASSERT_TRUE(tracer.attach()) << tracer.missing();
  EXPECT_THAT(
      without_choices(log()),
      ElementsAre("cuptiGetVersion", "cuptiSubscribe_v2 normbench", "cuptiSetThreadIdType 1",
                  "cuptiActivityRegisterTimestampCallback", "cuptiActivitySetAttribute 5 1",
                  "cuptiActivityRegisterCallbacks", "cuptiActivityEnable 10",
                  "cuptiActivityEnable 1", "cuptiActivityEnable 22", "cuptiActivityEnable 2",
                  "cuptiActivityEnable 5", "cuptiActivityEnable 39", "cuptiActivityEnable 38",
                  "cuptiActivityEnable 17", "cuptiActivityEnableAllSyncRecords 0"));
  EXPECT_EQ(tracer.missing(), "");
}

TEST_F(CuptiTracer, RecordsOnlyTheCallsThatMatter) {
  ASSERT_TRUE(tracer.attach());
  std::vector<std::string> choices;
  for (const std::string& line : log())
    if (line.find("Api ") != std::string::npos) choices.push_back(line);
  ASSERT_THAT(choices, SizeIs(quiet_runtime_calls.size() + driver_launches.size()));
  EXPECT_THAT(choices, testing::Contains("cuptiActivityEnableRuntimeApi 17 0"));
  EXPECT_THAT(choices, testing::Contains("cuptiActivityEnableDriverApi 307 1"));
}

TEST_F(CuptiTracer, AttachesOnce) {
  EXPECT_TRUE(tracer.attach());
  log();
  EXPECT_TRUE(tracer.attach());
  EXPECT_THAT(log(), IsEmpty());
}

TEST_F(CuptiTracer, FlushesWhenItStartsAndStops) {
  ASSERT_TRUE(tracer.attach());
  log();
  tracer.start();
  EXPECT_THAT(log(), ElementsAre("cuptiActivityFlushAll 1"));
  tracer.stop();
  EXPECT_THAT(log(), ElementsAre("cuptiActivityFlushAll 0", "cuptiActivityFlushAll 1"));
}

TEST_F(CuptiTracer, DisablesAndFlushesBeforeItUnsubscribes) {
  auto other = std::make_unique<Tracer>(FAKE_CUPTI, kNowhere);
  ASSERT_TRUE(other->attach());
  fake.call(211, 100, 200);
  log();
  other.reset();
  EXPECT_THAT(
      without_choices(log()),
      ElementsAre("cuptiActivityDisable 10", "cuptiActivityDisable 1", "cuptiActivityDisable 22",
                  "cuptiActivityDisable 2", "cuptiActivityDisable 5", "cuptiActivityDisable 39",
                  "cuptiActivityDisable 38", "cuptiActivityDisable 17", "cuptiActivityFlushAll 1",
                  "cuptiUnsubscribe"));
  fake.call(211, 300, 400);
  EXPECT_THAT(log(), IsEmpty());
}

TEST_F(CuptiTracer, MayComeAfterAnother) {
  {
    Tracer first(FAKE_CUPTI, kNowhere);
    ASSERT_TRUE(first.attach());
    first.start();
    fake.call(211, 100, 200);
    EXPECT_THAT(first.stop().records, SizeIs(1));
  }
  ASSERT_TRUE(tracer.attach());
  tracer.start();
  EXPECT_THAT(tracer.stop().records, IsEmpty());
}

TEST_F(CuptiTracer, TellsWhatWasDone) {
  ASSERT_TRUE(tracer.attach());
  tracer.start();
  tracer.push(77);
  const std::uint32_t copy = fake.call(41, 1000, 1100);
  const std::uint32_t launch = fake.call(211, 1200, 1300);
  tracer.pop();
  const FakeCuptiWork copied{.kind = FakeCuptiWork::Copy,
                             .correlation = copy,
                             .start_ns = 1050,
                             .end_ns = 1500,
                             .stream = 13,
                             .bytes = 4096,
                             .copy = 1,
                             .from = 2,
                             .to = 3};
  fake.work(&copied);
  const FakeCuptiWork ran{.correlation = launch,
                          .start_ns = 1500,
                          .end_ns = 1900,
                          .stream = 13,
                          .kernel = "_Z4workPfi",
                          .grid = 8,
                          .block = 256,
                          .graph = 4};
  fake.work(&ran);
  fake.drop(3);
  const DeviceTrace trace = tracer.stop();
  EXPECT_EQ(trace.source, "CUPTI");
  EXPECT_EQ(trace.dropped, 3);
  EXPECT_EQ(trace.without_times, 0);
  EXPECT_EQ(trace.clock_error_ns, 0);
  EXPECT_THAT(trace.records,
              ElementsAre(DeviceRecord{.activity = Activity::Runtime,
                                       .start_ns = 1000,
                                       .end_ns = 1100,
                                       .name = "cudaMemcpyAsync",
                                       .correlation = copy,
                                       .external_id = 77,
                                       .thread = gettid()},
                          DeviceRecord{.activity = Activity::Runtime,
                                       .start_ns = 1200,
                                       .end_ns = 1300,
                                       .name = "cudaLaunchKernel",
                                       .correlation = launch,
                                       .external_id = 77,
                                       .thread = gettid()},
                          DeviceRecord{.activity = Activity::Memcpy,
                                       .start_ns = 1050,
                                       .end_ns = 1500,
                                       .name = "Memcpy HtoD (Pinned -> Device)",
                                       .correlation = copy,
                                       .external_id = 77,
                                       .context = 1,
                                       .stream = 13,
                                       .bytes = 4096,
                                       .over_link = true},
                          DeviceRecord{.activity = Activity::Kernel,
                                       .start_ns = 1500,
                                       .end_ns = 1900,
                                       .name = "work(float*, int)",
                                       .correlation = launch,
                                       .external_id = 77,
                                       .context = 1,
                                       .stream = 13,
                                       .launch = LaunchShape{.grid = {8, 1, 1},
                                                             .block = {256, 1, 1},
                                                             .registers_per_thread = 32},
                                       .graph = 4,
                                       .graph_node = 4}));
  EXPECT_THAT(log(), Not(testing::Contains(HasSubstr("buffer"))));
}

TEST_F(CuptiTracer, TheInnermostIdCounts) {
  ASSERT_TRUE(tracer.attach());
  tracer.start();
  tracer.push(1);
  fake.call(211, 100, 200);
  tracer.push(2);
  fake.call(211, 300, 400);
  tracer.pop();
  fake.call(211, 500, 600);
  tracer.pop();
  fake.call(211, 700, 800);
  std::vector<std::uint64_t> ids;
  for (const DeviceRecord& record : tracer.stop().records) ids.push_back(record.external_id);
  EXPECT_THAT(ids, ElementsAre(1, 2, 1, 0));
}

TEST_F(CuptiTracer, WhatHappensBeforeStartAndAfterStopIsNotRecorded) {
  ASSERT_TRUE(tracer.attach());
  fake.call(211, 100, 200);
  fake.drop(5);
  tracer.start();
  fake.call(211, 300, 400);
  const DeviceTrace first = tracer.stop();
  fake.call(211, 500, 600);
  tracer.start();
  fake.call(211, 700, 800);
  const DeviceTrace second = tracer.stop();
  ASSERT_THAT(first.records, SizeIs(1));
  EXPECT_EQ(first.records[0].start_ns, 300);
  EXPECT_EQ(first.dropped, 0);
  ASSERT_THAT(second.records, SizeIs(1));
  EXPECT_EQ(second.records[0].start_ns, 700);
}

TEST_F(CuptiTracer, TakesAsManyBuffersAsTheRecordsNeed) {
  constexpr std::size_t kLaunches = 250'000;  // 10 MB of records of 40 bytes
  ASSERT_TRUE(tracer.attach());
  for (int stretch = 0; stretch < 2; ++stretch) {
    tracer.start();
    for (std::uint64_t i = 1; i <= kLaunches; ++i) fake.call(211, i, i + 1);
    const DeviceTrace trace = tracer.stop();
    EXPECT_THAT(trace.records, SizeIs(kLaunches));
    EXPECT_EQ(trace.dropped, 0);
    EXPECT_EQ(trace.records.back().start_ns, std::int64_t{kLaunches});
  }
  EXPECT_THAT(log(), Not(testing::Contains(HasSubstr("buffer"))));
}

TEST_F(CuptiTracer, ABufferThatCannotBeKeptCountsAsLost) {
  ASSERT_TRUE(tracer.attach());
  for (const bool out : {true, false}) {
    tracer.start();
    fake.call(211, 100, 200);
    queue_memory.out = out;  // stop() makes CUPTI return the buffer to the queue
    const DeviceTrace trace = tracer.stop();
    queue_memory.out = false;
    EXPECT_THAT(trace.records, SizeIs(out ? 0 : 1));
    EXPECT_EQ(trace.lost_buffers, out ? 1 : 0);
    EXPECT_EQ(trace.dropped, 0);
  }
}

TEST_F(CuptiTracer, ARefusedClockIsMappedToTheHosts) {
  set_mode("no_clock");
  ASSERT_TRUE(tracer.attach()) << tracer.missing();
  const std::uint64_t before = monotonic_ns();
  tracer.start();
  fake.call(211, before, before + 1000);
  const DeviceTrace trace = tracer.stop();
  ASSERT_THAT(trace.records, SizeIs(1));
  EXPECT_GT(trace.clock_error_ns, 0);
  const std::int64_t off = trace.records[0].start_ns - static_cast<std::int64_t>(before);
  // CUPTI's clock is compared with the host's when tracing starts and when it stops. Each
  // comparison has an error. The recorded call began before tracing started, so its time is
  // extrapolated, and its error is larger.
  EXPECT_LE(std::abs(off), 10 * trace.clock_error_ns + 1000);
}

TEST_F(CuptiTracer, AnOlderLibraryIsUsedWithWhatItHas) {
  const Library library(FAKE_CUPTI);
  ASSERT_EQ(library.missing(), "");
  Functions older = library.functions();
  older.subscribe_with_params = nullptr;
  older.enable_runtime_call = nullptr;
  older.enable_driver_call = nullptr;
  older.enable_all_syncs = nullptr;
  older.register_clock = nullptr;
  std::optional<Session> session(std::in_place, older);
  EXPECT_EQ(session->missing(), "");
  EXPECT_FALSE(session->is_on_host_clock());
  EXPECT_THAT(
      log(),
      ElementsAre("cuptiGetVersion", "cuptiSubscribe", "cuptiSetThreadIdType 1",
                  "cuptiActivitySetAttribute 5 1", "cuptiActivityRegisterCallbacks",
                  "cuptiActivityEnable 10", "cuptiActivityEnable 1", "cuptiActivityEnable 22",
                  "cuptiActivityEnable 2", "cuptiActivityEnable 5", "cuptiActivityEnable 39",
                  "cuptiActivityEnable 38", "cuptiActivityEnable 17", "cuptiActivityEnable 4"));
  session.reset();
  EXPECT_THAT(log(), testing::Contains("cuptiActivityDisable 4"));
}

TEST_F(CuptiTracer, ASessionThatFailsToBeginIsEndedAndLeavesRoomForAnother) {
  const Library library(FAKE_CUPTI);
  Functions failing = library.functions();
  failing.enable_all_syncs = [](std::uint8_t) -> CUptiResult { throw std::bad_alloc(); };
  EXPECT_THROW(Session{failing}, std::bad_alloc);
  const std::vector<std::string> calls = log();
  ASSERT_THAT(calls, SizeIs(testing::Gt(2)));
  EXPECT_THAT(calls, testing::Contains("cuptiActivityDisable 17"));
  EXPECT_EQ(calls.back(), "cuptiUnsubscribe");
  EXPECT_EQ(Session(library.functions()).missing(), "");
}

TEST_F(CuptiTracer, AStageWithoutReportsGetsAKernelOfTheFakesOwn) {
  ASSERT_TRUE(tracer.attach());
  tracer.start();
  const auto before = static_cast<std::int64_t>(monotonic_ns());
  tracer.push(5);
  tracer.pop();
  const DeviceTrace trace = tracer.stop();
  ASSERT_THAT(trace.records, SizeIs(2));
  EXPECT_EQ(trace.records[0].name, "cudaLaunchKernel");
  EXPECT_EQ(trace.records[1].name, "fake_cupti_work(float*, int)");
  EXPECT_EQ(trace.records[1].external_id, 5u);
  EXPECT_LE(before, trace.records[0].start_ns);
  EXPECT_LE(trace.records[0].start_ns, trace.records[1].start_ns);
  EXPECT_LT(trace.records[1].start_ns, trace.records[1].end_ns);
}

TEST_F(CuptiTracer, ThatIsTakenNamesTheHolder) {
  set_mode("taken");
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(tracer.missing(), std::string("CUPTI is in use by Nsight Systems") + kEvents);
  EXPECT_THAT(log(), ElementsAre("cuptiGetVersion", "cuptiSubscribe_v2 normbench"));
}

TEST_F(CuptiTracer, ThatIsTakenByNobodyKnown) {
  set_mode("taken_unnamed");
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(tracer.missing(), std::string("CUPTI is in use by another tool") + kEvents);
}

TEST_F(CuptiTracer, ThatCannotBeUsedSaysWhy) {
  set_mode("unusable");
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(tracer.missing(),
            std::string("CUPTI cannot record (cuptiSubscribe: CUPTI_ERROR_UNKNOWN, no driver or no "
                        "device)") +
                kEvents);
  EXPECT_THAT(log(), ElementsAre("cuptiGetVersion", "cuptiSubscribe_v2 normbench"));
}

TEST_F(CuptiTracer, DoesNotTryAgain) {
  set_mode("unusable");
  EXPECT_FALSE(tracer.attach());
  const std::string why = tracer.missing();
  set_mode("works");
  log();
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(tracer.missing(), why);
  EXPECT_THAT(log(), IsEmpty());
}

TEST_F(CuptiTracer, ThatIsTooOldSaysSo) {
  set_mode("old");
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(tracer.missing(),
            std::string("CUPTI is too old (version 18; CUDA 12's is 19)") + kEvents);
  EXPECT_THAT(log(), ElementsAre("cuptiGetVersion"));
}

TEST_F(CuptiTracer, ThatCannotSayItsVersionIsNotCalledOld) {
  set_mode("no_version");
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(
      tracer.missing(),
      std::string("CUPTI cannot record (cuptiGetVersion: CUPTI_ERROR_UNKNOWN, no driver or no "
                  "device)") +
          kEvents);
  EXPECT_THAT(log(), ElementsAre("cuptiGetVersion"));
}

TEST_F(CuptiTracer, ThatMayNotUndoesWhatItEnabled) {
  set_mode("forbidden");
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(tracer.missing(),
            std::string("CUPTI cannot record (cuptiActivityEnable(2): "
                        "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, this user lacks the permission)") +
                kEvents);
  const std::vector<std::string> calls = log();
  EXPECT_THAT(
      std::vector<std::string>(calls.end() - 6, calls.end()),
      ElementsAre("cuptiActivityEnable 2", "cuptiActivityDisable 10", "cuptiActivityDisable 1",
                  "cuptiActivityDisable 22", "cuptiActivityFlushAll 1", "cuptiUnsubscribe"));
}

TEST_F(CuptiTracer, ThatFailsLaterSaysSo) {
  ASSERT_TRUE(tracer.attach());
  tracer.start();
  set_mode("no_flush");
  tracer.stop();
  EXPECT_EQ(tracer.missing(),
            "CUPTI did not deliver its records (cuptiActivityFlushAll: CUPTI_ERROR_UNKNOWN)");
  set_mode("works");
}

TEST(CuptiLibrary, ThatIsNowhereSaysWhereItWasLookedFor) {
  Tracer tracer("", kNowhere);
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(tracer.missing(),
            std::string("CUPTI not found (no libcupti_of_nobody.so on the loader's path or in "
                        "/nowhere/lib)") +
                kEvents);
}

TEST(CuptiLibrary, ThatWasAskedForAndIsNotThereIsNamed) {
  Tracer tracer("/nowhere/libcupti.so.13", kNowhere);
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(tracer.missing(),
            std::string("CUPTI not found (/nowhere/libcupti.so.13: cannot open shared object file: "
                        "No such file or directory; no libcupti_of_nobody.so on the loader's path "
                        "or in /nowhere/lib)") +
                kEvents);
}

TEST(CuptiLibrary, ThatWasAskedForAndIsNotThereGivesWayToTheUsual) {
  const std::string path = FAKE_CUPTI;
  const std::size_t slash = path.find_last_of('/');
  Tracer tracer("/nowhere/libcupti.so.13",
                {.names = {path.substr(slash + 1)}, .directories = {path.substr(0, slash)}});
  EXPECT_TRUE(tracer.attach()) << tracer.missing();
}

TEST(CuptiLibrary, ThatIsNoCuptiSaysWhatItLacks) {
  EXPECT_EQ(Library("libc.so.6").missing(), "CUPTI not usable (libc.so.6 lacks cuptiGetVersion)");
}

/// Sets an environment variable during the lifetime of the object.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Hides the CUPTI libraries of this machine. For this, it sets the variables that usual_places()
/// reads, so that they lead to no Python environment and to no CUDA Toolkit.
class CuptiPlaces : public testing::Test {
 private:
  Variable path_{"PATH", "/nowhere/bin"}, venv_{"VIRTUAL_ENV", ""}, conda_{"CONDA_PREFIX", ""};
  Variable home_{"CUDA_HOME", ""}, toolkit_{"CUDA_PATH", ""};
};

TEST_F(CuptiPlaces, AreBelowTheToolkitsThatAreNamed) {
  const Variable home("CUDA_HOME", "/opt/cuda");
  const Variable path("CUDA_PATH", "/opt/cuda-12");
  EXPECT_EQ(usual_places().names, library_names(CUDA_VERSION / 1000));
  EXPECT_THAT(usual_places().directories,
              ElementsAre("/opt/cuda/extras/CUPTI/lib64", "/opt/cuda/lib64",
                          "/opt/cuda-12/extras/CUPTI/lib64", "/opt/cuda-12/lib64"));
}

TEST_F(CuptiPlaces, AreInTheUsualToolkitElse) {
  EXPECT_THAT(usual_places().directories,
              ElementsAre("/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64"));
}

TEST_F(CuptiPlaces, HaveTheLibraryOfThisBuildsCudaFirst) {
  EXPECT_THAT(library_names(13), ElementsAre("libcupti.so.13", "libcupti.so.12", "libcupti.so"));
  EXPECT_THAT(library_names(12), ElementsAre("libcupti.so.12", "libcupti.so.13", "libcupti.so"));
  EXPECT_THAT(library_names(14),
              ElementsAre("libcupti.so.14", "libcupti.so.13", "libcupti.so.12", "libcupti.so"));
}

/// Makes folders with copies of the fake CUPTI library. The dynamic loader finds the copies only by
/// their paths, not by their names.
class GpuDayCupti : public CuptiPlaces {
 protected:
  GpuDayCupti() { std::filesystem::create_directories(folder_); }
  ~GpuDayCupti() override {
    unsetenv("FAKE_CUPTI_MODE");
    std::filesystem::remove_all(folder_);
  }

  std::string path(const std::string& below) const { return folder_ + "/" + below; }
  /// Installs a copy of the fake library in this folder. Returns the folder's path.
  std::string install(const std::string& below,
                      const std::string& name = "libcupti_of_test.so") const {
    std::filesystem::create_directories(path(below));
    std::filesystem::copy_file(FAKE_CUPTI, path(below + "/" + name));
    return path(below);
  }
  static std::string log_of(const std::string& folder,
                            const std::string& name = "libcupti_of_test.so") {
    const FakeCupti fake = FakeCupti::find((folder + "/" + name).c_str());
    return fake.log == nullptr ? "not loaded" : fake.log();
  }

 private:
  const std::string folder_ = testing::TempDir() + std::to_string(getpid()) +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(GpuDayCupti, ThatRefusesGivesWayToTheNext) {
  const std::string first = install("first"), second = install("second");
  for (const char* const mode : {"too_new@/first/", "taken@/first/", "old@/first/"}) {
    const Variable asked("FAKE_CUPTI_MODE", mode);
    Tracer tracer("", {.names = {"libcupti_of_test.so"}, .directories = {first, second}});
    EXPECT_TRUE(tracer.attach()) << mode << ": " << tracer.missing();
    EXPECT_EQ(tracer.missing(), "");
    tracer.start();
    FakeCupti::find((second + "/libcupti_of_test.so").c_str()).call(211, 100, 200);
    EXPECT_THAT(tracer.stop().records, SizeIs(1));
  }
}

TEST_F(GpuDayCupti, OfTheBestNameIsTakenWhereverItLies) {
  const std::string first = install("first", "libcupti_of_others.so"), second = install("second");
  Tracer tracer("", {.names = {"libcupti_of_test.so", "libcupti_of_others.so"},
                     .directories = {first, second}});
  EXPECT_TRUE(tracer.attach()) << tracer.missing();
  EXPECT_EQ(log_of(first, "libcupti_of_others.so"), "not loaded");
  EXPECT_THAT(log_of(second), HasSubstr("cuptiSubscribe_v2"));
}

TEST_F(GpuDayCupti, ThatAllRefuseSaysItOnce) {
  const std::string first = install("first"), second = install("second");
  const Places both{.names = {"libcupti_of_test.so"}, .directories = {first, second}};
  setenv("FAKE_CUPTI_MODE", "taken", 1);
  Tracer taken("", both);
  EXPECT_FALSE(taken.attach());
  EXPECT_EQ(taken.missing(), std::string("CUPTI is in use by Nsight Systems") + kEvents);
  EXPECT_THAT(log_of(second), HasSubstr("cuptiSubscribe_v2"));
}

TEST_F(GpuDayCupti, ThatRefuseForReasonsOfTheirOwnAreNamed) {
  const std::string first = install("first"), second = install("second");
  setenv("FAKE_CUPTI_MODE", "too_new@/first/", 1);
  Tracer holder(second + "/libcupti_of_test.so", kNowhere);
  ASSERT_TRUE(holder.attach());
  Tracer tracer(first + "/libcupti_of_test.so", {.names = {"nobody.so"}, .directories = {}});
  EXPECT_FALSE(tracer.attach());
  EXPECT_EQ(tracer.missing(),
            std::string("CUPTI cannot record (cuptiSubscribe: CUPTI_ERROR_NOT_INITIALIZED, no "
                        "driver, or one older than the library)") +
                kEvents);
  Tracer both(first + "/libcupti_of_test.so",
              {.names = {second + "/libcupti_of_test.so"}, .directories = {}});
  EXPECT_FALSE(both.attach());
  EXPECT_EQ(both.missing(),
            "CUPTI cannot record (cuptiSubscribe: CUPTI_ERROR_NOT_INITIALIZED, no driver, or one "
            "older than the library); " +
                second + "/libcupti_of_test.so: CUPTI is in use by another tool" + kEvents);
}

TEST_F(GpuDayCupti, IsTriedOnceUnderAllItsNames) {
  const std::string folder = install("only");
  std::filesystem::create_symlink("libcupti_of_test.so", folder + "/libcupti.so");
  setenv("FAKE_CUPTI_MODE", "too_new", 1);
  Tracer tracer(folder + "/libcupti.so",
                {.names = {"libcupti_of_test.so"}, .directories = {folder}});
  EXPECT_FALSE(tracer.attach());
  const std::string log = log_of(folder);
  EXPECT_EQ(log.find("cuptiSubscribe"), log.rfind("cuptiSubscribe")) << log;
}

TEST_F(GpuDayCupti, IsFoundWherePipPutsIt) {
  const std::string of_13 = install("venv/lib/python3.12/site-packages/nvidia/cu13/lib");
  const std::string of_12 = install("conda/lib/python3.10/site-packages/nvidia/cuda_cupti/lib");
  const std::string system = install("usr/lib/python3/dist-packages/nvidia/cu13/lib");
  const Variable venv("VIRTUAL_ENV", path("venv")), conda("CONDA_PREFIX", path("conda"));
  const Variable folders("PATH", path("venv/bin") + ":" + path("usr/bin") + "::sbin");
  EXPECT_THAT(usual_places().directories,
              ElementsAre("/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64", of_13,
                          of_12, system));
}

TEST_F(GpuDayCupti, OfPipIsLoaded) {
  install("venv/lib/python3.12/site-packages/nvidia/cu13/lib");
  const Variable venv("VIRTUAL_ENV", path("venv"));
  Places places = usual_places();
  places.names = {"libcupti_of_test.so"};
  std::erase_if(places.directories,
                [&](const std::string& at) { return !at.starts_with(path("")); });
  Tracer tracer("", places);
  EXPECT_TRUE(tracer.attach()) << tracer.missing();
}

/// Records two kernels, and returns the size of each record in the buffer, in bytes.
std::vector<std::size_t> kernel_bytes(const Library& library, const FakeCupti& fake) {
  const Session session(library.functions());
  EXPECT_EQ(session.missing(), "");
  process_buffers().keep(true);
  for (const std::uint64_t start : {100, 200}) {
    const FakeCuptiWork work{.start_ns = start, .end_ns = start + 50, .kernel = "_Z4workPfi"};
    fake.work(&work);
  }
  library.functions().flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  FilledQueue filled = process_buffers().take();
  std::vector<std::span<std::uint8_t>> bytes;
  for (Filled& buffer : filled) bytes.push_back(buffer.bytes());
  std::vector<std::size_t> sizes;
  const Walk walk = walk_records(bytes, library.functions());
  for (const RecordBytes record : walk.records)
    sizes.push_back(record.size());
  return sizes;
}

class GpuDayCuptiRecords : public CuptiTracer {};

TEST_F(GpuDayCuptiRecords, OfKernelsAreLongerSinceCuda13) {
  const Library library(FAKE_CUPTI);
  EXPECT_THAT(kernel_bytes(library, fake), ElementsAre(216, 216));
  set_mode("cuda12");
  EXPECT_THAT(kernel_bytes(library, fake), ElementsAre(208, 208));
}

TEST_F(GpuDayCuptiRecords, OfEveryLengthSayTheSame) {
  for (const char* const mode : {"works", "cuda12"}) {
    set_mode(mode);
    Tracer tracer(FAKE_CUPTI, kNowhere);
    ASSERT_TRUE(tracer.attach());
    tracer.start();
    for (const std::uint64_t start : {100, 200, 300}) {
      const FakeCuptiWork work{.start_ns = start,
                               .end_ns = start + 50,
                               .stream = 13,
                               .kernel = "_Z4workPfi",
                               .grid = 8,
                               .graph = 4};
      fake.work(&work);
    }
    const DeviceTrace trace = tracer.stop();
    ASSERT_THAT(trace.records, SizeIs(3)) << mode;
    EXPECT_EQ(trace.dropped, 0) << mode;
    for (const DeviceRecord& record : trace.records) {
      EXPECT_EQ(record.name, "work(float*, int)");
      EXPECT_EQ(record.stream, 13);
      EXPECT_EQ(record.graph, 4);
      EXPECT_EQ(record.launch->grid[0], 8);
    }
  }
}

TEST(CuptiLibrary, ThatWasMadeByNameIsTheTracer) {
  const std::unique_ptr<DeviceTracer> tracer = make_cupti_tracer(FAKE_CUPTI);
  EXPECT_TRUE(tracer->attach()) << tracer->missing();
  EXPECT_EQ(tracer->missing(), "");
}

}  // namespace
}  // namespace normbench::cupti::cupti_tracer_test
