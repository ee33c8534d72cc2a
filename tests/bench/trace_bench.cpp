/// Measures the cost of writing a trace: events and bytes per second, and the growth of memory.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <ostream>
#include <streambuf>
#include <string>

#include "trace/build_model.h"
#include "report/chrome/chrome.h"
#include "report/chrome/gzip.h"
#include "trace/model.h"

namespace normbench {
namespace {

constexpr std::int64_t kKernels = 1'000'000;  // each kernel has a call: 2 million slices

/// Returns the trace of a long GPU run: kernels of four names, and a call that launches each.
ProfileTrace long_run() {
  constexpr std::array<const char*, 4> names{
      "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)",
      "normalize", "void normbench::cast<unsigned char, float>(float*, unsigned char const*)",
      "sub"};
  DeviceTrace device{.source = "CUPTI"};
  device.records.reserve(2 * kKernels);
  std::vector<Slice> steps;
  for (std::int64_t i = 0; i < kKernels; ++i) {
    const std::int64_t ns = 1'000'000'000 + i * 5000;
    device.records.push_back({.activity = Activity::Runtime,
                              .start_ns = ns,
                              .end_ns = ns + 2000,
                              .name = device.name("cudaLaunchKernel"),
                              .correlation = i,
                              .external_id = static_cast<std::uint64_t>(1 + i / 10),
                              .thread = 4000});
    device.records.push_back(
        {.activity = Activity::Kernel,
         .start_ns = ns + 3000,
         .end_ns = ns + 7001,
         .name = device.name(names[static_cast<std::size_t>(i) % names.size()]),
         .correlation = i,
         .external_id = static_cast<std::uint64_t>(1 + i / 10),
         .context = 1,
         .stream = 7,
         .launch = LaunchShape{.grid = {4320, 1, 1},
                               .block = {256, 1, 1},
                               .registers_per_thread = 32,
                               .shared_bytes = 0}});
    if (i % 1000 == 0)
      steps.push_back({.start_ns = ns - 1,
                       .end_ns = ns + 5'000'000 - 1,
                       .name = "ProfilerStep#1",
                       .kind = RangeKind::Step});
  }
  ProfileTrace profile{.experiment = "", .variant = "", .point = Json::object(), .threads = {}};
  profile.threads.push_back({.tid = 4000, .name = "main", .slices = std::move(steps)});
  profile.devices.push_back(std::move(device));
  return profile;
}

TraceModel model_of(const ProfileTrace& profile) {
  TraceModel model;
  model.base_ns = 1'000'000'000;
  model.processes = {{.pid = 4000, .name = "normbench", .labels = "CPU"}};
  add_profile(model, profile, 4000);
  finish_model(model);
  return model;
}

const TraceModel& big_model() {
  static const TraceModel model = model_of(long_run());
  return model;
}

std::int64_t slices_of(const TraceModel& model) {
  std::int64_t slices = 0;
  for (const TraceLane& lane : model.lanes) slices += static_cast<std::int64_t>(lane.slices.size());
  return slices;
}

/// A stream buffer that counts bytes and discards them.
class Counting final : public std::streambuf {
 public:
  std::int64_t bytes = 0;

 protected:
  int_type overflow(int_type c) override {
    ++bytes;
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char*, std::streamsize size) override {
    bytes += size;
    return size;
  }
};

/// Returns the peak memory of this process since forget_peak(), in bytes; -1 if it cannot be read.
std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::int64_t kilobytes = 0; word == "VmHWM:" && status >> kilobytes)
      return kilobytes * 1024;
  return -1;
}

/// Resets the peak to the memory that is resident now. Returns the new peak in bytes, or -1 if it
/// cannot be read.
std::int64_t forget_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
  return peak_bytes();
}

/// Returns the number of events in the trace file. A slice is one event, and a flow is two.
/// Counters and names are not counted.
std::int64_t events_of(const TraceModel& model) {
  return slices_of(model) + 2 * static_cast<std::int64_t>(model.flows.size());
}

void report(benchmark::State& state, std::int64_t bytes, std::int64_t before) {
  state.SetItemsProcessed(state.iterations() * events_of(big_model()));
  state.SetBytesProcessed(state.iterations() * bytes);
  state.counters["slices"] = static_cast<double>(slices_of(big_model()));
  state.counters["file_MB"] = static_cast<double>(bytes) / 1e6;
  state.counters["peak_growth_MB"] = static_cast<double>(peak_bytes() - before) / 1e6;
}

void write_to_nowhere(benchmark::State& state) {
  const TraceModel& model = big_model();
  const std::int64_t before = forget_peak();
  Counting nowhere;
  for (auto _ : state) {
    nowhere.bytes = 0;
    std::ostream out(&nowhere);
    write_chrome(model, out);
  }
  report(state, nowhere.bytes, before);
}
BENCHMARK(write_to_nowhere)->Unit(benchmark::kMillisecond)->UseRealTime();

void write_to_a_file(benchmark::State& state) {
  const TraceModel& model = big_model();
  const std::int64_t before = forget_peak();
  const std::string path = "/tmp/normbench_trace_bench." + std::to_string(getpid());
  std::int64_t bytes = 0;
  for (auto _ : state) {
    std::ofstream out(path, std::ios::binary);
    write_chrome(model, out);
    bytes = out.tellp();
  }
  std::remove(path.c_str());
  report(state, bytes, before);
}
BENCHMARK(write_to_a_file)->Unit(benchmark::kMillisecond)->UseRealTime();

void write_packed(benchmark::State& state) {
  const TraceModel& model = big_model();
  const std::int64_t before = forget_peak();
  Counting nowhere;
  for (auto _ : state) {
    nowhere.bytes = 0;
    std::ostream out(&nowhere);
    gzip_to(out, [&](std::ostream& text) { write_chrome(model, text); });
  }
  report(state, nowhere.bytes, before);
}
BENCHMARK(write_packed)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

void build_and_finish(benchmark::State& state) {
  const ProfileTrace profile = long_run();
  for (auto _ : state) benchmark::DoNotOptimize(model_of(profile).lanes.data());
  state.SetItemsProcessed(state.iterations() * 2 * kKernels);
}
BENCHMARK(build_and_finish)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace normbench
