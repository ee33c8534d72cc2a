#include "backend/backend.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backend/kernel_testing.h"

namespace normbench::backend_test {
namespace {

Signature signature_of(const Op& op, const TensorDesc& in) {
  return {.in = {in}, .out = infer(op, std::span(&in, 1))};
}

std::vector<std::int64_t> fewest_of(const Op& op, const TensorDesc& in) {
  const Cost cost = fewest(op, signature_of(op, in));
  return {cost.read_bytes, cost.written_bytes, cost.link_bytes, cost.flops};
}

using testing::ElementsAre;

TEST(Fewest, EveryByteOnce) {
  const TensorDesc u8 = dense(DType::UInt8, Layout::Nchw, {2, 3, 10, 20}, Memory::Pageable);
  const TensorDesc f32 = dense(DType::Float32, Layout::Nchw, {2, 3, 10, 20}, Memory::Pageable);
  EXPECT_THAT(fewest_of(Cast{.to = DType::Float32}, u8), ElementsAre(1200, 4800, 0, 0));
  EXPECT_THAT(fewest_of(Sub{.mean = {1}}, f32), ElementsAre(4800, 4800, 0, 1200));
  EXPECT_THAT(fewest_of(Div{.std = {1}}, f32), ElementsAre(4800, 4800, 0, 1200));
  EXPECT_THAT(fewest_of(Normalize{.mean = {1}, .std = {1}}, u8), ElementsAre(1200, 4800, 0, 2400));
  EXPECT_THAT(fewest_of(Copy{}, u8), ElementsAre(1200, 1200, 0, 0));
  EXPECT_THAT(fewest_of(Stream{.read_parts = 1, .write_parts = 4}, u8),
              ElementsAre(1200, 4800, 0, 0));
  EXPECT_THAT(fewest_of(Stream{.read_parts = 0, .write_parts = 1}, u8), ElementsAre(0, 1200, 0, 0));
  EXPECT_THAT(fewest_of(FirstTouch{}, f32), ElementsAre(0, 2, 0, 0));
}

TEST(Fewest, OnlyTheWindow) {
  const TensorDesc u8 = dense(DType::UInt8, Layout::Nhwc, {2, 3, 10, 20}, Memory::Pageable);
  const Window window{.height = 5, .width = 4, .top = {}, .left = {}};
  EXPECT_THAT(fewest_of(Crop{.window = window}, u8), ElementsAre(120, 120, 0, 0));
  EXPECT_THAT(fewest_of(Normalize{.mean = {1}, .std = {1}, .crop = {window}}, u8),
              ElementsAre(120, 480, 0, 240));
}

TEST(Fewest, WhatSeveralWindowsCoverOnce) {
  const TensorDesc u8 = dense(DType::UInt8, Layout::Nhwc, {2, 3, 10, 20}, Memory::Pageable);
  const Window first{.height = 5, .width = 4, .top = 0, .left = 0};
  const Window other{.height = 5, .width = 4, .top = 0, .left = 2};
  EXPECT_THAT(fewest_of(Normalize{.mean = {1}, .std = {1}, .crop = {first, other}}, u8),
              ElementsAre(180, 960, 0, 480));
}

// Resize halves the height first and then the width. So each of the 2 * 3 * 5 output rows has 20
// intermediate values and 10 output values. Each value takes 4 taps of 2 flops, in all 30 * (20 +
// 10) * 8 = 7200 flops.
TEST(Fewest, ResizeCountsItsTaps) {
  const TensorDesc u8 = dense(DType::UInt8, Layout::Nhwc, {2, 3, 10, 20}, Memory::Pageable);
  EXPECT_THAT(fewest_of(Resize{.height = 5, .width = 10}, u8), ElementsAre(1200, 300, 0, 7200));
}

TEST(Fewest, TransfersUseTheLink) {
  const TensorDesc host = dense(DType::UInt8, Layout::Nchw, {2, 3, 10, 20}, Memory::Pinned);
  EXPECT_THAT(fewest_of(H2d{}, host), ElementsAre(0, 1200, 1200, 0));
  const TensorDesc device = dense(DType::UInt8, Layout::Nchw, {2, 3, 10, 20}, Memory::Device);
  EXPECT_THAT(fewest_of(D2h{}, device), ElementsAre(1200, 0, 1200, 0));
  EXPECT_THAT(fewest_of(Exchange{}, host), ElementsAre(1200, 1200, 2400, 0));
}

TEST(BackendList, PlacesOwnTheirMemory) {
  const Backends backends = make_backends();
  EXPECT_EQ(backends.at(Place::Cpu)->place(), Place::Cpu);
  EXPECT_EQ(backends.at(Place::Cuda)->place(), Place::Cuda);
  EXPECT_EQ(backends.owner(Memory::PageableHuge).place(), Place::Cpu);
  EXPECT_EQ(backends.owner(Memory::Pinned).place(), Place::Cuda);
  EXPECT_EQ(backends.at(Place::Cpu)->unavailable(), std::nullopt);
  EXPECT_EQ(Backends{}.at(Place::Cpu), nullptr);
  EXPECT_THROW(Backends{}.owner(Memory::Pageable), std::runtime_error);
}

TEST(BackendList, ConstantsPerCallAreARangeOfTheirOwn) {
  SystemClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  const auto queue = make_cpu_backend()->make_queue(1, &recorder);
  const TensorDesc in = dense(DType::Float32, Layout::Nchw, {1, 3, 2, 2}, Memory::Pageable);
  Guarded from(in), to(in);
  fill(from.view());
  for (const Constants constants : {Constants::Cached, Constants::PerCall}) {
    const Op op = Div{.std = {2, 4, 8}, .constants = constants};
    const View x = from.view(), y = to.view();
    const Launch run = cpu_row("div", "simd").prepare(op, signature_of(op, in));
    run(*queue, std::span(&x, 1), std::span(&y, 1), {});
    std::vector<std::string> names;
    for (const ThreadLog& thread : recorder.take())
      for (const Slice& slice : thread.slices) names.emplace_back(slice.name);
    EXPECT_EQ(names, constants == Constants::Cached ? std::vector<std::string>{}
                                                    : std::vector<std::string>{"constants"});
  }
}

TEST(CpuMemory, IsAlignedZeroAndRoundedUp) {
  const auto backend = make_cpu_backend();
  for (const auto& [memory, unit] : {std::pair{Memory::Pageable, std::size_t{4096}},
                                     {Memory::PageableHuge, std::size_t{2} << 20}})
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{3} << 20}) {
      const auto pages = backend->allocate(memory, bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages->data()) % unit, 0);
      EXPECT_EQ(pages->bytes(), std::max((bytes + unit - 1) / unit * unit, unit));
      EXPECT_EQ(std::count(pages->data(), pages->data() + pages->bytes(), std::byte{0}),
                static_cast<std::ptrdiff_t>(pages->bytes()));
      pages->data()[pages->bytes() - 1] = std::byte{1};
    }
}

