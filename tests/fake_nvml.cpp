/// A fake libnvidia-ml with GPUs at 0000:17:00.0 and 0000:1b:00.0. The environment variable
/// FAKE_NVML_FAILS lists function names, separated by commas. The listed functions return "not
/// supported".
#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

constexpr int kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6;

/// One of the two GPUs. Its NVML handle is its address. Both GPUs return the same values, except
/// for the members of this struct.
struct Gpu {
  const char* bus_id;
  unsigned sm_clock, power_limit;
};
Gpu gpus[] = {{"0000:17:00.0", 1755, 700'000}, {"0000:1b:00.0", 1410, 350'000}};
int started = 0;

bool is_gpu(const void* handle) { return handle == &gpus[0] || handle == &gpus[1]; }
const Gpu& gpu_of(const void* handle) { return handle == &gpus[1] ? gpus[1] : gpus[0]; }

bool fails(const char* function) {
  const char* const named = std::getenv("FAKE_NVML_FAILS");
  const std::string all = named == nullptr ? "" : "," + std::string(named) + ",";
  return all.find("," + std::string(function) + ",") != std::string::npos;
}

template <class Value>
int answer(const char* function, const void* handle, Value* out, Value value) {
  if (fails(function)) return kNotSupported;
  if (started == 0 || !is_gpu(handle) || out == nullptr) return kInvalidArgument;
  *out = value;
  return kSuccess;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (fails("nvmlInit_v2")) return kNotSupported;
  ++started;
  return kSuccess;
}

int nvmlShutdown() {
  --started;
  return kSuccess;
}

const char* nvmlErrorString(int result) {
  return result == kNotFound ? "Not Found" : result == kNotSupported ? "Not Supported" : "Other";
}

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  constexpr std::string_view kVersion = "580.95.05";
  if (fails("nvmlSystemGetDriverVersion")) return kNotSupported;
  if (started == 0 || length <= kVersion.size()) return kInvalidArgument;
  std::memcpy(version, kVersion.data(), kVersion.size() + 1);
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** handle) {
  for (Gpu& gpu : gpus)
    if (strcasecmp(id, gpu.bus_id) == 0)
      return answer<void*>("nvmlDeviceGetHandleByPciBusId_v2", &gpu, handle, &gpu);
  return kNotFound;
}

int nvmlDeviceGetClockInfo(void* device, int clock, unsigned* mhz) {
  return answer("nvmlDeviceGetClockInfo", device, mhz,
                clock == 1 ? gpu_of(device).sm_clock : 2619u);
}

int nvmlDeviceGetMaxClockInfo(void* device, int clock, unsigned* mhz) {
  return answer("nvmlDeviceGetMaxClockInfo", device, mhz, clock == 1 ? 1980u : 2620u);
}

int nvmlDeviceGetCurrPcieLinkGeneration(void* device, unsigned* generation) {
  return answer("nvmlDeviceGetCurrPcieLinkGeneration", device, generation, 4u);
}

int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* width) {
  return answer("nvmlDeviceGetCurrPcieLinkWidth", device, width, 8u);
}

int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned* generation) {
  return answer("nvmlDeviceGetMaxPcieLinkGeneration", device, generation, 5u);
}

int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned* width) {
  return answer("nvmlDeviceGetMaxPcieLinkWidth", device, width, 16u);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* mask) {
  return answer("nvmlDeviceGetCurrentClocksThrottleReasons", device, mask, 0x1ull);
}

int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* celsius) {
  return answer("nvmlDeviceGetTemperature", device, celsius, sensor == 0 ? 41u : 0u);
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  return answer("nvmlDeviceGetPowerUsage", device, milliwatts, 312'500u);
}

int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* milliwatts) {
  return answer("nvmlDeviceGetEnforcedPowerLimit", device, milliwatts, gpu_of(device).power_limit);
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  return answer("nvmlDeviceGetTotalEnergyConsumption", device, millijoules, 5'000'000'000ull);
}

struct MemoryBytes {
  unsigned long long total, free, used;
};

int nvmlDeviceGetMemoryInfo(void* device, MemoryBytes* bytes) {
  return answer("nvmlDeviceGetMemoryInfo", device, bytes,
                MemoryBytes{80ull << 30, 70ull << 30, 10ull << 30});
}

struct FieldValue {
  unsigned field, scope;
  long long at_us, latency_us;
  int type, result;
  unsigned long long value;
};

/// Writes the value of each requested field. Most fields are the total time in ns for which one
/// cause has held the clocks back. In some older drivers, fields 251 to 253 are such times. This
/// library acts like newer drivers, in which fields 251 to 253 are settings, and the times are
/// fields 269 and up. Each call adds FAKE_NVML_HELD_BACK_NS to the time of the power cap (field
/// 74).
int nvmlDeviceGetFieldValues(void* device, int count, FieldValue* values) {
  static unsigned long long power_ns = 2'000'000'000;
  if (const char* const step = std::getenv("FAKE_NVML_HELD_BACK_NS"))
    power_ns += std::strtoull(step, nullptr, 10);
  int answered = 0;
  if (const int result = answer("nvmlDeviceGetFieldValues", device, &answered, count);
      result != kSuccess)
    return result;
  for (FieldValue* one = values; one < values + count; ++one) {
    one->result = kSuccess;
    one->type = 3;
    if (one->field == 74)
      one->value = power_ns;
    else if (one->field == 76 || one->field == 271)
      one->value = 0;
    else if (one->field >= 251 && one->field <= 253)
      one->value = one->type = 1;
    else if (one->field == 269)
      one->value = 3'000'000'000;
    else
      one->result = kNotSupported;
  }
  return kSuccess;
}

int nvmlDeviceGetPersistenceMode(void* device, int* mode) {
  return answer("nvmlDeviceGetPersistenceMode", device, mode, 1);
}
}
