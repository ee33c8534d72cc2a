/// Tests how the lanes of a warp, the warps of a block, and the blocks of a grid synchronise, and
/// which memory they may share.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "ptx/run_text.h"

namespace normbench::ptx::blocks_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Instructions that set register `a` to the thread's number, `%rd1` to the address of the thread's
/// 8 bytes in `tile`, and `%rd2` to the address of the 8 bytes of its neighbour, thread a ^ 1.
const std::string places =
    "mov.u32 a, %tid.x;\nshl.b32 b, a, 3;\nxor.b32 d, b, 8;\nmov.u32 c, tile;\n"
    "add.u32 %rd1, c, b;\nadd.u32 %rd2, c, d;\n";

TEST(GpuDayPtxBlocks, LanesOfLoopsOfDifferentLengthsMeetAgain) {
  const Numbers found =
      run("mov.u32 a, %laneid;\nmov.u32 d, 0;\nmov.u32 b, 0;\n$top:\nsetp.ge.u32 %p1, b, a;\n"
          "@%p1 bra $end;\nadd.u32 b, b, 1;\nadd.u32 d, d, b;\nbra.uni $top;\n$end:\n"
          "shfl.sync.bfly.b32 c|%p2, d, 1, 31, -1;\nmul.wide.u32 b, a, 8;\nadd.s64 b, b, %rd0;\n"
          "st.u64 [b], c;",
          Numbers(32), {.block = {32}});
  for (std::uint64_t i = 0; i < 32; ++i) EXPECT_EQ(found[i], (i ^ 1) * ((i ^ 1) + 1) / 2);
}

TEST(GpuDayPtxBlocks, LanesWaitForThoseWhoseCodeStandsBehind) {
  for (const char* meeting : {"shfl.sync.idx.b32 d, c, 3, 31, -1;", "bar.sync 0;\nmov.u32 d, 8;"})
    EXPECT_EQ(run(fmt::format("mov.u32 a, %tid.x;\nsetp.eq.u32 %p1, a, 3;\nmov.u32 c, 7;\n"
                              "@%p1 bra $behind;\n$back:\n{}\nsetp.ne.u32 %p2, a, 0;\n@%p2 ret;\n"
                              "st.u64 [%rd0], d;\nret;\n$behind:\nadd.u32 c, c, 1;\nbra.uni $back;",
                              meeting),
                  {0}, {.block = {32}}),
              Numbers{8});
}

TEST(GpuDayPtxBlocks, ShufflesWantAllLanesThatTheyName) {
  const auto by_half = [](const char* members) {  // only the first 16 lanes execute the shuffle
    return fault_of(
        fmt::format("mov.u32 a, %tid.x;\nsetp.gt.u32 %p1, a, 15;\n@%p1 bra $end;\n"
                    "shfl.sync.bfly.b32 d, a, 1, 31, {};\n$end:",
                    members));
  };
  EXPECT_EQ(by_half("0xFFFF"), "");
  EXPECT_EQ(by_half("-1"),
            "test, block (0, 0, 0), thread (0, 0, 0): shfl.sync.bfly.b32 d, a, 1, "
            "31, -1: not all lanes that it names come to it");
  EXPECT_THAT(fault_of("bar.warp.sync 1;"), HasSubstr("not all lanes of the warp come to it"));
}

TEST(GpuDayPtxBlocks, BarriersOrderSharedMemory) {
  const auto neighbours = [](const std::string& between) {
    return run(places + "st.shared.u64 [%rd1], a;\n" + between +
                   "ld.shared.u64 d, [%rd2];\ncvt.u64.u32 b, b;\nadd.s64 b, b, %rd0;\n"
                   "st.u64 [b], d;",
               Numbers(64), {.block = {64}});
  };
  const Numbers found = neighbours("bar.sync 0;\n");
  for (std::uint64_t i = 0; i < 64; ++i) EXPECT_EQ(found[i], i ^ 1);
  EXPECT_EQ(neighbours("bar.warp.sync -1;\n"), found);
  EXPECT_THROW(neighbours(""), Fault);
  // A shuffle does not order accesses to memory.
  EXPECT_THROW(neighbours("shfl.sync.bfly.b32 c, a, 1, 31, -1;\n"), Fault);
}

