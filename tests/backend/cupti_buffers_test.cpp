#include "backend/cuda/cupti/cupti_buffers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "backend/cupti_fake_records.h"

namespace normbench::cupti::cupti_buffers_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::span<std::uint8_t> all_of(std::uint8_t* data) { return {data, Buffers::bytes}; }

bool is_zeroed(std::uint8_t* data) {
  return std::ranges::count(all_of(data), 0) == std::ptrdiff_t{Buffers::bytes};
}

TEST(CuptiBuffers, AreAlignedAndZeroed) {
  Buffers buffers;
  buffers.prepare(1);
  for (int i = 0; i < 2; ++i) {  // a prepared buffer, then one made on demand
    std::uint8_t* const data = buffers.lend();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 8, 0u);
    EXPECT_TRUE(is_zeroed(data));
  }
}

TEST(CuptiBuffers, ComeBackInOrderWithWhatIsInThem) {
  Buffers buffers;
  buffers.keep(true);
  std::uint8_t* const first = buffers.lend();
  std::uint8_t* const second = buffers.lend();
  *second = 2;
  *first = 1;
  buffers.give_back(second, 16);
  buffers.give_back(first, 8);
  FilledQueue filled = buffers.take();
  ASSERT_THAT(filled, SizeIs(2));
  EXPECT_EQ(filled[0].bytes().data(), second);
  EXPECT_THAT(filled[0].bytes(), SizeIs(16));
  EXPECT_EQ(filled[0].bytes()[0], 2);
  EXPECT_EQ(filled[1].bytes().data(), first);
  EXPECT_THAT(filled[1].bytes(), SizeIs(8));
  EXPECT_THAT(buffers.take(), IsEmpty());
}

TEST(CuptiBuffers, MoreBytesThanThereAreCannotBeValid) {
  Buffers buffers;
  buffers.keep(true);
  buffers.give_back(buffers.lend(), Buffers::bytes + 8);
  FilledQueue filled = buffers.take();
  ASSERT_THAT(filled, SizeIs(1));
  EXPECT_THAT(filled[0].bytes(), SizeIs(Buffers::bytes));
}

TEST(CuptiBuffers, AreThrownAwayWhileNothingIsKept) {
  Buffers buffers;
  std::uint8_t* const data = buffers.lend();
  *data = 1;
  buffers.give_back(data, 8);
  EXPECT_THAT(buffers.take(), IsEmpty());
  EXPECT_EQ(buffers.lend(), data);
  EXPECT_EQ(*data, 0);
}

TEST(CuptiBuffers, WhatIsQueuedGoesWhenNothingIsKeptAnyMore) {
  Buffers buffers;
  buffers.keep(true);
  buffers.give_back(buffers.lend(), 8);
  buffers.keep(false);
  EXPECT_THAT(buffers.take(), IsEmpty());
}

TEST(CuptiBuffers, AreZeroedBeforeTheyAreLentAgain) {
  Buffers buffers;
  buffers.keep(true);
  std::uint8_t* const data = buffers.lend();
  std::ranges::fill(all_of(data), std::uint8_t{9});
  buffers.give_back(data, 8);
  buffers.reuse(buffers.take());
  EXPECT_EQ(buffers.lend(), data);
  EXPECT_TRUE(is_zeroed(data));
}

TEST(CuptiBuffers, ThatWereNeverLentAreIgnored) {
  Buffers buffers;
  buffers.keep(true);
  std::uint64_t foreign = 0;
  buffers.give_back(reinterpret_cast<std::uint8_t*>(&foreign), 8);
  EXPECT_THAT(buffers.take(), IsEmpty());
}

TEST(CuptiBuffers, ThatCannotBeQueuedAreCountedAndThrowNothing) {
  ScarceMemory memory;
  Buffers buffers(&memory);
  buffers.keep(true);
  memory.out = true;
  buffers.give_back(buffers.lend(), 8);
  buffers.give_back(buffers.lend(), 8);
  memory.out = false;
  buffers.give_back(buffers.lend(), 16);
  EXPECT_EQ(buffers.take_lost(), 2);
  EXPECT_EQ(buffers.take_lost(), 0);
  EXPECT_THAT(buffers.take(), SizeIs(1));
}

TEST(CuptiBuffers, LentOnesLiveOnWhenTheOthersAreFreed) {
  Buffers buffers;
  buffers.prepare(2);
  std::uint8_t* const data = buffers.lend();
  buffers.release();
  *data = 1;
  buffers.keep(true);
  buffers.give_back(data, 1);
  EXPECT_THAT(buffers.take(), SizeIs(1));
}

TEST(CuptiBuffers, MayBeAskedForByManyThreads) {
  Buffers buffers;
  buffers.keep(true);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 3; ++j) buffers.give_back(buffers.lend(), 8);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(buffers.take(), SizeIs(12));
}

}  // namespace
}  // namespace normbench::cupti::cupti_buffers_test
