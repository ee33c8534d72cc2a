#include <gmock/gmock.h>

#include "backend/cuda/stream.cuh"
#include "backend/cuda_plain_testing.h"

namespace normbench::cuda::cuda_plain_stream_test {
namespace {

TensorDesc bytes(std::int64_t count) {
  return dense(DType::UInt8, Layout::Nchw, {1, 1, 1, count}, Memory::Device);
}

/// Runs the stream kernel, which reads `read` bytes of `in` and writes `written` bytes. Returns the
/// bytes that it wrote. The output starts `shift` bytes past a cache line.
std::vector<std::byte> streamed(const View& in, std::int64_t read, std::int64_t written,
                                std::int64_t shift) {
  Guarded out(bytes(written), shift);
  with_stream_body(
      {.in = in.data, .read_bytes = read, .out = out.view().data, .written_bytes = written},
      [](const auto& body) { run_body(body); });
  EXPECT_TRUE(out.guards_intact()) << read << ":" << written << " shift " << shift;
  return out.payload();
}

// The input has no byte 0xFF, the poison of Guarded. So a byte 0xFF in the output was not written.
TEST(CudaStream, WritesEveryByte) {
  for (const auto& [reads, writes] :
       {std::pair{1, 4}, {1, 2}, {1, 1}, {2, 1}, {4, 1}, {3, 5}, {0, 1}})
    for (const std::int64_t size : {1, 15, 16, 17, 511, 512, 513, 2048, 30007})
      for (const int shift : {0, 1, 15}) {
        Guarded in(bytes(size), shift);
        std::memset(in.view().data, 0x5A, static_cast<std::size_t>(size));
        const std::int64_t written =
            reads == 0 ? size : std::max<std::int64_t>(1, size * writes / reads);
        const auto out = streamed(in.view(), reads == 0 ? 0 : size, written, 3 * shift);
        ASSERT_EQ(std::ranges::count(out, std::byte{0xFF}), 0)
            << size << " -> " << written << " shift " << shift;
      }
}

TEST(CudaStream, CopiesWholeBlocksWhereTheMixIsEven) {
  constexpr std::int64_t block = 4 * 256 * 16;
  Guarded in(bytes(2 * block + 512));
  fill(in.view());
  const auto out = streamed(in.view(), 2 * block + 512, 2 * block + 512, 0);
  const auto from = in.payload();
  EXPECT_TRUE(std::equal(from.begin(), from.begin() + 2 * block, out.begin()));
}

/// Returns the first 16-byte vector of the input that the stream does not read, or nothing. A
/// vector counts as read if a change in it changes the output. Only vectors at the edges of rows
/// (of 256 vectors, one for each thread of a block) are tried.
std::optional<std::int64_t> unread_vector(std::int64_t read, std::int64_t written) {
  Guarded in(bytes(read));
  std::memset(in.view().data, 0, static_cast<std::size_t>(read));
  const Vector16 mark{{stream_mark, stream_mark, stream_mark, stream_mark}};
  const auto before = streamed(in.view(), read, written, 0);
  for (std::int64_t i = 0; i < read / 16; ++i) {
    if (i % 256 > 1 && i % 256 < 255 && i != read / 16 - 1) continue;
    std::memcpy(in.view().data + 16 * i, &mark, 16);
    if (streamed(in.view(), read, written, 0) == before) return i;
    std::memset(in.view().data + 16 * i, 0, 16);
  }
  return std::nullopt;
}

TEST(CudaStream, ReadsEveryVector) {
  constexpr int block = 4 * 256 * 16;
  for (const auto& [read, written] : {std::pair{3 * block, 3 * block},
                                      {3 * block + 32, 3 * block + 32},
                                      {block, 4 * block},
                                      {block + 16, 4 * block + 64},
                                      {2 * block, 4 * block},
                                      {4 * block, 2 * block},
                                      {4 * block, block},
                                      {2 * block, 1},
                                      {50000, 30000},
                                      {30000, 50000},
                                      {16, 1},
                                      {5008, 16}})
    EXPECT_EQ(unread_vector(read, written), std::nullopt) << read << ":" << written;
}

/// Returns how many rows Deal gives to each block, with one character for each block. A row has one
/// vector for each thread of a block. In "1.1.", for example, every second block gets no row.
std::string dealt(std::int64_t rows, std::int64_t blocks) {
  std::string text;
  const Deal deal = Deal::of(rows, blocks);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t count = deal.first(block + 1) - deal.first(block);
    text += count == 0 ? "." : std::to_string(count);
  }
  return text;
}

TEST(CudaStream, DealsEvenly) {
  EXPECT_EQ(dealt(2, 8), "...1...1");
  EXPECT_EQ(dealt(4, 8), ".1.1.1.1");
  EXPECT_EQ(dealt(10, 4), "2323");
  EXPECT_EQ(dealt(12, 3), "444");
  EXPECT_EQ(dealt(0, 3), "...");
}

TEST(CudaStream, DealsEveryRowAndAtMostFourToABlock) {
  for (std::int64_t blocks = 1; blocks <= 60; ++blocks)
    for (std::int64_t rows = 0; rows <= 4 * blocks; ++rows) {
      const Deal deal = Deal::of(rows, blocks);
      ASSERT_EQ(deal.first(0), 0);
      ASSERT_GE(deal.first(blocks), rows);
      for (std::int64_t block = 0; block < blocks; ++block)
        ASSERT_LE(deal.first(block + 1) - deal.first(block), 4) << rows << " of " << blocks;
    }
}

TEST(CudaStream, CountsPast32Bits) {
  const std::int64_t terabyte = std::int64_t{1} << 40;
  const auto check = [&](std::int64_t read, std::int64_t written) {
    with_stream_body({.in = reinterpret_cast<const void*>(4096),
                      .read_bytes = read,
                      .out = reinterpret_cast<void*>(4096),
                      .written_bytes = written},
                     [&](const auto& body) {
                       const std::int64_t blocks = body.grid.x;
                       EXPECT_EQ(blocks, (terabyte >> 14) + 1);
                       EXPECT_LE(body.whole, blocks);
                       EXPECT_EQ(body.in.units, read / 16);
                       EXPECT_EQ(body.out.units, written / 16);
                       EXPECT_GE(body.reads.first(blocks), body.in.rows());
                       EXPECT_GE(body.writes.first(blocks), body.out.rows());
                       EXPECT_LT(body.writes.first(blocks - 1), body.out.rows());
                     });
  };
  check(terabyte / 4 + 77, terabyte + 320);  // reads 1 byte for each 4 that it writes
  check(terabyte / 3, terabyte + 320);       // no such ratio: Deal gives rows to blocks
}

}  // namespace
}  // namespace normbench::cuda::cuda_plain_stream_test
