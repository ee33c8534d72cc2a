/// Functions that libnvidia-ml has since CUDA 13. They return other values than the older
/// functions, so that a test can tell which function was called.
#include <cstdlib>
#include <string_view>

namespace {

struct Temperature {
  unsigned version;
  int sensor;
  int celsius;
};

bool fails(std::string_view function) {
  const char* const named = std::getenv("FAKE_NVML_FAILS");
  return named != nullptr && std::string_view(named).find(function) != std::string_view::npos;
}

}  // namespace

extern "C" {

int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* mask) {
  if (fails("nvmlDeviceGetCurrentClocksEventReasons")) return 3;
  *mask = 0x4 | 0x40;
  return 0;
}

int nvmlDeviceGetTemperatureV(void*, Temperature* temperature) {
  if (fails("nvmlDeviceGetTemperatureV")) return 3;
  if (temperature->version != (sizeof(Temperature) | 1u << 24)) return 25;
  temperature->celsius = temperature->sensor == 0 ? 63 : 0;
  return 0;
}
}
