#include "record/thread_name.h"

#include <gtest/gtest.h>

#include <thread>

namespace normbench::thread_name_test {
namespace {

TEST(ThreadName, IsTheSystemsFirst15Bytes) {
  std::string first, second;
  std::thread([&] {
    name_this_thread("omp worker 1");
    first = name_of_this_thread();
    name_this_thread("omp worker 123456");
    second = name_of_this_thread();
  }).join();
  EXPECT_EQ(first, "omp worker 1");
  EXPECT_EQ(second, "omp worker 1234");
  EXPECT_EQ(name_of_this_thread(), "record_test");
}

}  // namespace
}  // namespace normbench::thread_name_test