TEST(GpuDayPtxBlocks, BarriersAreForAllThreadsAtOnePlace) {
  const auto unless = [](const char* condition, const std::string& otherwise) {
    return fault_of(fmt::format("mov.u32 a, %tid.x;\nsetp.{} %p1, a, 40;\n@%p1 bra $other;\n"
                                "bar.sync 0;\nret;\n$other:\n{}\n",
                                condition, otherwise),
                    {.block = {96}});
  };
  const std::string missed = ": bar.sync 0: the thread does not come to it, others wait";
  EXPECT_EQ(unless("eq.u32", ""), "test, block (0, 0, 0), thread (40, 0, 0)" + missed);
  EXPECT_EQ(unless("gt.u32", ""), "test, block (0, 0, 0), thread (41, 0, 0)" + missed);
  EXPECT_THAT(unless("gt.u32", "bar.sync 0;"), HasSubstr(missed));
}

TEST(GpuDayPtxBlocks, EveryArrayInSharedMemoryEndsWhereItEnds) {
  const auto store = [](const char* to, Launch launch = {.block = {1}}) {
    return fault_of(fmt::format("st.shared.u64 [{}], 1;", to), launch);
  };
  for (const char* inside : {"tile", "tile+504", "other"}) EXPECT_EQ(store(inside), "") << inside;
  EXPECT_THAT(store("tile+512"), HasSubstr("past the end: byte 512 of shared 512"));
  EXPECT_THAT(store("tile+-8"), HasSubstr("past the end"));
  EXPECT_THAT(store("other+8"), HasSubstr("past the end: byte 8 of shared 8"));
  EXPECT_THAT(store("asked"), HasSubstr("past the end: byte 0 of shared 0"));
  EXPECT_EQ(store("asked+16", {.block = {1}, .shared_bytes = 24}), "");
  EXPECT_THAT(store("asked+24", {.block = {1}, .shared_bytes = 24}),
              HasSubstr("past the end: byte 24 of shared 24"));
  EXPECT_THAT(store("tile+4"), HasSubstr("misaligned: 4 past a multiple of 8"));
  EXPECT_EQ(fault_of("mov.u32 a, tile;\nsub.u32 a, a, 8;\nst.shared.u64 [a+8], a;", {.block = {1}}),
            "");
}

TEST(GpuDayPtxBlocks, GenericAddressesReachSharedMemory) {
  EXPECT_EQ(run("mov.u64 a, other;\ncvta.shared.u64 b, a;\nst.u64 [b], 5;\nld.shared.u64 c, [a];\n"
                "cvta.to.shared.u64 b, b;\nsub.s64 b, b, a;\nadd.s64 c, c, b;\nst.u64 [%rd0], c;",
                {0}),
            Numbers{5});
  EXPECT_THAT(fault_of("mov.u64 a, other;\nst.u64 [a], 5;"), HasSubstr("outside every allocation"));
}

TEST(GpuDayPtxBlocks, SharedMemoryIsWrittenBeforeItIsReadInEveryBlock) {
  EXPECT_THAT(fault_of("mov.u32 a, %ctaid.x;\nsetp.eq.u32 %p1, a, 0;\n"
                       "@%p1 st.shared.v2.u32 [tile], {a, a};\nld.shared.v2.u32 {b, c}, [tile];",
                       {.grid = {2}, .block = {1}}),
              AllOf(HasSubstr("block (1, 0, 0), thread (0, 0, 0): ld.shared.v2.u32"),
                    HasSubstr("read before it is written: byte 0 of shared 512")));
}