std::string failure_of(Memory memory, std::size_t bytes) {
  try {
    make_cpu_backend()->allocate(memory, bytes);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(CpuMemory, SaysWhyItFails) {
  for (const Memory memory : {Memory::Pageable, Memory::PageableHuge})
    for (const std::size_t bytes : {std::size_t{1} << 62, SIZE_MAX})
      EXPECT_THAT(failure_of(memory, bytes),
                  testing::MatchesRegex("cannot allocate .*: mmap failed: Cannot allocate memory"));
  EXPECT_EQ(failure_of(Memory::Pinned, 1),
            "the CPU cannot allocate pinned memory (known: pageable, pageable_huge)");
}

/// A GPU backend without kernels. describe() and condition() return the given facts.
class SayingGpu final : public Backend {
 public:
  SayingGpu(Json facts, std::optional<std::string> unavailable)
      : facts_(std::move(facts)), unavailable_(std::move(unavailable)) {}

  Place place() const override { return Place::Cuda; }
  std::optional<std::string> unavailable() const override { return unavailable_; }
  std::span<const Kernel> kernels() const override { return {}; }
  std::unique_ptr<Queue> make_queue(int, Recorder*) override { return nullptr; }
  std::unique_ptr<Allocation> allocate(Memory, std::size_t) override { return nullptr; }
  Json describe() override { return facts_; }
  Json condition() override { return facts_; }

 private:
  Json facts_;
  std::optional<std::string> unavailable_;
};

std::optional<std::int64_t> free_on(Json facts, std::optional<std::string> unavailable = {}) {
  Backends backends;
  backends.list.push_back(std::make_unique<SayingGpu>(std::move(facts), std::move(unavailable)));
  return free_device_bytes(backends);
}

TEST(Backends, FreeMemoryIsWhatTheGpuSays) {
  EXPECT_EQ(free_device_bytes(Backends{}), std::nullopt);
  EXPECT_EQ(free_on({{"free_memory_bytes", 60'000'000'000}}), 60'000'000'000);
  EXPECT_EQ(free_on({{"name", "old"}}), std::nullopt);
  EXPECT_EQ(free_on({{"free_memory_bytes", 6}}, "no driver"), std::nullopt);
}

TEST(Backends, EnergyIsWhatTheGpuSays) {
  SayingGpu metered({{"energy_mj", 3'000}}, {}), old(Json(), {}),
      unknown({{"energy_mj", nullptr}}, {});
  EXPECT_EQ(used_energy_mj(metered), 3'000);
  EXPECT_EQ(used_energy_mj(old), std::nullopt);
  EXPECT_EQ(used_energy_mj(unknown), std::nullopt);
}

}  // namespace
}  // namespace normbench::backend_test
