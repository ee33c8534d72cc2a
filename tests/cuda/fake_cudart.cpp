#include "cuda/fake_cudart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace normbench {
namespace {

std::optional<FakeCuda>& holder() {
  static std::optional<FakeCuda> cuda(std::in_place);
  return cuda;
}

int devices_asked_for() {
  const char* const number = std::getenv("FAKE_CUDA_DEVICES");
  return number == nullptr ? 1 : std::atoi(number);
}

}  // namespace

FakeCuda& fake_cuda() { return *holder(); }

FakeCuda& new_fake_cuda() {
  FakeCuda::current_device() = 0;
  return holder().emplace();
}

std::string name_of(cudaStream_t stream) {
  const int number = FakeObjects<cudaStream_t, FakeStream>::number(stream);
  return number == 0 ? "default stream" : fmt::format("stream {}", number);
}

FakeCuda::FakeCuda() : devices(devices_asked_for()) {
  std::string_view("Fake GPU").copy(properties.name, sizeof(properties.name) - 1);
  properties.totalGlobalMem = std::size_t{1} << 30;
  properties.major = 9;
  properties.multiProcessorCount = 132;
  properties.l2CacheSize = 64 << 10;
  properties.warpSize = 32;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiProcessor = 2048;
  properties.regsPerBlock = properties.regsPerMultiprocessor = 64 << 10;
  properties.sharedMemPerBlock = 48 << 10;
  properties.sharedMemPerBlockOptin = 227 << 10;
  properties.sharedMemPerMultiprocessor = 228 << 10;
  costs.describe(properties);
  attributes[cudaDevAttrL2CacheSize] = properties.l2CacheSize;
  attributes[cudaDevAttrConcurrentManagedAccess] = 1;
  attributes[cudaDevAttrMultiProcessorCount] = properties.multiProcessorCount;
  attributes[cudaDevAttrClockRate] = 1'000'000;
  attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin] =
      static_cast<int>(properties.sharedMemPerBlockOptin);
  // The variable has the version of a driver that is too old, like "12020".
  if (const char* const driver = std::getenv("NORMBENCH_FAKE_DRIVER")) {
    driver_version = std::atoi(driver);
    failures = {{"cudaGetDeviceCount", cudaErrorInsufficientDriver, 1, true}};
  }
  streams.costs = &costs;
  memory.guards = !costs.on();
}

cudaDeviceProp FakeCuda::properties_of(int device) const {
  cudaDeviceProp own = properties;
  own.pciBusID = 0x17 + 4 * device;
  if (device == 0) return own;
  own.name[std::string_view(fmt::format("{} {}", properties.name, device))
               .copy(own.name, sizeof(own.name) - 1)] = '\0';
  own.uuid.bytes[15] = static_cast<char>(properties.uuid.bytes[15] + device);
  own.totalGlobalMem *= static_cast<std::size_t>(device + 1);
  return own;
}

int& FakeCuda::current_device() {
  thread_local int device = 0;
  return device;
}

std::optional<cudaError_t> FakeCuda::failure_of(std::string_view function) {
  if (failing_call && *failing_call + 1 == log.size()) return failing_code;
  for (FakeFailure& failure : failures) {
    if (failure.function != function) continue;
    --failure.nth;
    if (failure.nth == 0 || (failure.always && failure.nth < 0)) return failure.code;
  }
  return std::nullopt;
}

/// Makes a context for the first call that needs one. This happens even if the call then fails, as
/// in the real runtime.
void FakeCuda::need_context(std::string_view function) {
  static constexpr std::string_view kDescribing[] = {
      "cudaGetDeviceCount",     "cudaDriverGetVersion",  "cudaRuntimeGetVersion",  "cudaGetDevice",
      "cudaDeviceGetAttribute", "cudaDeviceGetPCIBusId", "cudaGetDeviceProperties"};
  if (!made_context.empty() || std::ranges::find(kDescribing, function) != std::end(kDescribing))
    return;
  made_context = function;
  if (const char* const file = std::getenv("FAKE_CUDA_CONTEXTS"))
    std::ofstream(file, std::ios::app) << function << '\n';
}

cudaError_t FakeCuda::call(std::string_view function, const std::string& arguments,
                           const std::function<cudaError_t()>& work, bool releases) {
  const std::lock_guard lock(mutex_);
  const FakeCosts::Call timed(costs, function, arguments);
  need_context(function);
  if (costs.on()) log.clear();  // there may be millions of calls
  log.push_back(arguments.empty() ? std::string(function)
                                  : fmt::format("{} {}", function, arguments));
  if (ignored.contains(function)) return cudaSuccess;
  const std::optional<cudaError_t> planted = failure_of(function);
  cudaError_t error = planted.value_or(streams.broken);
  if (error == cudaSuccess || releases) {
    const cudaError_t done = work();
    if (error == cudaSuccess) error = done;
  }
  if (error != cudaSuccess) last_error = error;
  return error;
}

std::vector<std::string> FakeCuda::live() const {
  std::vector<std::string> names = streams.live();
  for (const auto& [number, pool] : pools.live) names.push_back(fmt::format("pool {}", number));
  for (const std::string& block : memory.live()) names.push_back(block);
  return names;
}

std::vector<std::string> FakeCuda::log_from(std::size_t from) const {
  return {log.begin() + static_cast<std::ptrdiff_t>(std::min(from, log.size())), log.end()};
}

std::vector<std::byte> FakeCuda::read(const void* data, std::size_t bytes) {
  const FakeMemory::Access access(memory);
  const auto* start = static_cast<const std::byte*>(data);
  return {start, start + bytes};
}

void FakeCuda::write(void* data, const std::vector<std::byte>& bytes) {
  const FakeMemory::Access access(memory);
  std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(data));
  memory.set_written(data, bytes.size());
}

}  // namespace normbench
