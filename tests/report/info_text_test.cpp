#include "report/info_text.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/text.h"

namespace normbench::info_text_test {
namespace {

MachineLimit limit(const std::string& kind, const std::string& name, Place place, int threads) {
  MachineLimit limit;
  limit.kind = kind;
  limit.variant = name;
  limit.place = place;
  limit.threads = threads;
  return limit;
}

/// Returns `limit` with a rate of `bytes` per microsecond.
MachineLimit rate(MachineLimit limit, std::int64_t bytes) {
  limit.ns = Interval{1e3, 1e3, 1e3};
  limit.bytes = bytes;
  return limit;
}

MachineLimit time(MachineLimit limit, double ns) {
  limit.ns = Interval{ns, ns, ns};
  return limit;
}

std::vector<MachineLimit> gpu_limits() {
  MachineLimit touch = time(limit("page faults", "first touch of a page", Place::Cpu, 1), 2'523);
  touch.faults = 10;
  MachineLimit link = rate(limit("link", "to the GPU", Place::Cuda, 1), 55'300);
  link.axes = {{"memory", "pinned"}};
  return {rate(limit("memory", "read 1 : write 4", Place::Cpu, 1), 26'200),
          rate(limit("memory", "read 1 : write 4", Place::Cpu, 16), 214'400),
          rate(limit("cache", "read 1 : write 1", Place::Cpu, 1), 76'200),
          touch,
          time(limit("threads", "start and join a team", Place::Cpu, 16), 3'210),
          link,
          time(limit("launch", "launch and wait", Place::Cuda, 1), 7'654)};
}

Json gpu_machine() {
  return {{"tool",
           {{"version", "0.1.0"},
            {"revision", "abc1234"},
            {"build", "Release"},
            {"compiler", "GNU 12.2.0"},
            {"flags", "-O3"}}},
          {"environment",
           {{"date", "2026-11-20T23:54:00Z"},
            {"host", "example"},
            {"kernel", "Linux 6.1.0"},
            {"architecture", "x86_64"},
            {"cpu",
             {{"model", "AMD EPYC"},
              {"flags", {"avx2", "f16c"}},
              {"virtualised", false},
              {"governor", "performance"},
              {"packages", 1},
              {"cores", 16},
              {"hardware_threads", 32},
              {"numa_nodes", 2},
              {"caches",
               {{{"level", 1}, {"bytes", 49'152}, {"count", 16}},
                {{"level", 3}, {"bytes", 33'554'432}, {"count", 2}}}}}},
            {"memory",
             {{"total_bytes", 137'438'953'472},
              {"available_bytes", 120'000'000'000},
              {"transparent_huge_pages", "madvise"},
              {"page_bytes", 4096}}},
            {"container", {{"cpu_quota", 15.5}, {"memory_bytes", 64'000'000'000}}},
            {"available_threads", 16},
            {"threads_bound", "each to a CPU of its own by hwloc, cores first: 0-15"},
            {"simd", "AVX3"},
            {"simd_targets", {"AVX3", "AVX2", "SCALAR"}},
            {"load", {0.5, 1.25, 2.0}},
            {"places", {{"cpu", "available"}, {"cuda", "available"}}},
            {"gpu",
             {{"name", "Example GPU"},
              {"pci_bus_id", "0000:17:00.0"},
              {"compute_capability", "9.0"},
              {"driver", "580.95.05"},
              {"driver_cuda", "13.0"},
              {"runtime_cuda", "13.0"},
              {"memory_bytes", 85'899'345'920},
              {"l2_bytes", 52'428'800},
              {"multiprocessors", 132},
              {"copy_engines", 3},
              {"ecc", true},
              {"pcie", {{"generation", 5}, {"width", 16}, {"measured", "under load"}}}}}}},
          {"pci_gpus",
           {{{"bus_id", "0000:17:00.0"}, {"vendor", "NVIDIA"}, {"numa_node", 0}},
            {{"bus_id", "0000:65:00.0"}, {"vendor", "NVIDIA"}, {"numa_node", 1}}}},
          {"costs",
           {{"clock_ns", 21.48},
            {"clock_step_ns", 10},
            {"range_recorded_ns", 60.25},
            {"range_ns", 2.5},
            {"nvtx_ns", 1.25}}},
          {"missing",
           {{"perf_events",
             {{"name", "perf events"},
              {"why",
               "perf_event_paranoid is 3 (2 or less lets a user count: sysctl "
               "kernel.perf_event_paranoid=2)"},
              {"means", "cycles, instructions per cycle and LLC misses are blank"}}}}}};
}

TEST(InfoText, OfAMachineWithAGpu) {
  EXPECT_EQ(info_text(gpu_machine(), gpu_limits()),
            R"text(normbench 0.1.0 (abc1234, Release, GNU 12.2.0 -O3)

Machine
  host                   example
  date                   2026-11-20T23:54:00Z
  system                 Linux 6.1.0
  processor              AMD EPYC, x86_64
  cores                  16 cores, 32 threads, 1 package, 2 NUMA nodes; this process may use 16
  caches                 L1 16 x 48 KiB, L3 2 x 32 MiB
  instructions           avx2 f16c
  kernels use            AVX3, the best of AVX3 AVX2 SCALAR
  threads are bound      each to a CPU of its own by hwloc, cores first: 0-15
  governor               performance
  memory                 137 GB, 120 GB free; pages of 4 KiB, transparent huge pages: madvise
  container              at most 15.5 CPUs, at most 64.0 GB of memory
  load                   0.50, 1.25, 2.00 (mean of 1, 5 and 15 minutes)

GPU
  device                 Example GPU, compute capability 9.0, 132 multiprocessors
  memory                 85.9 GB, L2 50 MiB, ECC
  driver                 580.95.05, CUDA 13.0, this build 13.0
  link                   PCIe 5.0 x16, under load, 3 copy engines
  also on the bus        0000:65:00.0 NVIDIA, NUMA node 1

What measuring costs
  reading the clock      21.5 ns, in steps of 10 ns
  a range, recorded      60.2 ns
  a range, not recorded  2.50 ns
  its NVTX range alone   1.25 ns

Limits (medians; read and written bytes together; the faster kind of store)
                                       1 thread  16 threads        GPU
  memory       read 1 : write 4       26.2 GB/s    214 GB/s
  cache        read 1 : write 1       76.2 GB/s
  page faults  first touch of a page     252 ns
  threads      start and join a team                3.21 us
  link         to the GPU, pinned                            55.3 GB/s
  launch       launch and wait                                 7.65 us

Missing here, and what that means
  perf events            perf_event_paranoid is 3 (2 or less lets a user count: sysctl
                           kernel.perf_event_paranoid=2)
                         -> cycles, instructions per cycle and LLC misses are blank
)text");
}

/// Returns the text below the list of limits, for a machine whose large copies reach `up` GB/s to
/// the GPU and `down` GB/s from it.
std::string said_of_link(double up, double down) {
  std::vector<MachineLimit> limits;
  for (const auto& [op, rate_of] : {std::pair("h2d", up), {"d2h", down}}) {
    limits.push_back(rate(limit("link", op, Place::Cuda, 1), 256 << 20));
    limits.back().op = op;
    const double ns = (256 << 20) / rate_of;
    limits.back().ns = Interval{ns, ns, ns};
  }
  const std::string text = info_text(gpu_machine(), limits);
  const std::size_t from = text.find("d2h"), start = text.find('\n', from) + 1;
  return text.substr(start, text.find("\n\n", start) - start);
}

TEST(InfoText, SaysWhatCopiesReachOfTheLink) {
  EXPECT_EQ(
      said_of_link(55.0, 54.1),
      "  link: copies of pinned memory reach 55.0 GB/s to the GPU and 54.1 GB/s from it, 87 % and "
      "86 % of\n    what PCIe 5.0 x16 carries (63.0 GB/s)");
}

TEST(InfoText, WarnsOfALinkOfWhichThereIsOnlyAPart) {
  EXPECT_EQ(
      said_of_link(14.1, 54.1),
      "  Warning: copies of pinned memory reach 14.1 GB/s to the GPU and 54.1 GB/s from it, 22 % "
      "and 86 %\n    of what PCIe 5.0 x16 carries (63.0 GB/s): a virtual machine may have a part "
      "of a GPU's link, or\n    others use it, too; what crosses it may be faster elsewhere.");
}

TEST(InfoText, SaysThatALinkCouldBeFaster) {
  Json info = gpu_machine();
  Json& pcie = info["environment"]["gpu"]["pcie"];
  pcie["max_generation"] = 5;
  pcie["max_width"] = 16;
  pcie["generation"] = 4;
  pcie["width"] = 8;
  EXPECT_THAT(info_text(info, {}),
              testing::HasSubstr("\n  link                   PCIe 4.0 x8 (could be PCIe 5.0 x16), "
                                 "under load, 3 copy engines\n"));
}

TEST(InfoText, SaysWhichInstructionSetIsForced) {
  Json info = gpu_machine();
  info["environment"]["simd"] = "AVX2";
  EXPECT_THAT(info_text(info, gpu_limits()),
              testing::HasSubstr("\n  kernels use            AVX2, forced, of AVX3 AVX2 SCALAR\n"));
}

TEST(InfoText, OfWhatCouldNotBeReadLeavesItOut) {
  EXPECT_EQ(info_text({{"tool", {{"version", "0.1.0"}}},
                       {"environment",
                        {{"cpu", {{"model", nullptr}, {"virtualised", true}, {"caches", nullptr}}},
                         {"memory", {{"total_bytes", nullptr}}},
                         {"container", {{"cpu_quota", nullptr}, {"memory_bytes", nullptr}}},
                         {"load", nullptr},
                         {"gpu", nullptr}}},
                       {"missing", Json::object()}},
                      {}),
            R"text(normbench 0.1.0 (?, ?, ?)

Machine
  processor              unknown, in a virtual machine
  container              no CPU quota, no memory limit

GPU
  none                   see what is missing, below

Nothing is missing here.
)text");
}

TEST(InfoText, SaysThatAnInterruptLeftLimitsOut) {
  constexpr const char* said =
      "  interrupted: limits that are missing here were not reached\n\nMissing here";
  Json info = gpu_machine();
  info["interrupted"] = true;
  EXPECT_THAT(info_text(info, gpu_limits()), testing::HasSubstr(said));
  EXPECT_THAT(info_text(info, {}), testing::HasSubstr(std::string("\nLimits\n") + said));
}

TEST(InfoText, IsAtMostAHundredColumnsWide) {
  Json info = gpu_machine();
  for (int i = 0; i < 40; ++i)
    info["environment"]["cpu"]["flags"].push_back("avx512_vbmi" + std::to_string(i));
  std::istringstream lines(info_text(info, gpu_limits()));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(display_width(line), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(MachineLimitsText, SaysOnceWhyKindsWereNotMeasured) {
  std::vector<MachineLimit> limits;
  for (const char* kind : {"link", "link", "launch"}) {
    limits.push_back(limit(kind, "any", Place::Cuda, 1));
    limits.back().reason = "no CUDA device (none)";
  }
  EXPECT_EQ(machine_limits_text(limits),
            "\nLimits (medians; read and written bytes together; the faster kind of store)\n"
            "  not measured, no CUDA device: link, launch\n");
}

TEST(MachineLimitsText, OfNoneIsNothing) { EXPECT_EQ(machine_limits_text({}), ""); }

}  // namespace
}  // namespace normbench::info_text_test
