#include "backend/cuda/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "backend/cuda/memory.h"
#include "machine/link_reading.h"

namespace normbench::cuda {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json watts(const Reading& milliwatts) {
  return milliwatts ? Json(static_cast<double>(*milliwatts) / 1000) : Json();
}

std::string version(cudaError_t (*read)(int*), std::string_view call) {
  int number = 0;
  check(read(&number), call);
  return version_text(number);
}

/// Returns true for a MIG instance, a part of a divided GPU. Its name is like "NVIDIA
/// A100-SXM4-40GB MIG 1g.5gb".
bool is_mig_instance(const cudaDeviceProp& properties) {
  return std::string_view(properties.name).find(" MIG ") != std::string_view::npos;
}

/// Returns "GPU-6b4d1a2c-…" or "MIG-6b4d1a2c-…", as nvidia-smi and CUDA_VISIBLE_DEVICES write it.
std::string uuid_text(const cudaDeviceProp& properties) {
  std::string text = is_mig_instance(properties) ? "MIG" : "GPU";
  for (std::size_t i = 0; i < sizeof(properties.uuid.bytes); ++i)
    text += fmt::format("{}{:02x}", i == 0 || (i >= 4 && i <= 10 && i % 2 == 0) ? "-" : "",
                        static_cast<unsigned char>(properties.uuid.bytes[i]));
  return text;
}

/// Returns the free memory of the device in bytes:
/// - if `ready`: the value that CUDA reports
/// - otherwise, with NVML: its value for the whole GPU, but at most the total memory of the device
/// - otherwise: the total memory of the device
std::int64_t free_memory_bytes(const cudaDeviceProp& properties, const Nvml& nvml, bool ready) {
  const auto most = static_cast<std::int64_t>(properties.totalGlobalMem);
  if (!ready) {
    return std::min(nvml.free_memory_bytes().value_or(most), most);
  }
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free);
}

Json launch_limits(const cudaDeviceProp& properties) {
  return {{"warp_size", properties.warpSize},
          {"threads_per_block", properties.maxThreadsPerBlock},
          {"threads_per_multiprocessor", properties.maxThreadsPerMultiProcessor},
          {"registers_per_block", properties.regsPerBlock},
          {"registers_per_multiprocessor", properties.regsPerMultiprocessor},
          {"shared_bytes_per_block", properties.sharedMemPerBlock},
          {"shared_bytes_per_block_opt_in", properties.sharedMemPerBlockOptin},
          {"shared_bytes_per_multiprocessor", properties.sharedMemPerMultiprocessor}};
}

constexpr std::int64_t kCopyBytes = 32 << 20;
constexpr int kCopiesInFlight = 8;
constexpr int kMostTries = 10;  // a link leaves its idle speed within some tens of milliseconds

bool is_fastest(const Nvml::Link& link, const Nvml::Link& most) {
  return link.generation == most.generation && link.width == most.width;
}

Nvml::Link read_while_copying(Allocation& to, Allocation& from, const Stream& stream,
                              const Nvml& nvml) {
  for (int copy = 0; copy < kCopiesInFlight; ++copy)
    check(cudaMemcpyAsync(to.data(), from.data(), kCopyBytes, cudaMemcpyHostToDevice, stream.get()),
          "cudaMemcpyAsync", kCopyBytes);
  const Nvml::Link link = nvml.link();
  check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  return link;
}

struct LoadedLink {
  Nvml::Link link;
  LinkReading reading = LinkReading::Idle;  // also if there is no NVML or no memory for the copies
};

