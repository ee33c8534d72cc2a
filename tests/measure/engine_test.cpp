#include "measure/engine.h"

#include <cstring>

#include "measure/run_fixture.h"

namespace normbench::prepared_case_test {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t mib = 1 << 20;

struct ContenderTest : RunTest {
  GroupMemory memory_for(const std::vector<const Case*>& cases) {
    return GroupMemory(cases, plan.measure, backends, cache_bytes);
  }
  Engine placed(const Case& planned, GroupMemory& memory) {
    return Engine(planned, memory, backends, recorder, clock, random);
  }
  /// Runs one iteration and returns its log.
  std::vector<std::string> log_of_iteration(Engine& prepared) {
    fake->log.clear();
    prepared.advance();
    prepared.iterate({});
    return fake->log;
  }
  static Source bytes_source(std::int64_t bytes) {
    Source source;
    source.shape = {.n = 1, .c = 1, .h = 1, .w = bytes};
    return source;
  }

  std::mt19937_64 random{1};
};

TEST_F(ContenderTest, AllocatesLargeFreshOutputsJustInTimeAndFreesThemEarly) {
  for (FakeRow& row : fake->rows) row.compute = false;
  const Case planned = fake_case(*fake, "eager", bytes_source(32 * mib),
                                 {{.op = Stream{1, 1}, .row = 0, .output = OutputPolicy::Fresh},
                                  {.op = Stream{1, 2}, .row = 1, .output = OutputPolicy::Fresh},
                                  {.op = Stream{1, 1}, .row = 2, .output = OutputPolicy::InPlace},
                                  {.op = Stream{2, 3}, .row = 5, .output = OutputPolicy::Fresh}});
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  EXPECT_THAT(log_of_iteration(prepared),
              ElementsAre("allocate pageable 33554432", "row 0",                            //
                          "allocate pageable 67108864", "row 1", "free pageable 33554432",  //
                          "row 2",                                                          //
                          "allocate pageable 100663296", "row 5", "free pageable 67108864",
                          "free pageable 100663296"));
}

TEST_F(ContenderTest, RecyclesSmallFreshOutputs) {
  fake->rows[0].compute = false;
  const Case planned = fake_case(*fake, "eager", bytes_source(32 * mib - 1),
                                 {{.op = Stream{}, .output = OutputPolicy::Fresh}});
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  EXPECT_THAT(log_of_iteration(prepared), ElementsAre("row 0"));
}

TEST_F(ContenderTest, KeepsAFreshResultOnlyWhenAsked) {
  fake->rows[0].compute = false;
  const Case planned = fake_case(*fake, "eager", bytes_source(32 * mib),
                                 {{.op = Stream{}, .output = OutputPolicy::Fresh}});
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  fake->log.clear();
  prepared.iterate({.poison = Poison{std::byte{0x55}}, .keep_outputs = true});
  EXPECT_THAT(fake->log, ElementsAre("allocate pageable 33554432", "row 0"));
  EXPECT_EQ(prepared.item().outputs().at(0).data[32 * mib - 1], std::byte{0x55});
}

TEST(Poison, FillsOneOfEqualParts) {
  std::array<std::byte, 12> bytes;
  const Poison all{std::byte{0x55}}, third{std::byte{0x55}, 2, 3};
  EXPECT_EQ(all.of(bytes.data(), bytes.size()).size(), 12u);
  const std::span<std::byte> last = third.of(bytes.data(), bytes.size());
  EXPECT_EQ(last.data() - bytes.data(), 8);
  EXPECT_EQ(last.size(), 4u);
}

TEST_F(ContenderTest, PoisonsOneImageOfWhatIsPlacedAndOfWhatIsFresh) {
  fake->rows[0].compute = false;
  for (const OutputPolicy policy : {OutputPolicy::Reuse, OutputPolicy::Fresh}) {
    const Case planned =
        fake_case(*fake, "one", bytes_source(32 * mib), {{.op = Stream{}, .output = policy}});
    GroupMemory memory = memory_for({&planned});
    Engine prepared = placed(planned, memory);
    const Poison all{std::byte{0x55}}, second{std::byte{0xAA}, 1, 2};
    prepared.item().poison(all);
    prepared.item().poison(second);
    prepared.iterate({.poison = second, .keep_outputs = true});
    const std::byte* const data = prepared.item().outputs().at(0).data;
    EXPECT_NE(data[16 * mib - 1], std::byte{0xAA});
    EXPECT_EQ(data[16 * mib], std::byte{0xAA});
    EXPECT_EQ(data[32 * mib - 1], std::byte{0xAA});
  }
}

TEST_F(ContenderTest, WorksInPlaceOnItsInputsBuffer) {
  std::vector<std::byte*> in, out;
  for (FakeRow& row : fake->rows)
    row.then = [&](const FakeCall& call) {
      in.push_back(call.in[0].data);
      out.push_back(call.out[0].data);
    };
  const Case planned =
      make_case("in place", {{.op = Cast{}},
                             {.op = Sub{.mean = {1}}, .output = OutputPolicy::InPlace},
                             {.op = Div{.std = {2}}, .output = OutputPolicy::InPlace}});
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  prepared.iterate({});
  EXPECT_NE(in[0], out[0]);
  EXPECT_THAT((std::vector{in[1], out[1], in[2], out[2], prepared.item().outputs().at(0).data}),
              Each(out[0]));
}

TEST_F(ContenderTest, GivesScratchMemoryOfItsOwn) {
  View scratch, out;
  fake->rows[5].then = [&](const FakeCall& call) {
    scratch = call.scratch;
    out = call.out[0];
    std::memset(scratch.data, 0, static_cast<std::size_t>(scratch.desc.bytes()));
  };
  const Case planned = cast_case("scratch", 5);
  GroupMemory memory = memory_for({&planned});
  Engine prepared = placed(planned, memory);
  prepared.item().poison({std::byte{0xFF}});
  prepared.iterate({});
  EXPECT_EQ(scratch.desc.bytes(), 1000);
  EXPECT_TRUE(scratch.data + 1000 <= out.data || out.data + out.desc.bytes() <= scratch.data);
}

TEST_F(ContenderTest, RotatesThroughSetsThatContendersShare) {
  plan.measure.cache = Cache::Cold;
  cache_bytes = 1000;
  const Case a = cast_case("a", 0), b = cast_case("b", 1);
  GroupMemory memory = memory_for({&a, &b});
  // There are so many sets of buffers that they exceed three times the cache of 1000 bytes. A set
  // has a source of 120 bytes and an output of 480 bytes, which take 640 bytes in whole cache
  // lines, so there are five sets.
  ASSERT_EQ(memory.sets(Memory::Pageable), 5u);
  std::vector<std::byte*> sources;
  for (FakeRow& row : fake->rows)
    row.then = [&](const FakeCall& call) { sources.push_back(call.in[0].data); };
  Engine first = placed(a, memory), second = placed(b, memory);
  for (int i = 0; i < 5; ++i) {
    Engine& prepared = i % 2 == 0 ? first : second;
    prepared.advance();
    prepared.iterate({});
  }
  for (int i = 1; i < 5; ++i) EXPECT_EQ(sources[i] - sources[0], 128 * i);
}

/// The source and the output have sixty cache lines each, so a set of buffers has 7,680 bytes. A
/// resident case always uses the same set and the same copy of its source, so that they stay in the
/// cache.
TEST_F(ContenderTest, ResidentOnesStayOnOneSetAndOneSource) {
  plan.measure.cache = Cache::Cold;
  cache_bytes = 5000;
  Case rotating = fake_case(*fake, "rotating", bytes_source(3840), {{.op = Stream{1, 1}}});
  Case staying = rotating, tiny = fake_case(*fake, "tiny", bytes_source(64), {{.op = Stream{}}});
  staying.variant = "staying";
  staying.resident = tiny.resident = true;
  GroupMemory memory = memory_for({&rotating, &staying, &tiny});
  // Resident cases do not change the numbers of sets and of source copies. Two sets of 7,680 bytes
  // exceed three times the cache of 5,000 bytes, and so do four source copies of 3,840 bytes.
  EXPECT_EQ(memory.sets(Memory::Pageable), 2u);
  EXPECT_EQ(memory.inputs(rotating).count, 4u);
  EXPECT_EQ(memory.inputs(staying).count, 1u);
  EXPECT_NE(memory.inputs(staying).first, memory.inputs(rotating).first);

  std::vector<std::byte*> in, out;
  fake->rows[0].then = [&](const FakeCall& call) {
    in.push_back(call.in[0].data);
    out.push_back(call.out[0].data);
  };
  Engine moves = placed(rotating, memory), stays = placed(staying, memory);
  for (int i = 0; i < 5; ++i)
    for (Engine* prepared : {&moves, &stays}) {
      prepared->advance();
      prepared->iterate({});
    }
  for (int i = 3; i < 10; i += 2) EXPECT_EQ(std::pair(in[i], out[i]), std::pair(in[1], out[1]));
  EXPECT_EQ(in[1], memory.inputs(staying).first);
  // The rotating case reads its source copies one after another, although the resident case runs in
  // between.
  for (int i = 2; i < 8; i += 2) EXPECT_EQ(in[i] - in[i - 2], 3840);
  EXPECT_EQ(in[8], in[0]);
  EXPECT_NE(out[2], out[0]);
  EXPECT_EQ(out[4], out[0]);
}

TEST_F(ContenderTest, WaitsWhenTheCaseSays) {
  Case planned = make_case("waits", {{.op = Cast{}}, {.op = Sub{.mean = {1}}, .row = 1}});
  GroupMemory memory = memory_for({&planned});
  const auto log_of = [&](Wait wait) {
    planned.wait = wait;
    Engine prepared = placed(planned, memory);
    return log_of_iteration(prepared);
  };
  EXPECT_THAT(log_of(Wait::Turn), ElementsAre("row 0", "row 1"));
  EXPECT_THAT(log_of(Wait::Iteration), ElementsAre("row 0", "row 1", "drain"));
  EXPECT_THAT(log_of(Wait::Stage), ElementsAre("row 0", "drain", "row 1", "drain"));
}

TEST_F(ContenderTest, SharesOneUnchangedSource) {
  plan.measure.cache = Cache::Cold;
  const Case a = cast_case("a", 0), b = cast_case("b", 1);
  fake->log.clear();
  GroupMemory memory = memory_for({&a, &b});
  EXPECT_EQ(fake->log.size(), 2u);  // the allocations of the source and of the arena
  Engine first = placed(a, memory), second = placed(b, memory);
  const SourceCopies copies = memory.inputs(a);
  const std::size_t bytes = copies.stride * copies.count;
  EXPECT_GT(bytes, 3 * static_cast<std::size_t>(cache_bytes));
  std::byte* const data = copies.first;
  const std::vector<std::byte> before(data, data + bytes);
  for (std::size_t i = 0; i < 2 * copies.count; ++i)
    for (Engine* prepared : {&first, &second}) {
      prepared->place(random);
      prepared->advance();
      prepared->item().poison({std::byte{0xFF}});
      prepared->iterate({});
    }
  EXPECT_EQ(std::vector<std::byte>(data, data + bytes), before);
}

}  // namespace
}  // namespace normbench::prepared_case_test
