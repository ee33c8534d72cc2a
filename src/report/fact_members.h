/// Tables of the members of results.json that are facts about the program, the machine, its GPU and
/// its calibration. The JSON Schema is made from the tables, but the code that reads the facts from
/// the machine writes their members without the tables. A test that validates documents with the
/// schema finds members that the tables lack.
#pragma once

#include <array>

#include "document/members.h"
#include "machine/link_reading.h"

namespace normbench::members {

inline constexpr auto kToolList = std::to_array<Member>({
    {"name", kText, {"normbench"}},
    {"version", kText, {"The version of normbench"}},
    {"revision", kText, {"The revision of its source"}},
    {"build", kText, {"The type of build, like \"Release\""}},
    {"compiler", kText, {"The compiler and its version"}},
    {"flags", kText, {"The options of the compiler"}},
    {"sanitizers", kText, {"The sanitizers in the build; \"\": none"}},
});
inline constexpr Members kTool{"tool", "The program that measured", kToolList};

inline constexpr auto kCacheList = std::to_array<Member>({
    {"level", kWhole, {"The level"}},
    {"bytes", or_null(kWhole), {"The size of one", "bytes"}},
    {"count", or_null(kWhole), {"How many there are", "caches"}},
});
inline constexpr Members kCacheLevel{"cache", "The caches of one level", kCacheList};

inline constexpr auto kCpuList = std::to_array<Member>({
    {"model", or_null(kText), {"The model"}},
    {"flags", or_null(list_of(kText)), {"Those of its instruction sets that kernels may use"}},
    {"virtualised", or_null(kFlag), {"A hypervisor runs this machine"}},
    {"governor", or_null(kText), {"The governor of the clock rate"}},
    {"governor_unknown", kText, {"Why the governor is not known"}},
    {"packages", or_null(kWhole), {"Packages", "packages"}},
    {"cores", or_null(kWhole), {"Cores", "cores"}},
    {"hardware_threads", or_null(kWhole), {"Hardware threads", "threads"}},
    {"numa_nodes", or_null(kWhole), {"NUMA nodes", "nodes"}},
    {"caches", list_of(object_of(kCacheLevel)), {"The caches, a level each"}},
});
inline constexpr Members kCpu{"cpu", "The processor", kCpuList};

inline constexpr auto kMemoryList = std::to_array<Member>({
    {"total_bytes", or_null(kWhole), {"The memory of the machine", "bytes"}},
    {"available_bytes", or_null(kWhole), {"What of it was available", "bytes"}},
    {"transparent_huge_pages", or_null(kText), {"always, madvise or never"}},
    {"page_bytes", kWhole, {"The size of a page", "bytes"}},
});
inline constexpr Members kMemory{"memory", "The memory of the host", kMemoryList};

inline constexpr auto kContainerList = std::to_array<Member>({
    {"cpu_quota", kNumber, {"CPUs that may be used at a time; null: no quota", "CPUs"}},
    {"memory_bytes", or_null(kWhole), {"Memory that may be used; null: no limit", "bytes"}},
});
inline constexpr Members kContainer{"container", "The limits of the control groups",
                                    kContainerList};

inline constexpr auto kGpuLaunchList = std::to_array<Member>({
    {"warp_size", kWhole, {"Threads of a warp", "threads"}},
    {"threads_per_block", kWhole, {"The most threads of a block", "threads"}},
    {"threads_per_multiprocessor", kWhole, {"The most threads at a time", "threads"}},
    {"registers_per_block", kWhole, {"Registers of a block", "registers"}},
    {"registers_per_multiprocessor", kWhole, {"Registers of a multiprocessor", "registers"}},
    {"shared_bytes_per_block", kWhole, {"Shared memory of a block", "bytes"}},
    {"shared_bytes_per_block_opt_in", kWhole, {"The same, where a kernel asks for it", "bytes"}},
    {"shared_bytes_per_multiprocessor", kWhole, {"Shared memory of a multiprocessor", "bytes"}},
});
inline constexpr Members kGpuLaunch{"gpu_launch", "Limits of kernels", kGpuLaunchList};

inline constexpr auto kGpuLinkList = std::to_array<Member>({
    {"generation", or_null(kWhole), {"The generation of PCI Express that it runs at"}},
    {"width", or_null(kWhole), {"The width that it runs at", "lanes"}},
    {"max_generation", or_null(kWhole), {"The highest generation"}},
    {"max_width", or_null(kWhole), {"The largest width", "lanes"}},
    {"measured", or_null(kWord<LinkReading>), {"When it was read: idle GPUs slow their link down"}},
});
inline constexpr Members kGpuLink{"gpu_link", "The link to the GPU", kGpuLinkList};

inline constexpr auto kGpuList = std::to_array<Member>({
    {"name", kText, {"The model"}},
    {"device", kWhole, {"Its number in CUDA"}},
    {"uuid", kText, {"Its UUID"}},
    {"pci_bus_id", kText, {"Its PCI address"}},
    {"compute_capability", kText, {"Like \"9.0\""}},
    {"driver", or_null(kText), {"The version of the driver"}},
    {"driver_cuda", kText, {"The CUDA version of the driver"}},
    {"runtime_cuda", kText, {"The CUDA version of this program"}},
    {"memory_bytes", kWhole, {"Its memory", "bytes"}},
    {"free_memory_bytes", or_null(kWhole), {"What of it was free", "bytes"}},
    {"memory_bus_bits", kWhole, {"The width of its memory's bus", "bits"}},
    {"l2_bytes", kWhole, {"Its L2 cache", "bytes"}},
    {"multiprocessors", kWhole, {"Multiprocessors", "SMs"}},
    {"launch", object_of(kGpuLaunch), {"Limits of kernels"}},
    {"copy_engines", kWhole, {"Copies that may run beside kernels", "copies"}},
    {"ecc", kFlag, {"Its memory corrects errors"}},
    {"max_sm_clock_mhz", or_null(kWhole), {"The highest SM clock", "MHz"}},
    {"max_memory_clock_mhz", or_null(kWhole), {"The highest memory clock", "MHz"}},
    {"power_limit_w", kNumber, {"The power limit", "W"}},
    {"persistence_mode", or_null(kFlag), {"The driver keeps it initialised"}},
    {"pcie", object_of(kGpuLink), {"The link to the host"}},
    {"nvml", kText, {"\"available\", or why NVML is missing, so that some facts are null"}},
    {"numa_node", or_null(kWhole), {"The NUMA node that it is attached to"}},
    {"host_memory", kText, {"Where memory of the host for its copies lies"}},
});
inline constexpr Members kGpu{"gpu", "The GPU", kGpuList};

inline constexpr auto kEnvironmentList = std::to_array<Member>({
    {"date", kText, {"When the run began, in UTC, like \"2026-11-21T20:37:04Z\""}},
    {"host", kText, {"The name of the machine, or what `--machine` said"}},
    {"kernel", or_null(kText), {"The operating system's kernel"}},
    {"architecture", or_null(kText), {"The architecture, like \"x86_64\""}},
    {"cpu", object_of(kCpu), {"The processor"}},
    {"memory", object_of(kMemory), {"The memory of the host"}},
    {"affinity_cpus", or_null(kWhole), {"CPUs that this process may run on", "CPUs"}},
    {"threads_bound", kText, {"How threads are bound to CPUs"}},
    {"container", object_of(kContainer), {"The limits of the control groups"}},
    {"available_threads", kWhole, {"Threads that can run at a time", "threads"}},
    {"load", or_null(list_of(kNumber)), {"Load averages over 1, 5 and 15 minutes", "processes"}},
    {"places", map_of(kText), {"Where stages can run: \"available\", or why not"}},
    {"simd", kText, {"The instruction set of the kernels on the CPU"}},
    {"simd_targets", list_of(kText), {"Instruction sets that this build has for this CPU"}},
    {"gpu", or_null(object_of(kGpu)), {"The GPU; null: none"}},
    {"nvtx", kText, {"\"available\", or why NVTX ranges are missing"}},
});
inline constexpr Members kEnvironment{
    "environment", "The machine that was measured. Facts that cannot be read are null",
    kEnvironmentList};

inline constexpr auto kConditionLinkList = std::to_array<Member>({
    {"generation", or_null(kWhole), {"The generation of PCI Express"}},
    {"width", or_null(kWhole), {"The width", "lanes"}},
});
inline constexpr Members kConditionLink{"condition_link", "The link to a GPU at one moment",
                                        kConditionLinkList};

inline constexpr auto kConditionList = std::to_array<Member>({
    {"sm_clock_mhz", or_null(kWhole), {"The SM clock", "MHz"}},
    {"memory_clock_mhz", or_null(kWhole), {"The memory clock", "MHz"}},
    {"throttle_reasons", or_null(list_of(kText)), {"What held the clocks back, in NVML's words"}},
    {"held_back_ns",
     or_null(map_of(kWhole)),
     {"For how long each reason has done so since the driver was loaded", "ns"}},
    {"temperature_c", or_null(kWhole), {"The temperature", "degrees Celsius"}},
    {"power_w", kNumber, {"The power", "W"}},
    {"power_limit_w", kNumber, {"The power limit", "W"}},
    {"energy_mj", or_null(kWhole), {"The energy since the driver was loaded", "mJ"}},
    {"pcie", object_of(kConditionLink), {"The link to the host"}},
});
inline constexpr Members kCondition{
    "condition", "The state of a GPU at one moment. Facts that cannot be read are null",
    kConditionList};

inline constexpr auto kCalibrationList = std::to_array<Member>({
    {"date", kText, {"When it was made, in UTC"}},
    {"machine", kText, {"The machine"}},
    {"seconds", kNumber, {"How long it took", "s"}},
    {"pairs", kWhole, {"Pairs of the same variant twice", "pairs"}},
    {"excluding_one", kWhole, {"Of these, pairs whose interval does not hold 1", "pairs"}},
    {"false_alarms", kWhole, {"Of these, pairs that were called different", "pairs"}},
    {"false_alarm_low", kNumber, {"The lower end of the share of false alarms", "share 0..1"}},
    {"false_alarm_high", kNumber, {"The upper end of the share of false alarms", "share 0..1"}},
    {"slowed_pairs", kWhole, {"Pairs with a slowed variant", "pairs"}},
    {"slowed_found", kWhole, {"Of these, pairs in which that was found", "pairs"}},
    {"slowed_wrong_way", kWhole, {"Of these, pairs in which the other was found slower", "pairs"}},
    {"slowed_wrong_size", kWhole, {"Of these, pairs with a wrong size of the difference", "pairs"}},
    {"visible", kNumber, {"The least difference that a pair shows, at the median", "ratio"}},
    {"between", kNumber, {"How far the same differs between two processes", "ratio"}},
    {"between_differences", kWhole, {"Differences that `between` rests on", "differences"}},
});
inline constexpr Members kCalibration{
    "calibration",
    "What `normbench calibrate` found on this machine: how small a difference it shows",
    kCalibrationList};

}  // namespace normbench::members
