#include "ops/images/inflate.h"

#include <gmock/gmock.h>

#include "image_files.h"

namespace normbench::inflate_test {
namespace {

struct Inflated {
  Deflated state;
  Bytes bytes;
};

Inflated inflated(std::size_t most, const Bytes& stream) {
  Inflated all;
  all.state = inflate_up_to(most, stream, [&](std::span<const std::uint8_t> piece) {
    all.bytes.insert(all.bytes.end(), piece.begin(), piece.end());
  });
  return all;
}

TEST(Inflate, HandsOnAllUpToTheBound) {
  const Bytes bytes = gradient(300, 200, 3), stream = deflated(bytes);
  for (const std::size_t more : {0, 1, 1000}) {
    const Inflated all = inflated(bytes.size() + more, stream);
    EXPECT_EQ(all.state, Deflated::Whole);
    EXPECT_EQ(all.bytes, bytes);
  }
  const Inflated most = inflated(bytes.size() - 1, stream);
  EXPECT_EQ(most.state, Deflated::Long);
  EXPECT_EQ(most.bytes, Bytes(bytes.begin(), bytes.end() - 1));
}

TEST(Inflate, StopsAtTheBound) {
  const Bytes bomb = deflated(Bytes(std::size_t{1} << 26, 0));
  std::size_t handed_on = 0, pieces = 0;
  const auto count = [&](std::span<const std::uint8_t> piece) {
    handed_on += piece.size();
    ++pieces;
  };
  EXPECT_EQ(inflate_up_to(100'000, bomb, count), Deflated::Long);
  EXPECT_EQ(handed_on, 100'000u);
  EXPECT_LE(pieces, 100u);
}

TEST(Inflate, TellsACutFromAFault) {
  const Bytes bytes = gradient(30, 20, 3);
  Bytes stream = deflated(bytes);
  stream.pop_back();
  EXPECT_EQ(inflated(bytes.size(), stream).state, Deflated::Short);
  EXPECT_EQ(inflated(bytes.size(), stream).bytes, bytes);
  EXPECT_EQ(inflated(bytes.size(), {}).state, Deflated::Short);
  stream.push_back(0);
  stream.back() = static_cast<std::uint8_t>(deflated(bytes).back() ^ 1);
  EXPECT_EQ(inflated(bytes.size(), stream).state, Deflated::Damaged);
  EXPECT_EQ(inflated(bytes.size(), {1, 2, 3}).state, Deflated::Damaged);
}

}  // namespace
}  // namespace normbench::inflate_test
