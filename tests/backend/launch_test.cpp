#include <gmock/gmock.h>
#include <omp.h>

#include <algorithm>

#include "backend/kernel_testing.h"

namespace normbench::launch_test {
namespace {

const TensorDesc desc = dense(DType::UInt8, Layout::Nchw, {2, 3, 5, 7}, Memory::Pageable);

TEST(TeamLaunch, TouchesNothing) {
  for (const int threads : {1, 3})
    for (const std::int64_t count : {1, 100}) {
      Guarded tensor(desc);
      fill(tensor.view());
      const std::vector<std::byte> before = tensor.payload();
      launch(cpu_row("launch", "team"), EmptyLaunch{.count = count}, tensor.view(), tensor.view(),
             threads);
      EXPECT_TRUE(tensor.payload() == before);
      EXPECT_TRUE(tensor.guards_intact());
    }
}

TEST(TeamLaunch, StartsRealTeams) {
  if (omp_get_thread_limit() < 3) GTEST_SKIP() << "OpenMP gives no teams (OMP_THREAD_LIMIT)";
  SystemClock clock;
  Recorder recorder(clock);
  recorder.enable(true);
  const auto queue = make_cpu_backend()->make_queue(3, &recorder);
  queue->stage = "launch";
  const Signature signature{.in = {desc}, .out = {desc}};
  const View view{nullptr, desc};
  cpu_row("launch", "team")
      .prepare(EmptyLaunch{.count = 5}, signature)(*queue, {&view, 1}, {&view, 1}, {});
  std::vector<std::size_t> shares;  // slices of each thread except the caller
  for (const ThreadLog& log : recorder.take())
    if (!log.slices.empty()) shares.push_back(log.slices.size());
  EXPECT_THAT(shares, testing::ElementsAre(5, 5));
}

TEST(TeamLaunch, IsTheOnlyRowOfItsOpAndCostsNoBytes) {
  const auto rows = cpu_rows();
  EXPECT_EQ(std::ranges::count(rows, EmptyLaunch::name, &Kernel::op), 1);
  const Cost cost = cpu_row("launch", "team").cost(EmptyLaunch{}, {.in = {desc}, .out = {desc}});
  EXPECT_EQ(cost.read_bytes + cost.written_bytes + cost.link_bytes + cost.flops, 0);
}

}  // namespace
}  // namespace normbench::launch_test
