#include "backend/cpu/choose_stores.h"

#include <gtest/gtest.h>

#include <limits>

namespace normbench::choose_stores_test {
namespace {

constexpr std::int64_t kKiB = 1 << 10, kMiB = 1 << 20;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

const std::vector<std::int64_t> cluster{48 * kKiB, kMiB, 32 * kMiB};
const std::vector<std::int64_t> socket{48 * kKiB, 2 * kMiB, 260 * kMiB};

Stores choice(std::int64_t reuse_bytes, const std::vector<std::int64_t>& caches, int threads = 1,
              bool pages_mapped = true) {
  Signature signature;
  signature.pages_mapped = pages_mapped;
  signature.reuse_bytes = reuse_bytes;
  return choose_stores(signature, caches, threads);
}

TEST(KeptBytes, AreOfTheLastCacheUnlessItBelongsToAWholeSocket) {
  EXPECT_EQ(kept_bytes(cluster, 1), 32 * kMiB);
  EXPECT_EQ(kept_bytes(cluster, 2), 32 * kMiB);
  EXPECT_EQ(kept_bytes({kMiB, 100 * kMiB}, 1), 100 * kMiB);
  EXPECT_EQ(kept_bytes({kMiB, 100 * kMiB + 1}, 1), kMiB);
  EXPECT_EQ(kept_bytes(socket, 1), 2 * kMiB);
  EXPECT_EQ(kept_bytes(socket, 4), 8 * kMiB);
  EXPECT_EQ(kept_bytes({260 * kMiB}, 1), 260 * kMiB);
  EXPECT_EQ(kept_bytes({}, 1), 32 * kMiB);
}

TEST(ChooseStores, GoesPastTheCacheWhereItWouldNotKeepTheOutput) {
  EXPECT_EQ(choice(0, cluster), Stores::Normal);
  EXPECT_EQ(choice(48 * kMiB - 1, cluster), Stores::Normal);
  EXPECT_EQ(choice(48 * kMiB, cluster), Stores::NonTemporal);
  EXPECT_EQ(choice(kNever, cluster), Stores::NonTemporal);
  EXPECT_EQ(choice(3 * kMiB - 1, socket), Stores::Normal);
  EXPECT_EQ(choice(3 * kMiB, socket), Stores::NonTemporal);
  EXPECT_EQ(choice(3 * kMiB, socket, 2), Stores::Normal);
  EXPECT_EQ(choice(kNever, socket, 2), Stores::NonTemporal);
}

TEST(ChooseStores, KeepsToTheCacheInFreshPages) {
  EXPECT_EQ(choice(kNever, cluster, 1, false), Stores::Normal);
  EXPECT_EQ(choice(kNever, socket, 1, false), Stores::Normal);
}

}  // namespace
}  // namespace normbench::choose_stores_test
