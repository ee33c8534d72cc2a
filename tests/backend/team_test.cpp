#include "backend/cpu/team.h"

#include <gtest/gtest.h>

#include <new>

namespace normbench {
namespace {

TEST(Team, ThrowsWhatAPartThrew) {
  for (const int threads : {1, 3}) {
    std::vector<int> done(6, 0);
    EXPECT_THROW(split(threads, 6, 1,
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) ++done[i];
                         if (end == 6) throw std::bad_alloc();
                       }),
                 std::bad_alloc);
    EXPECT_EQ(done, std::vector<int>(6, 1)) << threads << " threads";
  }
}

}  // namespace
}  // namespace normbench
