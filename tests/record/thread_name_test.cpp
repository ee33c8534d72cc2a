#include "record/thread_name.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <thread>

namespace normbench::thread_name_test {
namespace {

TEST(ThreadName, IsKeptWholeWhereTheSystemHas15Bytes) {
  std::string name;
  std::array<char, 16> in_system{};
  std::thread([&] {
    name_this_thread("lane preprocessing 2");
    name = name_of_this_thread();
    pthread_getname_np(pthread_self(), in_system.data(), in_system.size());
  }).join();
  EXPECT_EQ(name, "lane preprocessing 2");
  EXPECT_STREQ(in_system.data(), "lane preprocess");
  EXPECT_EQ(name_of_this_thread(), "record_test");
}

}  // namespace
}  // namespace normbench::thread_name_test