TEST(GpuDayPtxBlocks, RacesOfABlockAreSeenInAnyOrder) {
  const auto run_block = [](const std::string& body, unsigned threads = 64) {
    return fault_of(places + "st.shared.u64 [%rd1], a;\nbar.sync 0;\n" + body,
                    {.block = {threads}});
  };
  const std::string read = "ld.shared.u64 c, [%rd2];\n", write = "st.shared.u64 [%rd1], a;\n",
                    barrier = "bar.sync 0;\n", warp_barrier = "bar.warp.sync -1;\n";
  EXPECT_EQ(run_block(read + barrier + write), "");
  EXPECT_EQ(run_block(read + warp_barrier + write), "");
  EXPECT_EQ(run_block(read + warp_barrier + "ld.shared.u64 c, [%rd1];\n" + write), "");
  EXPECT_EQ(run_block("ld.shared.u64 c, [tile];\n"), "");
  EXPECT_THAT(run_block(read + write),
              HasSubstr("thread (0, 0, 0): st.shared.u64 [%rd1], a: race with block (0, 0, 0), "
                        "thread (1, 0, 0), which reads the same byte: byte 0 of shared 512"));
  EXPECT_THAT(run_block(write + read),
              HasSubstr("thread (0, 0, 0): ld.shared.u64 c, [%rd2]: race with block (0, 0, 0), "
                        "thread (1, 0, 0), which writes the same byte: byte 8 of shared 512"));
  EXPECT_THAT(run_block("st.shared.u8 [tile+70], a;\n", 2),
              HasSubstr("thread (1, 0, 0): st.shared.u8 [tile+70], a: race with block (0, 0, 0), "
                        "thread (0, 0, 0), which writes the same byte: byte 70 of shared 512"));
  // If a thread writes a byte that several threads have read, the message names a reader whose read
  // is not ordered before the write.
  const std::string by_first = "setp.eq.u32 %p1, a, 0;\n@%p1 st.shared.u64 [tile], a;\n",
                    by_second_warp =
                        "setp.gt.u32 %p2, a, 31;\n@%p2 ld.shared.u64 d, [tile];\n" + barrier;
  const std::string all_read = "ld.shared.u64 c, [tile];\n";
  EXPECT_THAT(run_block(all_read + by_first), HasSubstr("race with block (0, 0, 0), thread (31, "));
  EXPECT_THAT(run_block(all_read + warp_barrier +
                        "setp.eq.u32 %p1, a, 40;\n"
                        "@%p1 st.shared.u64 [tile], a;\n"),
              HasSubstr("thread (40, 0, 0): @%p1 st.shared.u64 [tile], a: race with block "
                        "(0, 0, 0), thread (0, 0, 0), which reads"));
  EXPECT_EQ(run_block(by_second_warp + by_first), "");
}

TEST(GpuDayPtxBlocks, BarriersOrderGlobalMemoryOfABlockAlone) {
  const auto run_blocks = [](const char* between, unsigned blocks, unsigned threads) {
    return fault_of(fmt::format("mov.u32 a, %tid.x;\nmov.u32 b, %ctaid.x;\nadd.u32 a, a, b;\n"
                                "setp.eq.u32 %p1, a, 0;\n@%p1 st.global.u64 [%rd0], a;\n{}\n"
                                "ld.global.u64 c, [%rd0];",
                                between),
                    {.grid = {blocks}, .block = {threads}});
  };
  EXPECT_EQ(run_blocks("bar.sync 0;", 1, 64), "");
  EXPECT_THAT(run_blocks("", 1, 64),
              HasSubstr("thread (1, 0, 0): ld.global.u64 c, [%rd0]: race with block (0, 0, 0), "
                        "thread (0, 0, 0), which writes the same byte: byte 0 of pinned 32"));
  EXPECT_THAT(run_blocks("bar.sync 0;", 2, 1),
              HasSubstr("block (1, 0, 0), thread (0, 0, 0): ld.global.u64 c, [%rd0]: race with "
                        "block (0, 0, 0), thread (0, 0, 0), which writes the same byte"));
}

TEST(GpuDayPtxBlocks, RacesOfBlocksAreSeenInAnyOrder) {
  const auto run_two = [](const std::string& body) {  // b is the address of element %ctaid
    return fault_of("mov.u32 a, %ctaid.x;\nmul.wide.u32 b, a, 8;\nadd.s64 b, b, %rd0;\n" + body,
                    {.grid = {2}});
  };
  EXPECT_EQ(run_two("ld.u64 c, [b];\nst.u64 [b], c;"), "");
  EXPECT_EQ(run_two("ld.u64 c, [%rd0];"), "");
  const std::string race = "race with block (0, 0, 0), thread (0, 0, 0), which ";
  EXPECT_THAT(run_two("st.u64 [%rd0], a;"), HasSubstr(race + "writes"));
  EXPECT_THAT(run_two("st.u64 [b], a;\nld.u64 c, [%rd0];"), HasSubstr(race + "writes"));
  EXPECT_THAT(run_two("ld.u64 c, [%rd0+8];\nst.u64 [b], a;"), HasSubstr(race + "reads"));
}

}  // namespace
}  // namespace normbench::ptx::blocks_test