/// Returns the PCIe link as it is while copies run, because an idle GPU may slow the link down.
/// Reads the link during copies of 256 MiB from pinned memory. Repeats this until the link is as
/// fast as it can be, but at most ten times. Returns the idle link if there is no memory for the
/// copies. Throws CudaError for any other error.
LoadedLink link_under_load(int device, const Nvml& nvml) {
  if (!nvml.missing().empty()) return {};
  check(cudaSetDevice(device), "cudaSetDevice");
  const Nvml::Link most = nvml.max_link();
  try {
    const auto host = allocate(Memory::Pinned, kCopyBytes, device);
    const auto buffer = allocate(Memory::Device, kCopyBytes, device);
    const Stream stream;
    Nvml::Link link;
    for (int tries = 0; tries < kMostTries && (tries == 0 || !is_fastest(link, most)); ++tries)
      link = read_while_copying(*buffer, *host, stream, nvml);
    return {.link = link, .reading = LinkReading::UnderLoad};
  } catch (const CudaError& error) {
    if (error.code != cudaErrorMemoryAllocation) throw;
    cudaGetLastError();  // clears the error of the failed allocation
    return {.link = nvml.link()};
  }
}

Json link_facts(int device, const Nvml& nvml, bool ready) {
  const Nvml::Link most = nvml.max_link();
  const LoadedLink now = ready ? link_under_load(device, nvml) : LoadedLink{.link = nvml.link()};
  return {{"generation", or_null(now.link.generation)},
          {"width", or_null(now.link.width)},
          {"max_generation", or_null(most.generation)},
          {"max_width", or_null(most.width)},
          {"measured", nvml.missing().empty() ? Json(name_of(now.reading)) : Json()}};
}

}  // namespace

std::string pci_bus_id(int device) {
  std::array<char, 32> digits{};
  check(cudaDeviceGetPCIBusId(digits.data(), digits.size(), device), "cudaDeviceGetPCIBusId");
  std::string id = digits.data();
  std::ranges::transform(id, id.begin(), [](unsigned char c) { return std::tolower(c); });
  return id;
}

Json describe_device(int device, const Nvml& nvml, bool ready) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return {{"name", properties.name},
          {"device", device},
          {"uuid", uuid_text(properties)},
          {"pci_bus_id", pci_bus_id(device)},
          {"compute_capability", fmt::format("{}.{}", properties.major, properties.minor)},
          {"driver", or_null(nvml.driver_version())},
          {"driver_cuda", version(&cudaDriverGetVersion, "cudaDriverGetVersion")},
          {"runtime_cuda", version(&cudaRuntimeGetVersion, "cudaRuntimeGetVersion")},
          {"memory_bytes", properties.totalGlobalMem},
          {"free_memory_bytes", free_memory_bytes(properties, nvml, ready)},
          {"memory_bus_bits", properties.memoryBusWidth},
          {"l2_bytes", properties.l2CacheSize},
          {"multiprocessors", properties.multiProcessorCount},
          {"launch", launch_limits(properties)},
          {"copy_engines", properties.asyncEngineCount},
          {"ecc", properties.ECCEnabled != 0},
          {"max_sm_clock_mhz", or_null(nvml.max_sm_clock_mhz())},
          {"max_memory_clock_mhz", or_null(nvml.max_memory_clock_mhz())},
          {"power_limit_w", watts(nvml.power_limit_mw())},
          {"persistence_mode", or_null(nvml.persistence_mode())},
          {"pcie", link_facts(device, nvml, ready)},
          {"nvml", nvml.missing().empty() ? "available" : nvml.missing()}};
}

Json condition_of(const Nvml& nvml) {
  const Nvml::Link link = nvml.link();
  const auto held_back_ns = nvml.held_back_ns();
  return {{"sm_clock_mhz", or_null(nvml.sm_clock_mhz())},
          {"memory_clock_mhz", or_null(nvml.memory_clock_mhz())},
          {"throttle_reasons", or_null(nvml.throttle_reasons())},
          {"held_back_ns", held_back_ns.empty() ? Json() : Json(held_back_ns)},
          {"temperature_c", or_null(nvml.temperature_c())},
          {"power_w", watts(nvml.power_mw())},
          {"power_limit_w", watts(nvml.power_limit_mw())},
          {"energy_mj", or_null(nvml.energy_mj())},
          {"pcie", {{"generation", or_null(link.generation)}, {"width", or_null(link.width)}}}};
}

}  // namespace normbench::cuda
