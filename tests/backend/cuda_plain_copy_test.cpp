#include <gmock/gmock.h>

#include "backend/cuda/stream.cuh"
#include "backend/cuda_plain_testing.h"

namespace normbench::cuda::cuda_plain_copy_test {
namespace {

TensorDesc bytes(std::int64_t count) {
  return dense(DType::UInt8, Layout::Nchw, {1, 1, 1, count}, Memory::Device);
}

/// Copies `size` bytes. The source starts `from` bytes and the target `to` bytes past a cache line.
/// Returns what is wrong, or nothing.
std::optional<std::string> wrong_copy(std::int64_t to, std::int64_t from, std::int64_t size) {
  Guarded in(bytes(size), from), out(bytes(size), to);
  fill(in.view());
  with_copy_body(out.view().data, in.view().data, size, [](const auto& body) { run_body(body); });
  const std::string where =
      std::to_string(size) + " bytes from " + std::to_string(from) + " to " + std::to_string(to);
  if (!out.guards_intact()) return "stray write: " + where;
  if (out.payload() != in.payload()) return "wrong bytes: " + where;
  return std::nullopt;
}

TEST(CudaCopy, CopiesEveryAlignmentAndSmallSize) {
  for (std::int64_t to = 0; to <= 16; ++to)
    for (std::int64_t from = 0; from <= 16; ++from)
      for (std::int64_t size = 0; size <= 100; ++size)
        ASSERT_EQ(wrong_copy(to, from, size), std::nullopt);
}

TEST(CudaCopy, CopiesSizesAroundABlock) {
  for (const std::int64_t size :
       {511, 512, 2047, 4095, 4096, 4097, 16383, 16384, 16385, 32768, 300007})
    for (const auto& [to, from] : {std::pair{0, 0}, {1, 1}, {0, 4}, {15, 2}})
      EXPECT_EQ(wrong_copy(to, from, size), std::nullopt);
}

TEST(CudaCopy, TakesTheLargestUnitThatBothAddressesAllow) {
  const auto unit_bytes = [](std::uintptr_t to, std::uintptr_t from) {
    return with_copy_body(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), 1000,
                          []<class Unit>(const CopyBody<Unit>&) { return sizeof(Unit); });
  };
  EXPECT_EQ(unit_bytes(4096, 8192), 16u);
  EXPECT_EQ(unit_bytes(4097, 8193), 16u);
  EXPECT_EQ(unit_bytes(4096, 8196), 4u);
  EXPECT_EQ(unit_bytes(4097, 8205), 4u);
  EXPECT_EQ(unit_bytes(4096, 8194), 1u);
  EXPECT_EQ(unit_bytes(4096, 8193), 1u);
}

/// Returns true if a thread of the kernel body copies this byte.
template <class Body>
bool copies(const Body& body, std::int64_t byte) {
  constexpr std::int64_t size = sizeof(Vector16);
  const Rows& to = body.to;
  const std::int64_t blocks = body.grid.x, unit = (byte - to.head) / size;
  if (byte < to.head || unit >= to.units) {
    const std::int64_t thread = byte < to.head ? byte : byte - to.units * size;
    return blocks > body.whole && thread < to.edges() && to.head + to.edge(thread, size) == byte;
  }
  const std::int64_t block = unit / Body::part, row = unit % Body::part / threads_per_block;
  const std::int64_t first = block * Body::part + unit % threads_per_block;
  return block < blocks && (block < body.whole || block + 1 == blocks) &&
         to.head + Body::offset(first, static_cast<int>(row)) == to.head + unit * size;
}

/// Returns the first byte that no thread copies, or nothing. Checks only bytes near powers of two
/// and near both ends.
template <class Body>
std::optional<std::int64_t> missing_byte(const Body& body, std::int64_t size) {
  std::vector<std::int64_t> places{0};
  for (std::int64_t power = 1; power < size; power *= 2) places.push_back(power);
  places.push_back(size);
  for (const std::int64_t place : places)
    for (std::int64_t byte = place - 40; byte < place + 40; ++byte)
      if (byte >= 0 && byte < size && !copies(body, byte)) return byte;
  return std::nullopt;
}

/// Returns a kernel body that copies `size` bytes between odd addresses. It is never run.
CopyBody<Vector16> huge(std::int64_t size) {
  return CopyBody<Vector16>::of(reinterpret_cast<void*>(4097), reinterpret_cast<const void*>(8193),
                                size);
}

constexpr std::int64_t many = (std::int64_t{1} << 40) + 21;

TEST(CudaCopy, CountsPast32Bits) {
  const auto body = huge(many);
  EXPECT_EQ(missing_byte(body, many), std::nullopt);
  EXPECT_EQ(body.to.head, 15);
  EXPECT_EQ(body.to.tail, 6);
  EXPECT_EQ(body.grid.x, (1 << 26) + 1);
}

/// A body with a bug: its index has 32 bits.
struct Narrow : CopyBody<Vector16> {
  static std::int64_t offset(std::int64_t first, int k) {
    return CopyBody<Vector16>::offset(static_cast<std::int32_t>(first), k);
  }
};

TEST(CudaCopy, AMistakeOf32BitsIsSeen) {
  // The body copies a head of 15 bytes and then units of 16 bytes. Unit 2^31 is the first one whose
  // number does not fit into a signed 32-bit integer.
  EXPECT_EQ(missing_byte(Narrow{huge(many)}, many), 15 + (std::int64_t{1} << 35));
}

TEST(CudaCopy, ADroppedTailIsSeen) {
  auto body = huge(1000);
  EXPECT_EQ(missing_byte(body, 1000), std::nullopt);
  body.to.tail = 0;
  EXPECT_EQ(missing_byte(body, 1000), 15 + 61 * 16);
}

}  // namespace
}  // namespace normbench::cuda::cuda_plain_copy_test
