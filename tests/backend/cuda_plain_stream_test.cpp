#include <gmock/gmock.h>

#include "backend/cuda/stream.cuh"
#include "backend/cuda_plain_testing.h"

namespace normbench::cuda::cuda_plain_stream_test {
namespace {

TensorDesc bytes(std::int64_t count) {
  return dense(DType::UInt8, Layout::Nchw, {1, 1, 1, count}, Memory::Device);
}

/// What a stream of `in` leaves in `written` bytes, `shift` past a cache line.
std::vector<std::byte> streamed(const View& in, std::int64_t read, std::int64_t written,
                                std::int64_t shift) {
  Guarded out(bytes(written), shift);
  run_body(StreamBody::of(
      {.in = in.data, .read_bytes = read, .out = out.view().data, .written_bytes = written}));
  EXPECT_TRUE(out.guards_intact()) << read << ":" << written << " shift " << shift;
  return out.payload();
}

// The input holds no poison, so poison left in the output is a byte that was not written.
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

TEST(CudaStream, CopiesWhereTheMixIsEven) {
  Guarded in(bytes(32 * 16 * 9));
  fill(in.view());
  const auto out = streamed(in.view(), in.view().desc.bytes(), in.view().desc.bytes(), 0);
  const auto from = in.payload();
  // The first slot of each thread stores what it read, the next one adds what that one read.
  for (std::size_t warp = 0; warp < out.size(); warp += 2048)
    for (std::size_t i = warp; i < std::min(warp + 512, out.size()); ++i)
      ASSERT_EQ(out[i], from[i]) << i;
  for (std::size_t i = 512; i < 1024; ++i) ASSERT_EQ(out[i], from[i] ^ from[i - 512]) << i;
}

/// The first vector of `read` bytes that a stream does not read: one that holds the mark alone
/// makes its thread change the first byte written.
std::optional<std::int64_t> unread_vector(std::int64_t read, std::int64_t written) {
  Guarded in(bytes(read));
  std::memset(in.view().data, 0, static_cast<std::size_t>(read));
  const Vector16 mark{{StreamBody::mark, StreamBody::mark, StreamBody::mark, StreamBody::mark}};
  for (std::int64_t i = 0; i < read / 16; ++i) {
    std::memcpy(in.view().data + 16 * i, &mark, 16);
    if (streamed(in.view(), read, written, 0)[0] != std::byte{1}) return i;
    std::memset(in.view().data + 16 * i, 0, 16);
  }
  return std::nullopt;
}

TEST(CudaStream, ReadsEveryVector) {
  for (const auto& [read, written] : {std::pair{8192, 8192},
                                      {8192, 32768},
                                      {8192, 16384},
                                      {8192, 4096},
                                      {8192, 2048},
                                      {8192, 1},
                                      {5000, 3000},
                                      {3000, 5000},
                                      {16, 1},
                                      {5008, 16}})
    EXPECT_EQ(unread_vector(read, written), std::nullopt) << read << ":" << written;
}

/// The slots that get a row, as a string: "x..x..".
std::string dealt(std::int64_t rows, std::int64_t slots) {
  std::string text;
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    const Deal deal = Deal::from(slot, rows, Divisor::of(slots));
    text += deal.gives() ? 'x' : '.';
  }
  return text;
}

TEST(CudaStream, DealsEvenly) {
  EXPECT_EQ(dealt(2, 8), "x...x...");
  EXPECT_EQ(dealt(4, 8), "x.x.x.x.");
  EXPECT_EQ(dealt(3, 5), "x.x.x");
  EXPECT_EQ(dealt(4, 4), "xxxx");
  EXPECT_EQ(dealt(0, 3), "...");
}

TEST(CudaStream, DealsEveryRowOnceInOrder) {
  for (std::int64_t slots = 1; slots <= 40; ++slots)
    for (std::int64_t rows = 0; rows <= slots; ++rows) {
      std::int64_t next = 0;
      for (std::int64_t first = 0; first < slots; first += StreamBody::slots_per_warp) {
        Deal deal = Deal::from(first, rows, Divisor::of(slots));
        for (std::int64_t slot = first; slot < std::min(first + 4, slots); ++slot) {
          if (deal.gives()) {
            ASSERT_EQ(deal.row(), next++) << rows << " of " << slots;
          }
          deal.next_slot();
        }
      }
      ASSERT_EQ(next, rows);
    }
}

TEST(CudaStream, CountsPast32Bits) {
  const std::int64_t terabyte = std::int64_t{1} << 40;
  const auto body = StreamBody::of({.in = reinterpret_cast<const void*>(4096),
                                    .read_bytes = terabyte / 4 + 77,
                                    .out = reinterpret_cast<void*>(4096),
                                    .written_bytes = terabyte + 5});
  EXPECT_EQ(body.slots.divisor, terabyte / 512);
  EXPECT_EQ(body.threads, terabyte / 512 / 4 * 32);
  EXPECT_LT(body.threads / 256, (std::int64_t{1} << 31) - 1);
  const std::int64_t last = body.slots.divisor - 1;
  const Deal reads = Deal::from(last, body.in.rows(), body.slots);
  EXPECT_EQ(reads.row(), body.in.rows() - 1);
  const Deal writes = Deal::from(last, body.out.rows(), body.slots);
  EXPECT_TRUE(writes.gives());
  EXPECT_EQ(writes.row(), last);
  EXPECT_EQ(body.out.vector(body.out.vectors), reinterpret_cast<std::byte*>(4096 + terabyte));
}

}  // namespace
}  // namespace normbench::cuda::cuda_plain_stream_test
