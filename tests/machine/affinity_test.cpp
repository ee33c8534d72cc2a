#include "machine/affinity.h"

#include <gtest/gtest.h>
#include <stdio.h>

#include <array>
#include <string>
#include <thread>

namespace normbench::affinity_test {
namespace {

cpu_set_t cpus_of_this_thread() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  EXPECT_EQ(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
  return cpus;
}

cpu_set_t first_of(const cpu_set_t& cpus) {
  int first = 0;
  while (!CPU_ISSET(first, &cpus)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  return one;
}

/// What the system says a child of the calling thread may run on.
std::string childs_cpus() {
  FILE* const pipe = popen("grep Cpus_allowed_list /proc/self/status", "r");
  std::array<char, 256> line{};
  const char* const read = pipe ? fgets(line.data(), line.size(), pipe) : nullptr;
  if (pipe) pclose(pipe);
  return read ? read : "";
}

TEST(AllowedCpus, AreThoseOfTheProcess) {
  const cpu_set_t now = cpus_of_this_thread();
  EXPECT_TRUE(CPU_EQUAL(&allowed_cpus(), &now));
  EXPECT_GE(CPU_COUNT(&allowed_cpus()), 1);
}

TEST(AllowedCpus, StayWhatTheyWereWhenAThreadIsBound) {
  const cpu_set_t before = allowed_cpus();
  std::thread([] {
    const cpu_set_t one = first_of(allowed_cpus());
    ASSERT_TRUE(bind_this_thread(one));
    EXPECT_TRUE(CPU_ISSET(sched_getcpu(), &one));
  }).join();
  EXPECT_TRUE(CPU_EQUAL(&allowed_cpus(), &before));
}

TEST(BindThisThread, ToNothingIsRefused) {
  cpu_set_t none;
  CPU_ZERO(&none);
  EXPECT_FALSE(bind_this_thread(none));
}

TEST(Unpinned, GivesAllCpusAndTakesThemBack) {
  const std::string all = childs_cpus();
  EXPECT_NE(all, "");
  std::thread([&] {
    const cpu_set_t one = first_of(allowed_cpus());
    ASSERT_TRUE(bind_this_thread(one));
    {
      const Unpinned unpinned;
      const cpu_set_t now = cpus_of_this_thread();
      EXPECT_TRUE(CPU_EQUAL(&now, &allowed_cpus()));
      EXPECT_EQ(childs_cpus(), all);
    }
    const cpu_set_t after = cpus_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&after, &one));
  }).join();
}

TEST(Unpinned, ChangesNothingForAThreadThatIsFree) {
  const cpu_set_t before = cpus_of_this_thread();
  { const Unpinned unpinned; }
  const cpu_set_t after = cpus_of_this_thread();
  EXPECT_TRUE(CPU_EQUAL(&after, &before));
}

}  // namespace
}  // namespace normbench::affinity_test
