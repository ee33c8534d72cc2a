#include "record/recorder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "record/allocations.h"
#include "record/fake_clock.h"
#include "record/thread_name.h"

namespace normbench::recorder_test {
namespace {

using testing::ElementsAre;

/// Returns "start-end name kind depth bytes" for each slice.
std::vector<std::string> lines(const ThreadLog& log) {
  std::vector<std::string> result;
  for (const Slice& slice : log.slices)
    result.push_back(std::to_string(slice.start_ns) + "-" + std::to_string(slice.end_ns) + " " +
                     std::string(slice.name) + " " + std::string(name_of(slice.kind)) + " depth " +
                     std::to_string(slice.depth) + " bytes " + std::to_string(slice.bytes));
  return result;
}

TEST(Recorder, RecordsNestedRangesInTheOrderOfTheirEnds) {
  FakeClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  {
    const Range step(&recorder, RangeKind::Step, "ProfilerStep#0");
    { const Range stage(&recorder, RangeKind::Stage, "sub", 4096); }
    const Range stage(&recorder, RangeKind::Stage, "div");
    const Range part(&recorder, RangeKind::Part, "constants");
  }
  const auto logs = recorder.take();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs[0].tid, gettid());
  EXPECT_EQ(logs[0].name, "record_test");
  EXPECT_THAT(
      lines(logs[0]),
      ElementsAre("2-3 sub stage depth 1 bytes 4096", "5-6 constants part depth 2 bytes 0",
                  "4-7 div stage depth 1 bytes 0", "1-8 ProfilerStep#0 step depth 0 bytes 0"));
  EXPECT_TRUE(recorder.take().empty());
}

TEST(Recorder, KeepsTheNumberOfTheDeviceWorkOfARange) {
  FakeClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  { const Range with(&recorder, RangeKind::Stage, "normalize", 4096, 17); }
  { const Range without(&recorder, RangeKind::Stage, "normalize", 4096); }
  const auto logs = recorder.take();
  EXPECT_EQ(logs.at(0).slices.at(0).external_id, 17u);
  EXPECT_EQ(logs.at(0).slices.at(1).external_id, 0u);
}

TEST(Recorder, RecordsNothingWhileDisabledAndReadsNoClock) {
  FakeClock clock;
  Recorder recorder(clock);
  { const Range range(&recorder, RangeKind::Stage, "sub"); }
  { const Range range(nullptr, RangeKind::Stage, "sub"); }
  EXPECT_TRUE(recorder.take().empty());
  EXPECT_EQ(clock.now_ns(), 1);
}

TEST(Recorder, RangesOpenWhileItIsSwitchedAreLeftOutAndKeepTheDepthRight) {
  FakeClock clock;
  Recorder recorder(clock);
  {
    const Range opened_before(&recorder, RangeKind::Variant, "before");
    recorder.enable(true);
    { const Range inside(&recorder, RangeKind::Stage, "inside"); }
    {
      const Range closed_after(&recorder, RangeKind::Stage, "after");
      recorder.enable(false);
    }
    recorder.enable(true);
    { const Range next(&recorder, RangeKind::Stage, "next"); }
  }
  EXPECT_THAT(lines(recorder.take().at(0)),
              ElementsAre("1-2 inside stage depth 0 bytes 0", "5-6 next stage depth 0 bytes 0"));
}

TEST(Recorder, KeepsALogPerThreadSortedByTid) {
  FakeClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  std::atomic<int> arrived{0};
  const auto work = [&](const char* name) {
    pthread_setname_np(pthread_self(), name);
    const Range outer(&recorder, RangeKind::Stage, "outer");
    ++arrived;
    while (arrived < 4) std::this_thread::yield();  // threads that run at once have different tids
    for (int i = 0; i < 5000; ++i) const Range inner(&recorder, RangeKind::Part, "inner");
  };
  std::vector<std::thread> threads;
  for (const char* name : {"a", "b", "c", "d"}) threads.emplace_back(work, name);
  for (std::thread& thread : threads) thread.join();

  const auto logs = recorder.take();
  std::vector<std::string> names;
  std::vector<std::int64_t> tids;
  for (const ThreadLog& log : logs) {
    names.push_back(log.name);
    tids.push_back(log.tid);
    EXPECT_EQ(log.slices.size(), 5001u);
    EXPECT_EQ(log.slices.front().depth, 1u);
    EXPECT_EQ(log.slices.back().name, "outer");
    EXPECT_TRUE(std::ranges::is_sorted(log.slices, {}, &Slice::end_ns));
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("a", "b", "c", "d"));
  EXPECT_TRUE(std::ranges::is_sorted(tids));
}

TEST(Recorder, RecordersDoNotMix) {
  FakeClock clock;
  Recorder first(clock), second(clock);
  first.enable(true);
  second.enable(true);
  {
    const Range outer(&first, RangeKind::Stage, "first");
    const Range inner(&second, RangeKind::Stage, "second");
  }
  EXPECT_THAT(lines(first.take().at(0)), ElementsAre("1-4 first stage depth 0 bytes 0"));
  EXPECT_THAT(lines(second.take().at(0)), ElementsAre("2-3 second stage depth 0 bytes 0"));
}

TEST(Recorder, ALaterRecorderAtTheSameAddressStartsEmpty) {
  FakeClock clock;
  std::optional<Recorder> recorder;
  for (int i = 0; i < 3; ++i) {
    recorder.emplace(clock);
    recorder->enable(true);
    { const Range range(&*recorder, RangeKind::Stage, "stage"); }
    EXPECT_EQ(recorder->take().at(0).slices.size(), 1u);
  }
}

TEST(Recorder, ARecordedRangeAllocatesNothingAfterTheFirst) {
  FakeClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  { const Range first(&recorder, RangeKind::Stage, "stage"); }
  const auto before = allocations();
  for (int i = 0; i < 1000; ++i) const Range range(&recorder, RangeKind::Stage, "stage");
  EXPECT_EQ(allocations(), before);

  recorder.take();
  const auto after_take = allocations();
  for (int i = 0; i < 1000; ++i) const Range range(&recorder, RangeKind::Stage, "stage");
  EXPECT_EQ(allocations(), after_take);
}

TEST(Recorder, AThreadThatLeavesHandsItsMemoryToTheNext) {
  FakeClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  const auto work = [&](std::string_view name) {
    name_this_thread(name);
    { const Range range(&recorder, RangeKind::Stage, recorder.intern(name)); }
    recorder.leave();
    recorder.leave();  // the second call has no effect
    { const Range range(&recorder, RangeKind::Stage, "after"); }
    recorder.leave();
  };
  std::thread(work, "a").join();
  const auto before = allocated_bytes();
  for (const char* name : {"b", "c", "d"}) std::thread(work, name).join();
  EXPECT_LT(allocated_bytes() - before, 100'000);  // less than the memory of one log

  std::vector<std::string> slices;
  for (const ThreadLog& log : recorder.take())
    for (const Slice& slice : log.slices)
      slices.push_back(fmt::format("{} {}", log.name, slice.name));
  EXPECT_THAT(slices, testing::UnorderedElementsAre("a a", "a after", "b b", "b after", "c c",
                                                    "c after", "d d", "d after"));
  EXPECT_TRUE(recorder.take().empty());
}

TEST(Recorder, MemoryOfThreadsThatEndedGoesToOthersWhenTheLogsAreTaken) {
  FakeClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  const auto record = [&] { const Range range(&recorder, RangeKind::Worker, "share"); };
  std::thread(record).join();
  EXPECT_EQ(recorder.take().size(), 1u);
  const auto before = allocated_bytes();
  std::thread(record).join();
  EXPECT_LT(allocated_bytes() - before, 100'000);  // less than the memory of one log
  EXPECT_EQ(recorder.take().size(), 1u);
}

TEST(Recorder, AsManyRangesAsInWarmUpAllocateNothing) {
  FakeClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  const auto work = [&](int ranges) {
    for (int i = 0; i < ranges; ++i) const Range range(&recorder, RangeKind::Stage, "stage", i);
  };
  work(20'000);
  EXPECT_EQ(recorder.take().at(0).slices.size(), 20'000u);
  const auto before = allocations();
  work(20'000);
  EXPECT_EQ(allocations(), before);

  const auto slices = std::move(recorder.take().at(0).slices);
  ASSERT_EQ(slices.size(), 20'000u);
  for (std::size_t i = 0; i < slices.size(); ++i)
    ASSERT_EQ(slices[i].bytes, static_cast<std::int64_t>(i));
}

TEST(Recorder, InterningAKnownNameAllocatesNothing) {
  FakeClock clock;
  Recorder recorder(clock);
  const std::string name = "a name longer than a small string's buffer";
  recorder.intern(name);
  const auto before = allocations();
  for (int i = 0; i < 100; ++i) recorder.intern(name);
  EXPECT_EQ(allocations(), before);
}

TEST(Recorder, InternedNamesStay) {
  FakeClock clock;
  Recorder recorder(clock);
  std::string text = "a name longer than a small string's buffer";
  const std::string_view name = recorder.intern(text);
  for (int i = 0; i < 1000; ++i) recorder.intern(std::to_string(i));
  EXPECT_EQ(recorder.intern(text).data(), name.data());
  text.assign(text.size(), 'x');
  EXPECT_EQ(name, "a name longer than a small string's buffer");
}

}  // namespace
}  // namespace normbench::recorder_test
