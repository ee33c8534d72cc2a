#include <gtest/gtest.h>

#include "example_results.h"
#include "report/evidence_tables.h"

namespace normbench::counter_table_test {
namespace {

/// Returns a group with one case for each element of `all`. A case has ten images, and is profiled
/// for two steps.
GroupResult group_with(const std::vector<ProfileCounters>& all) {
  GroupResult group;
  for (const ProfileCounters& counters : all) {
    const std::string variant(1, static_cast<char>('a' + group.cases.size()));
    group.cases.push_back(examples::make_case({.variant = variant}));
    group.cases.back().images = 10;
    group.profile.push_back({.variant = variant, .steps = 2, .counters = counters, .rows = {}});
  }
  return group;
}

ProfileCounters everything() {
  ProfileCounters counters{};
  counters.software = {.minor_faults = 5, .voluntary_switches = 4'000, .involuntary_switches = 1};
  counters.cycles = 40'000'000;
  counters.instructions = 60'000'000;
  counters.cache_misses = 30;
  counters.cpu_joules = 3;
  counters.gpu_joules = 1.5;
  return counters;
}

TEST(CounterTable, IsByStepAndByImage) {
  EXPECT_EQ(counter_table(group_with({everything()})),
            "  variant  faults/step  major  switches/step  forced   IPC  cycles/image  "
            "LLC misses/image  J/image\n"
            "  a               2.50      0          2,000   0.500  1.50     2,000,000  "
            "            1.50    0.225\n");
}

TEST(CounterTable, SaysOnceWhyTheRestIsNotThere) {
  ProfileCounters uncounted{};
  uncounted.hardware_missing = "no hardware counters in this virtual machine (ENOENT)";
  uncounted.energy_missing = "profiled for 31 ms, too short to read energy (100 ms or more)";
  EXPECT_EQ(counter_table(group_with({uncounted, uncounted})),
            "  variant  faults/step  major  switches/step  forced\n"
            "  a                  0      0              0       0\n"
            "  b                  0      0              0       0\n"
            "  no cycles, instructions, LLC misses: no hardware counters in this virtual machine "
            "(ENOENT)\n"
            "  no joules: profiled for 31 ms, too short to read energy (100 ms or more)\n");
}

TEST(CounterTable, SaysWhenJoulesAreOfTheGpuAlone) {
  ProfileCounters counters{};
  counters.gpu_joules = 20;
  counters.energy_missing = "no RAPL";
  EXPECT_EQ(counter_table(group_with({counters})),
            "  variant  faults/step  major  switches/step  forced  J/image\n"
            "  a                  0      0              0       0        1\n"
            "  joules are of the GPU alone: no RAPL\n");
}

TEST(CounterTable, OfOlderDocumentsIsNothing) {
  GroupResult group = group_with({everything()});
  group.profile[0].counters.reset();
  EXPECT_EQ(counter_table(group), "");
}

}  // namespace
}  // namespace normbench::counter_table_test
