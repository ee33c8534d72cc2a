/// Compares the memory that memory_need() reports for a group with the memory that the group
/// allocates.
#include <algorithm>
#include <deque>
#include <sstream>

#include "measure/device_fixture.h"
#include "plan/memory.h"

namespace normbench::memory_need_test {
namespace {

class MemoryNeedTest : public DeviceTest {
 protected:
  MemoryNeedTest() {
    for (FakeRow& row : fake->rows) row.compute = false;
    for (FakeRow& row : device->rows) row.compute = false;
  }

  int below(int count) { return std::uniform_int_distribution(0, count - 1)(random); }
  bool sometimes() { return below(3) == 0; }

  Source random_source() {
    Source source;
    source.dtype = words(DType{})[static_cast<std::size_t>(below(4))].value;
    source.memory = words(Memory{})[static_cast<std::size_t>(below(8))].value;
    source.shape = {.n = 1 + below(3), .c = 1 + below(3), .h = 1 + below(70), .w = 1 + below(70)};
    if (below(40) == 0) source.shape = {.n = 3, .c = 3, .h = 1000, .w = 1200};
    return source;
  }
  FakeStage cast_at(const Backend* backend) {
    FakeStage stage{.op = Cast{.to = words(DType{})[static_cast<std::size_t>(below(4))].value},
                    .row = below(FakeBackend::row_count),
                    .backend = backend};
    if (sometimes()) stage.output = OutputPolicy::Fresh;
    return stage;
  }
  Case random_case() {
    const Source source = random_source();
    std::vector<FakeStage> stages;
    bool on_host = host_reaches(source.memory);
    if (on_host)
      for (int i = below(3); i > 0; --i) stages.push_back(cast_at(fake));
    if (on_host && (stages.empty() || sometimes())) {
      stages.push_back(on_device(H2d{}, below(FakeDevice::row_count)));
      on_host = false;
    }
    if (!on_host)
      for (int i = below(3); i >= 0; --i) stages.push_back(cast_at(device));
    if (!on_host && sometimes()) stages.push_back(on_device(D2h{}, 0, stages.back().output));
    Case planned = fake_case(*fake, "case", source, stages);
    planned.resident = sometimes();
    planned.near_link = device->node.has_value();
    return planned;
  }
  /// The bytes of live allocations, according to the log lines read so far. `now` is their present
  /// number, and `most` is the largest number so far. Each has one value for the host and one for
  /// the device.
  struct Live {
    Sides now, most;

    void read(const std::vector<std::string>& log) {
      for (const std::string& line : log) {
        std::istringstream text(line);
        std::vector<std::string> said;
        for (std::string word; text >> word;) said.push_back(word);
        if (said[0] != "allocate" && said[0] != "free") continue;
        const Memory memory = *parse_word<Memory>(said[said.size() - 2]);
        std::int64_t& bytes = host_reaches(memory) ? now.host : now.device;
        bytes += (said[0] == "free" ? -1 : 1) * std::stoll(said.back());
        most.host = std::max(most.host, now.host);
        most.device = std::max(most.device, now.device);
      }
    }
  };
};

TEST_F(MemoryNeedTest, IsWhatRandomGroupsTakeAtMost) {
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    plan.measure.cache = sometimes() ? Cache::Hot : Cache::Cold;
    cache_bytes = 1 + below(6'000);
    device->cache = 1 + below(6'000);
    device->node = sometimes() ? std::optional(0) : std::nullopt;
    std::vector<Case> works;
    for (int i = below(4); i >= 0; --i) works.push_back(random_case());
    std::vector<const Case*> cases;
    for (const Case& planned : works) cases.push_back(&planned);
    const MemoryNeed need =
        memory_need(cases, plan.measure.cache, cold_caches(backends, cache_bytes));

    fake->log.clear();
    Live live;
    GroupMemory memory = memory_for(cases);
    live.read(fake->log);
    EXPECT_EQ(live.now, need.kept);
    std::deque<Engine> contenders;
    for (const Case& planned : works)
      contenders.emplace_back(planned, memory, backends, recorder, clock, random);
    fake->log.clear();
    for (int iteration = 0; iteration < 3; ++iteration)
      for (Engine& prepared : contenders) {
        prepared.advance();
        prepared.iterate({.keep_outputs = iteration != 1});
        prepared.drain();
      }
    live.read(fake->log);
    EXPECT_LE(live.most.host, need.total().host);
    EXPECT_LE(live.most.device, need.total().device);
  }
}

TEST_F(MemoryNeedTest, ACaseWithoutMemoryFailsAlone) {
  Group& group = add_group({cast_case("fits", 0), cast_case("does not", 1)});
  fake->rows[0].compute = true;
  fake->rows[1].then = [](const FakeCall&) { throw std::bad_alloc(); };
  const Results results = run_plan();
  ASSERT_EQ(results.groups.size(), 1u);
  EXPECT_EQ(results.groups[0].cases[0].status, Status::Ok);
  EXPECT_EQ(results.groups[0].cases[1].status, Status::Failed);
  // The source takes 128 B, the output 512 B, a gap at most 512 B, and the tables of buffer
  // addresses and offsets 40 B. For each of 2 images, the check takes 8 B * (2 * 120 + 4 * 60). The
  // source and the output have 60 values each, each value has a bound, and four tensors of 60
  // values are temporary.
  EXPECT_EQ(results.groups[0].cases[1].reason,
            "out of memory (it may need 8.87 kB of host memory)");
  EXPECT_EQ(group.cases.size(), 2u);
}

TEST_F(MemoryNeedTest, MoreBytesThanCanBeCountedAreNotThere) {
  EXPECT_EQ(placement_bytes(std::vector<std::size_t>{std::size_t{1} << 50}, std::size_t{1} << 20),
            SIZE_MAX);
  fake->on_allocate = [](Memory, std::size_t bytes) {
    if (bytes == SIZE_MAX) throw std::runtime_error("no such number");
  };
  Case planned = cast_case("huge", 0);
  planned.values[1].desc.shape = {.n = 1, .c = 1, .h = 1 << 30, .w = 1 << 30};
  Case tiny = cast_case("tiny", 0);
  plan.measure.cache = Cache::Cold;
  GroupMemory memory = memory_for({&planned, &tiny});
  try {
    placed(planned, memory);
    FAIL() << "got memory";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "needs 18447 PB of pageable memory: no such number");
  }
}

}  // namespace
}  // namespace normbench::memory_need_test
