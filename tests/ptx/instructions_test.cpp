/// Tests single instructions against known results, bit by bit. A signed number is sign-extended in
/// its register.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "ptx/run_text.h"

namespace normbench::ptx::instructions_test {
namespace {

using testing::HasSubstr;

/// Runs `instructions` with these values of the registers a, b and c. Returns the register d.
std::uint64_t d_of(const std::string& instructions, Numbers abc, Fusing fusing = Fusing::Yes) {
  abc.resize(4);
  return run("ld.u64 a, [%rd0];\nld.u64 b, [%rd0+8];\nld.u64 c, [%rd0+16];\n" + instructions +
                 ";\nst.u64 [%rd0], d;",
             abc, {}, fusing)
      .at(0);
}

struct Row {
  const char* instructions;
  Numbers in;
  std::uint64_t d;
};

void expect(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    EXPECT_EQ(d_of(row.instructions, row.in), row.d)
        << fmt::format("{} of {::#x}, not {:#x}", row.instructions, row.in, row.d);
}

TEST(GpuDayPtxInstructions, RoundFloats) {
  expect({{"add.f32 d, a, b", {0x3F800000, 0x33000000}, 0x3F800000},
          {"add.rp.f32 d, a, b", {0x3F800000, 0x33000000}, 0x3F800001},
          {"add.rm.f32 d, a, b", {0xBF800000, 0xB3000000}, 0xBF800001},
          {"sub.rz.f32 d, a, b", {0x3F800000, 0x33000000}, 0x3F7FFFFF},
          {"mul.rn.f64 d, a, b", {0x3FF0000000000001, 0x3FF0000000000001}, 0x3FF0000000000002},
          {"div.rn.f32 d, a, b", {0x3F800000, 0x40400000}, 0x3EAAAAAB},
          {"rcp.rn.f32 d, a", {0x40400000}, 0x3EAAAAAB},
          {"rcp.rm.f32 d, a", {0x40400000}, 0x3EAAAAAA},
          {"div.rn.f64 d, a, b", {0x3FF0000000000000, 0x4008000000000000}, 0x3FD5555555555555},
          {"sqrt.rn.f32 d, a", {0x40000000}, 0x3FB504F3},
          {"fma.rn.f32 d, a, b, c", {0x3F800001, 0x3F800001, 0xBF800002}, 0x28800000},
          {"fma.rn.f64 d, a, b, 0dBFF0000000000002",
           {0x3FF0000000000001, 0x3FF0000000000001},
           0x3970000000000000}});
  EXPECT_EQ(d_of("fma.rn.f32 d, a, a, c", {0x3F800001, 0, 0xBF800002}, Fusing::No), 0);
}

TEST(GpuDayPtxInstructions, KeepOrFlushSubnormalsSaturateAndHaveOneNan) {
  expect({{"mul.f32 d, a, 0f3F000000", {0x00800000}, 0x00400000},
          {"mul.ftz.f32 d, a, 0fBF000000", {0x00800000}, 0x80000000},
          {"add.ftz.f32 d, a, b", {0x00000001, 0x80000000}, 0x00000000},
          {"add.sat.f32 d, a, b", {0x3F800000, 0x3F800000}, 0x3F800000},
          {"mul.sat.f32 d, a, b", {0x3F800000, 0xBF800000}, 0x00000000},
          {"add.sat.f32 d, a, b", {0x7FC00000, 0x3F800000}, 0x00000000},
          {"add.f32 d, a, b", {0xFFC00001, 0x3F800000}, 0x7FFFFFFF},
          {"min.f32 d, a, b", {0x7FC00000, 0x3F800000}, 0x3F800000},
          {"max.f32 d, a, b", {0x7FC00000, 0x7FC00000}, 0x7FFFFFFF},
          {"min.f32 d, a, b", {0x00000000, 0x80000000}, 0x80000000},
          {"max.f32 d, a, b", {0x80000000, 0x00000000}, 0x00000000},
          {"neg.f32 d, a", {0x00000000}, 0x80000000},
          {"abs.ftz.f32 d, a", {0x80000001}, 0x00000000}});
}

TEST(GpuDayPtxInstructions, ConvertToHalves) {
  expect({{"cvt.rn.f16.f32 d, a", {0x3F801000}, 0x3C00},  // a tie, rounded to even
          {"cvt.rn.f16.f32 d, a", {0x3F803000}, 0x3C02},
          {"cvt.rz.f16.f32 d, a", {0x3F803000}, 0x3C01},
          {"cvt.rn.f16.f32 d, a", {0x477FEFFF}, 0x7BFF},
          {"cvt.rn.f16.f32 d, a", {0x477FF000}, 0x7C00},
          {"cvt.rz.f16.f32 d, a", {0xFF7FFFFF}, 0xFBFF},
          {"cvt.rp.f16.f32 d, a", {0xFF7FFFFF}, 0xFBFF},
          {"cvt.rm.f16.f32 d, a", {0xFF7FFFFF}, 0xFC00},
          {"cvt.rn.f16.f32 d, a", {0x33000000}, 0x0000},  // half of the smallest f16
          {"cvt.rn.f16.f32 d, a", {0x33000001}, 0x0001},
          {"cvt.rn.f16.f32 d, a", {0x80000000}, 0x8000},
          {"cvt.rn.f16.f32 d, a", {0xFF800001}, 0x7FFF},
          {"cvt.rn.f16.f64 d, a", {0x3FF0020000001000}, 0x3C01},  // if rounded to f32 first: 0x3C00
          {"cvt.rn.bf16.f32 d, a", {0x3F808000}, 0x3F80},
          {"cvt.rn.bf16.f32 d, a", {0x3F818000}, 0x3F82},
          {"cvt.rn.bf16.f32 d, a", {0x7F7FFFFF}, 0x7F80},
          {"cvt.rn.bf16.f32 d, a", {0x00018000}, 0x0002},
          {"cvt.rn.f16x2.f32 d, a, b", {0x3F800000, 0x40000000}, 0x3C004000},
          {"cvt.rn.bf16x2.f32 d, a, b", {0x3F800000, 0xC0000000}, 0x3F80C000},
          {"cvt.f32.f16 d, a", {0x0001}, 0x33800000},
          {"cvt.f32.f16 d, a", {0xFC00}, 0xFF800000},
          {"cvt.f64.f16 d, a", {0x3C01}, 0x3FF0040000000000},
          {"cvt.f32.bf16 d, a", {0x8001}, 0x80010000}});
}

TEST(GpuDayPtxInstructions, ConvertBetweenNumbers) {
  expect({{"cvt.rzi.u32.f32 d, a", {0xBFC00000}, 0},
          {"cvt.rzi.u32.f32 d, a", {0x7FC00000}, 0},
          {"cvt.rzi.u32.f32 d, a", {0x7F800000}, 0xFFFFFFFF},
          {"cvt.rzi.u8.f32 d, a", {0x43960000}, 255},
          {"cvt.rzi.s32.f64 d, a", {0x7FF8000000000000}, 0xFFFFFFFF80000000},
          {"cvt.rzi.s64.f32 d, a", {0x7FC00000}, 0x8000000000000000},
          {"cvt.rni.s32.f32 d, a", {0xC0200000}, static_cast<std::uint64_t>(-2)},
          {"cvt.rpi.s32.f32 d, a", {0x40200000}, 3},
          {"cvt.rni.f32.f32 d, a", {0x40600000}, 0x40800000},
          {"cvt.rmi.f64.f64 d, a", {0xBFE0000000000000}, 0xBFF0000000000000},
          {"cvt.sat.f32.f32 d, a", {0x40000000}, 0x3F800000},
          {"cvt.ftz.f32.f32 d, a", {0x00000001}, 0},
          {"cvt.f64.f32 d, a", {0x00000001}, 0x36A0000000000000},
          {"cvt.rn.f32.f64 d, a", {0x3FF0000010000000}, 0x3F800000},
          {"cvt.rp.f32.f64 d, a", {0x3FF0000010000000}, 0x3F800001},
          {"cvt.rn.f32.u64 d, a", {~0ull}, 0x5F800000},
          {"cvt.rz.f32.u64 d, a", {~0ull}, 0x5F7FFFFF},
          {"cvt.rn.f32.s32 d, a", {0xFEFFFFFF}, 0xCB800000},
          {"cvt.sat.u8.s32 d, a", {0xFFFFFFFB}, 0},
          {"cvt.sat.s8.s32 d, a", {300}, 127},
          {"cvt.u8.u32 d, a", {300}, 44},
          {"cvt.s64.s32 d, a", {0xFFFFFFFF}, ~0ull},
          {"cvt.u64.u32 d, a", {~0ull}, 0xFFFFFFFF}});
}

TEST(GpuDayPtxInstructions, ComputeWithIntegers) {
  expect({{"add.s32 d, a, b", {0xFFFFFFFF, 2}, 1},
          {"mul.lo.s32 d, a, b", {0x10001, 0x10001}, 0x20001},
          {"mul.lo.u16 d, a, b", {0xFFFF, 0xFFFF}, 1},
          {"mul.hi.u64 d, a, b", {~0ull, ~0ull}, ~0ull - 1},
          {"mul.hi.s32 d, a, b", {0xFFFFFFFF, 1}, ~0ull},
          {"mul.wide.s32 d, a, b", {0xFFFFFFFF, 2}, ~0ull - 1},
          {"mul.wide.u32 d, a, b", {0xFFFFFFFF, 0xFFFFFFFF}, 0xFFFFFFFE00000001},
          {"mad.lo.s32 d, a, b, c", {3, 0xFFFFFFFF, 5}, 2},
          {"div.s32 d, a, b", {0xFFFFFFF9, 2}, ~0ull - 2},
          {"div.s64 d, a, b", {1ull << 63, ~0ull}, 1ull << 63},
          {"rem.s32 d, a, b", {0xFFFFFFF9, 2}, ~0ull},
          {"rem.u32 d, a, b", {0xFFFFFFF9, 10}, 9},
          {"abs.s32 d, a", {0xFFFFFFFB}, 5},
          {"neg.s64 d, a", {5}, ~0ull - 4},
          {"min.s16 d, a, b", {0xFFFF, 1}, ~0ull},
          {"max.u16 d, a, b", {0xFFFF, 1}, 0xFFFF}});
}

TEST(GpuDayPtxInstructions, ComputeWithBits) {
  expect({{"shl.b32 d, a, 32", {1}, 0},
          {"shl.b64 d, a, 32", {1}, 1ull << 32},
          {"shr.s32 d, a, 40", {0x80000000}, ~0ull},
          {"shr.u32 d, a, 31", {0x80000000}, 1},
          {"not.b16 d, a", {0xFF}, 0xFF00},
          {"bfe.u32 d, a, 4, 8", {0x12345678}, 0x67},
          {"bfe.s32 d, a, 4, 4", {0xF0}, ~0ull},
          {"bfi.b32 d, a, b, 4, 8", {0x1AB, 0x12345678}, 0x12345AB8},
          {"bfi.b32 d, a, b, 28, 8", {0xAB, 0x12345678}, 0xB2345678},
          {"bfi.b32 d, a, b, 32, 8", {0xAB, 0x12345678}, 0x12345678},
          {"bfi.b64 d, a, b, 0, 64", {5, ~0ull}, 5},
          {"prmt.b32 d, a, b, 0x7531", {0x03020100, 0x07060504}, 0x07050301},
          {"prmt.b32 d, a, b, 0x1198", {0x7F80, 0}, 0x7F7F00FF},
          {"lop3.b32 d, a, b, c, 0x96", {0xF0, 0xCC, 0xAA}, 0x96},
          {"lop3.b32 d, a, b, c, 0xE8", {0xF0, 0xCC, 0xAA}, 0xE8},
          {"shf.l.wrap.b32 d, a, b, 33", {0x80000000, 1}, 3},
          {"mov.b64 {b, c}, a;\nmov.b64 d, {c, b}", {0x0123456789ABCDEF}, 0x89ABCDEF01234567},
          {"mov.b32 d, {a, b}", {0x1234, 0xFF5678}, 0x56781234}});
}

TEST(GpuDayPtxInstructions, Compare) {
  const std::string yes = ";\nselp.b32 d, 1, 0, %p1";
  const auto is = [&](const char* setp, std::uint64_t a, std::uint64_t b) {
    return d_of(std::string("setp.eq.b32 %p3, 0, 0;\nsetp.ne.b32 %p4, 0, 0;\n") + setp + yes,
                {a, b}) == 1;
  };
  const std::uint64_t one = 0x3F800000, nan = 0x7FC00000;
  EXPECT_TRUE(is("setp.lt.s32 %p1, a, b", 0xFFFFFFFF, 1));
  EXPECT_FALSE(is("setp.lo.u32 %p1, a, b", 0xFFFFFFFF, 1));
  EXPECT_TRUE(is("setp.ge.s16 %p1, a, b", 1, 0xFFFF));
  for (const char* ordered : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_FALSE(is(fmt::format("setp.{}.f32 %p1, a, b", ordered).c_str(), one, nan)) << ordered;
  for (const char* unordered : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_TRUE(is(fmt::format("setp.{}.f32 %p1, a, b", unordered).c_str(), nan, one)) << unordered;
  EXPECT_TRUE(is("setp.le.f32 %p1, a, b", one, one));
  EXPECT_TRUE(is("setp.eq.ftz.f32 %p1, a, b", 1, 0));
  EXPECT_FALSE(is("setp.eq.f32 %p1, a, b", 1, 0));
  EXPECT_TRUE(is("setp.eq.or.s32 %p1, a, b, %p3", 1, 2));
  EXPECT_FALSE(is("setp.eq.and.s32 %p1, a, b, %p4", 1, 1));
  EXPECT_TRUE(is("setp.eq.and.s32 %p2|%p1, a, b, %p3", 1, 2));
  EXPECT_TRUE(is("not.pred %p5, %p4;\nxor.pred %p1, %p5, %p4", 0, 0));
  EXPECT_TRUE(is("mov.pred %p1, %p4;\n@!%p4 mov.pred %p1, %p3", 0, 0));
}

TEST(GpuDayPtxInstructions, ThreadsKnowTheirPlacesInThreeDimensions) {
  const Numbers found =
      run("mov.u32 a, %ctaid.z;\nmov.u32 b, %nctaid.y;\nmov.u32 c, %ctaid.y;\n"
          "mad.lo.u32 a, a, b, c;\nmov.u32 b, %nctaid.x;\nmov.u32 c, %ctaid.x;\n"
          "mad.lo.u32 a, a, b, c;\nmov.u32 b, %ntid.z;\nmov.u32 c, %tid.z;\n"
          "mad.lo.u32 a, a, b, c;\nmov.u32 b, %ntid.y;\nmov.u32 c, %tid.y;\n"
          "mad.lo.u32 a, a, b, c;\nmov.u32 b, %ntid.x;\nmov.u32 c, %tid.x;\n"
          "mad.lo.u32 a, a, b, c;\nmul.wide.u32 b, a, 8;\nadd.s64 b, b, %rd0;\n"
          "st.global.u64 [b], a;",
          Numbers(2 * 3 * 4 * 5 * 2 * 3), {.grid = {2, 3, 4}, .block = {5, 2, 3}});
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i);
}

TEST(GpuDayPtxInstructions, WhatIsNotKnownIsNamed) {
  for (const char* name : {"ex2.approx.f32", "add.rn.s32", "add.sat.s32", "cvt.f32.f64",
                           "cvt.rn.satfinite.e4m3x2.f32", "ld.global.v8.u32", "mul.s32", "fma.f16",
                           "setp.lo.f32", "atom.global.add.u32", "min.NaN.f32", "call.uni"})
    EXPECT_THAT(fault_of(fmt::format("{} d, a, b;", name)),
                HasSubstr(fmt::format("unknown instruction {}", name)));
  EXPECT_THAT(fault_of("bar.sync 1, 64;"), HasSubstr("unknown instruction bar.sync 1, 64"));
  EXPECT_THAT(fault_of("mov.u32 d, %clock;"), HasSubstr("unknown operand %clock"));
  EXPECT_THAT(fault_of("div.u32 d, 1, 0;"), HasSubstr("division by zero"));
}

}  // namespace
}  // namespace normbench::ptx::instructions_test
