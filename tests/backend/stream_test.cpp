#include <gtest/gtest.h>

#include <algorithm>

#include "backend/cpu/simd_targets.h"
#include "backend/kernel_testing.h"

namespace normbench::stream_test {
namespace {

constexpr std::string_view rows[] = {"reference", "temporal", "nt",
                                     "nt_bare",   "nt_line",  "nt_page"};

TensorDesc bytes(std::int64_t count) {
  return dense(DType::UInt8, Layout::Nchw, {1, 1, 1, count}, Memory::Pageable);
}

std::vector<std::byte> streamed(std::string_view row, const Stream& op, const View& in, int shift,
                                int threads) {
  Guarded out(infer(op, std::span(&in.desc, 1))[0], shift);
  launch(cpu_row("stream", row), op, in, out.view(), threads);
  EXPECT_TRUE(out.guards_intact());
  return out.payload();
}

class Streams : public testing::TestWithParam<std::string> {
 protected:
  ForcedSimd forced_{GetParam()};
};

// The input has no byte 0xFF, the poison of Guarded. So a byte 0xFF in the output was not written.
TEST_P(Streams, WriteEveryByteWithAnyTeam) {
  for (const auto& [reads, writes] :
       {std::pair{1, 4}, {1, 2}, {1, 1}, {4, 4}, {3, 5}, {5, 3}, {6, 5}, {0, 1}, {64, 65}})
    for (const std::int64_t size : {1, 63, 64, 65, 4096, 300007}) {
      Guarded in(bytes(size), 1);
      std::ranges::fill(std::span(in.view().data, static_cast<std::size_t>(size)), std::byte{0x5A});
      const Stream op{.read_parts = reads, .write_parts = writes};
      for (const std::string_view row : rows)
        for (const int shift : {0, 1})
          for (const int threads : {1, 3}) {
            const auto written = streamed(row, op, in.view(), shift, threads);
            EXPECT_EQ(std::ranges::count(written, std::byte{0xFF}), 0)
                << row << ", " << size << " bytes, " << reads << ":" << writes << ", " << shift
                << " bytes off a line, " << threads << " threads";
          }
    }
}

// A changed input byte must change the output, because a stream must read every byte.
TEST_P(Streams, ReadEveryVector) {
  for (const auto& [reads, writes] :
       {std::pair{4, 1}, {2, 1}, {5, 3}, {6, 5}, {9, 1}, {1, 1}, {1, 4}, {1, 0}})
    for (const std::int64_t size : {64 * 40, 64 * 3000})  // one block and several blocks
      for (const std::string_view row : std::span(rows).subspan(1)) {
        const Stream op{.read_parts = reads, .write_parts = writes};
        Guarded in(bytes(size));
        fill(in.view());
        const auto before = streamed(row, op, in.view(), 0, 2);
        for (std::int64_t i = 0; i < size; i += 64 * (1 + size / (64 * 100))) {
          in.view().data[i] ^= std::byte{0x40};
          EXPECT_FALSE(before == streamed(row, op, in.view(), 0, 2)) << row << " byte " << i;
          in.view().data[i] ^= std::byte{0x40};
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Streams, testing::ValuesIn(simd_targets()),
                         [](const auto& info) { return info.param; });

TEST(FirstTouchRows, WriteOneBytePerPage) {
  const FirstTouch op;
  for (const std::string_view row : {"reference", "touch"}) {
    Guarded in(bytes(3 * 4096 + 1)), out(bytes(3 * 4096 + 1));
    launch(cpu_row("first_touch", row), op, in.view(), out.view(), 2);
    EXPECT_TRUE(out.guards_intact());
    const auto payload = out.payload();
    for (std::size_t i = 0; i < payload.size(); ++i)
      ASSERT_EQ(payload[i], i % 4096 == 0 ? std::byte{0} : std::byte{0xFF}) << row << " " << i;
  }
}

}  // namespace
}  // namespace normbench::stream_test
