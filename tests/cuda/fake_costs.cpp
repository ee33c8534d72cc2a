#include "cuda/fake_costs.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include "cuda/fake_streams.h"

namespace normbench {
namespace {

/// Returns by which factor all calls and device work are faster than on a GPU, or 0 if no costs are
/// simulated.
std::int64_t faster() {
  static const std::int64_t value = [] {
    const char* const text = std::getenv("NORMBENCH_FAKE_COSTS");
    return text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
  }();
  return value;
}

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The cost of a call on the host: a fixed time plus a time per byte.
struct CallCost {
  std::string_view function;
  double ns;
  double bytes_per_ns = 0;  // GB/s; 0: bytes take no time
};

// Published figures: 4 to 6 us per launch, 2.8 us of host time per pinned copy, 380 us per
// cudaMalloc, page-locking at 1 to 2 GB/s. The other figures are estimates.
constexpr auto kCalls = std::to_array<CallCost>({
    {"cudaLaunchKernel", 5e3},
    {"cudaGraphLaunch", 6e3},
    {"cudaGraphInstantiate", 5e4},
    {"cudaGraphExecDestroy", 1e4},
    {"cudaGraphDestroy", 1e4},
    {"cudaStreamBeginCapture", 5e3},
    {"cudaStreamEndCapture", 1e4},
    {"cudaMemcpyAsync", 2.8e3},
    {"cudaMemcpy", 1e4},
    {"cudaMemset", 5e3},
    {"cudaMemsetAsync", 3e3},
    {"cudaStreamSynchronize", 5e3},
    {"cudaEventSynchronize", 5e3},
    {"cudaDeviceSynchronize", 5e3},
    {"cudaEventRecord", 1.5e3},
    {"cudaEventElapsedTime", 1e3},
    {"cudaEventCreateWithFlags", 1e3},
    {"cudaEventDestroy", 1e3},
    {"cudaStreamWaitEvent", 1e3},
    {"cudaStreamCreateWithFlags", 3e4},
    {"cudaStreamDestroy", 2e4},
    {"cudaMalloc", 3.8e5},
    {"cudaFree", 2e5},
    {"cudaMallocFromPoolAsync", 2e3},
    {"cudaFreeAsync", 1e3},
    {"cudaMallocManaged", 1e5},
    {"cudaMemPrefetchAsync", 1e4},
    {"cudaHostAlloc", 1e5, 1.5},
    {"cudaFreeHost", 1e5, 5},
    {"cudaHostRegister", 5e4, 1.5},
    {"cudaHostUnregister", 5e4, 5},
    {"cudaGetDeviceProperties", 1e6},
});
constexpr double kContextNs = 1e9;  // time of the first cudaSetDevice

// The modelled GPU is a Tesla T4, one of the slowest GPUs that this build has kernels for. Its link
// is PCIe 3. The rate from pageable memory is from the blog post of configs/blog-gpu.json. Of the
// 320 GB/s of device memory, copies reach 260 GB/s.
constexpr double kPageableBytesPerNs = 4.14, kPinnedBytesPerNs = 12, kDeviceBytesPerNs = 260;
constexpr std::size_t kMemoryBytes = std::size_t{15} << 30;
constexpr std::int64_t kCacheBytes = 4 << 20;
constexpr double kStartNs = 2e3;        // to start a kernel or a copy on the device
constexpr double kBytesPerThread = 32;  // about the most that a thread reads and writes
constexpr int kLongestIteration = 8;    // the most device tasks in one iteration
constexpr std::int64_t kSpinNs = 200'000;
constexpr std::array<unsigned char, 2> kPoisons{0x55, 0xFF};  // checks fill outputs with these

bool makes_ready(std::string_view function) {
  return function == "cudaStreamCreateWithFlags" || function == "cudaMemcpy" ||
         function == "cudaMemset";
}

/// Returns the first number in a text, or 0 if there is none. Texts are like "1024 pinned->device
/// stream 1" or "device 1024".
double first_number(std::string_view arguments) {
  const auto at = arguments.find_first_of("0123456789");
  double number = 0;
  if (at != arguments.npos)
    std::from_chars(arguments.data() + at, arguments.data() + arguments.size(), number);
  return number;
}

}  // namespace

FakeCosts::FakeCosts() : faster_(faster()) {}

void FakeCosts::describe(cudaDeviceProp& device) const {
  if (!on()) return;
  device.name[std::string_view("Tesla T4").copy(device.name, sizeof(device.name) - 1)] = '\0';
  device.totalGlobalMem = kMemoryBytes;
  device.l2CacheSize = static_cast<int>(kCacheBytes / faster_);
}

FakeCosts::Call::Call(FakeCosts& costs, std::string_view function, std::string_view arguments)
    : costs_(costs) {
  if (!costs.on()) return;
  costs.function_ = function;
  costs.bytes_ = first_number(arguments) * static_cast<double>(costs.faster_);
  costs.pageable_ = arguments.find("pageable") != arguments.npos;
  if (makes_ready(function)) costs.looked_at_ = kLongestIteration;
  const auto* const cost = std::ranges::find(kCalls, function, &CallCost::function);
  double ns = 0;
  if (cost != kCalls.end())
    ns = cost->ns + (cost->bytes_per_ns > 0 ? costs.bytes_ / cost->bytes_per_ns : 0);
  if (costs.pageable_) ns += costs.bytes_ / kPageableBytesPerNs;
  if (function == "cudaSetDevice" && !costs.context_made_) {
    costs.context_made_ = true;
    ns = kContextNs;
  }
  end_ns_ = now_ns() + static_cast<std::int64_t>(ns);
}

FakeCosts::Call::~Call() { costs_.wait_until(end_ns_); }

std::int64_t FakeCosts::device_ns() const {
  double ns = kStartNs;
  if (function_ == "cudaLaunchKernel")
    ns += bytes_ * kBytesPerThread / kDeviceBytesPerNs;
  else if (function_.starts_with("cudaMemset"))
    ns += bytes_ / kDeviceBytesPerNs;
  else if (!pageable_)
    ns += bytes_ / kPinnedBytesPerNs;
  return static_cast<std::int64_t>(ns);
}

void FakeCosts::charge(FakeTask& task, bool captured) {
  if (!on()) return;
  const bool works = task.ns > 0 && function_ != "cudaEventRecord";
  if (works && function_ != "cudaGraphLaunch") task.ns = device_ns();
  if (captured) return;
  task.ready_ns = now_ns();
  if (!works) return;
  if (looked_at_ == 0) task.run = [] {};
  looked_at_ = std::max(looked_at_ - 1, 0);
}

void FakeCosts::wait_until(std::int64_t device_ns) const {
  if (!on()) return;
  for (std::int64_t left = device_ns - now_ns(); left > 0; left = device_ns - now_ns()) {
    if (left / faster_ > kSpinNs)
      std::this_thread::sleep_for(std::chrono::nanoseconds(left / faster_ - kSpinNs / 2));
  }
}

void FakeCosts::see_output(const void* host_memory, std::size_t bytes) {
  std::array<unsigned char, 16> start{};
  if (!on() || bytes < start.size()) return;
  std::memcpy(start.data(), host_memory, start.size());
  for (const unsigned char poison : kPoisons)
    if (std::ranges::count(start, poison) == std::ssize(start))
      looked_at_ = std::max(looked_at_, 1);
}

}  // namespace normbench

/// Replaces clock_gettime() for the whole process. If $NORMBENCH_FAKE_COSTS is a number N above 1,
/// all clocks except CLOCK_REALTIME run N times as fast.
extern "C" int clock_gettime(clockid_t clock, timespec* time) {
  using Function = int(clockid_t, timespec*);
  static auto* const real = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, time);
  const std::int64_t faster = normbench::faster();
  if (result != 0 || faster <= 1 || clock == CLOCK_REALTIME) return result;
  const std::int64_t ns = faster * (std::int64_t{time->tv_sec} * 1'000'000'000 + time->tv_nsec);
  *time = {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  return result;
}
