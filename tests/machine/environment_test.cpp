#include "machine/environment.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include "machine/affinity.h"
#include "machine/fake_root.h"
#include "machine/topology.h"

namespace normbench::environment_test {
namespace {

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  return names;
}

TEST(MachineFiles, OfNothingAreNull) {
  const FakeRoot root;
  EXPECT_EQ(cpu_facts(root).dump(),
            R"({"model":null,"flags":null,"virtualised":null,"governor":null,)"
            R"("governor_unknown":"no cpufreq here: this system cannot set the clock rate"})");
  EXPECT_EQ(memory_facts(root).dump(),
            R"({"total_bytes":null,"available_bytes":null,"transparent_huge_pages":null})");
  EXPECT_EQ(load_facts(root).dump(), "null");
}

TEST(MachineFiles, OfAMachineAreRead) {
  FakeRoot root;
  root.file("proc/cpuinfo",
            "processor\t: 0\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n"
            "flags\t\t: fpu sse2 avx2 f16c avx512f amx_tile\n\n"
            "processor\t: 1\nmodel name\t: another\nflags\t\t: hypervisor\n")
      .file("proc/meminfo", "MemTotal:       16000 kB\nMemFree: 5 kB\nMemAvailable:  4000 kB\n")
      .file("proc/loadavg", "0.50 1.25 2.00 1/234 5678\n")
      .file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(cpu_facts(root).dump(),
            R"({"model":"AMD EPYC","flags":["sse2","avx2","f16c","avx512f","amx_tile"],)"
            R"("virtualised":false,"governor":"powersave"})");
  EXPECT_EQ(memory_facts(root).dump(), R"({"total_bytes":16384000,"available_bytes":4096000,)"
                                       R"("transparent_huge_pages":"madvise"})");
  EXPECT_EQ(load_facts(root).dump(), "[0.5,1.25,2.0]");
}

TEST(MachineFiles, TellAVirtualMachine) {
  FakeRoot root;
  root.file("proc/cpuinfo", "flags : sse2 hypervisor\n");
  EXPECT_EQ(cpu_facts(root)["virtualised"], true);
}

TEST(MachineFiles, KnowArmsNames) {
  FakeRoot root;
  root.file("proc/cpuinfo", "processor : 0\nFeatures : fp asimd asimdhp sve\n");
  EXPECT_EQ(cpu_facts(root)["flags"].dump(), R"(["asimd","asimdhp","sve"])");
  EXPECT_EQ(cpu_facts(root)["virtualised"], nullptr);
}

TEST(MachineFiles, TakeNoDamagedNumber) {
  FakeRoot root;
  root.file("proc/meminfo", "MemTotal: many kB\nMemAvailable:\n").file("proc/loadavg", "0.1 x\n");
  EXPECT_EQ(memory_facts(root)["total_bytes"], nullptr);
  EXPECT_EQ(memory_facts(root)["available_bytes"], nullptr);
  EXPECT_EQ(load_facts(root), nullptr);
}

TEST(Environment, SaysEverythingAboutThisMachine) {
  const Json described = environment("lab-7");
  EXPECT_THAT(keys(described), testing::ElementsAre("date", "host", "kernel", "architecture", "cpu",
                                                    "memory", "affinity_cpus", "threads_bound",
                                                    "container", "available_threads", "load"));
  EXPECT_EQ(described["host"], "lab-7");
  EXPECT_THAT(described["date"].get<std::string>(), testing::MatchesRegex("20..-..-..T..:..:..Z"));
  EXPECT_THAT(keys(described["container"]), testing::ElementsAre("cpu_quota", "memory_bytes"));
  EXPECT_THAT(keys(described["cpu"]),
              testing::IsSupersetOf({"model", "flags", "governor", "packages", "cores", "caches"}));
  EXPECT_FALSE(environment("")["host"].empty());
}

TEST(Environment, AgreesWithItself) {
  const Json described = environment("");
  EXPECT_EQ(described["available_threads"], available_threads());
  EXPECT_GE(available_threads(), 1);
  EXPECT_LE(available_threads(), described["affinity_cpus"]);
  EXPECT_EQ(described["threads_bound"], explain_binding());
  const auto& caches = topology().caches;
  ASSERT_FALSE(caches.empty());
  EXPECT_EQ(last_level_cache_bytes(), caches.back().bytes * caches.back().count);
  EXPECT_EQ(data_caches().size(), caches.size());
  EXPECT_TRUE(std::ranges::is_sorted(data_caches()));
}

TEST(Tool, SaysWhatWasBuilt) {
  const Json built = tool();
  EXPECT_THAT(keys(built), testing::ElementsAre("name", "version", "revision", "build", "compiler",
                                                "flags", "sanitizers"));
  EXPECT_EQ(built["name"], "normbench");
  EXPECT_THAT(built["version"].get<std::string>(),
              testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(built["compiler"].get<std::string>(), testing::MatchesRegex("[A-Z].* [0-9.]+"));
}

}  // namespace
}  // namespace normbench::environment_test
