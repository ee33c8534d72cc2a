#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <vector>

#include "fake_backend.h"
#include "measure/stage_times.h"

namespace normbench::anchor_test {
namespace {

/// A queue with scripted times. For mark i, mark() takes lead_ns[i], and the mark is reached when
/// mark() returns. wait_awake(i) takes tail_ns[i]. wait(i) takes 40 us more, like a host thread
/// that sleeps and is woken.
struct ScriptedQueue final : Queue {
  static constexpr std::int64_t epoch_ns = 123'456'789;  // device's clock minus host's clock

  explicit ScriptedQueue(FakeClock& clock) : Queue(1, nullptr), clock(clock) {
    lead_ns.fill(5'000);
    tail_ns.fill(5'000);
  }
  void drain() override { clock.time_ns += drain_ns; }
  bool is_asynchronous() const override { return true; }
  int mark() override {
    clock.time_ns += lead_ns.at(reached_ns.size() % lead_ns.size());
    reached_ns.push_back(epoch_ns + clock.time_ns);
    return static_cast<int>(reached_ns.size()) - 1;
  }
  void wait(int mark) override {
    wait_awake(mark);
    clock.time_ns += 40'000;
  }
  void wait_awake(int mark) override {
    clock.time_ns += tail_ns.at(static_cast<std::size_t>(mark));
  }
  std::int64_t ns_between(int from, int to) override {
    return reached_ns.at(static_cast<std::size_t>(to)) -
           reached_ns.at(static_cast<std::size_t>(from));
  }
  void reset_marks() override { reached_ns.clear(); }

  FakeClock& clock;
  std::array<std::int64_t, 16> lead_ns, tail_ns;
  std::int64_t drain_ns = 0;
  std::vector<std::int64_t> reached_ns;
};

TEST(Anchor, BelievesTheTightestBracket) {
  FakeClock clock;
  clock.time_ns = 1'000'000;
  ScriptedQueue queue(clock);
  queue.lead_ns[5] = 300;
  queue.tail_ns[5] = 501;
  queue.lead_ns[9] = 10;
  queue.tail_ns[9] = 900;
  queue.mark();  // take_anchor() must forget this mark
  const Anchor anchor = take_anchor(queue, clock);
  const std::int64_t truth_ns = queue.reached_ns.at(0) - ScriptedQueue::epoch_ns;
  EXPECT_EQ(anchor.error_ns, 401);            // half of 300 + 501, rounded up
  EXPECT_EQ(anchor.host_ns - truth_ns, 100);  // middle of the bracket at 400, mark at 300
}

TEST(Anchor, IsOffByItsErrorAtMost) {
  FakeClock clock;
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    ScriptedQueue queue(clock);
    for (auto* times : {&queue.lead_ns, &queue.tail_ns})
      for (std::int64_t& ns : *times) ns = static_cast<std::int64_t>(random() % 20'000);
    const Anchor anchor = take_anchor(queue, clock);
    const std::int64_t truth_ns = queue.reached_ns.at(0) - ScriptedQueue::epoch_ns;
    EXPECT_LE(std::abs(anchor.host_ns - truth_ns), anchor.error_ns);
  }
}

TEST(Anchor, AMarkCostsWhatManyTake) {
  FakeClock clock;
  ScriptedQueue queue(clock);
  queue.lead_ns.fill(250);
  queue.drain_ns = 1'000;
  EXPECT_EQ(mark_cost_ns(queue, clock), 260);
  EXPECT_TRUE(queue.reached_ns.empty());
}

}  // namespace
}  // namespace normbench::anchor_test
