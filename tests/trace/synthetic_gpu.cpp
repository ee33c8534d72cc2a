#include "trace/synthetic_gpu.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/build_model.h"
#include "trace/models.h"

namespace normbench {
namespace {

constexpr std::int64_t kPid = 4000, kWorker = 4001;
constexpr std::int64_t kStart = 5'000'000'000;  // start of the first step, on the recorder's clock
constexpr std::array<std::string_view, 4> kSteps{"ProfilerStep#2", "ProfilerStep#3",
                                                 "ProfilerStep#4", "ProfilerStep#5"};

/// Adds the slices and the records of one step to a profile.
class Step {
 public:
  Step(std::int64_t start_ns, std::vector<Slice>& host, DeviceTrace& device, std::int64_t& last_id)
      : start_ns_(start_ns), host_(host), device_(device), last_id_(last_id) {}

  std::int64_t ns(std::int64_t us) const { return start_ns_ + us * 1000; }

  void stage(std::int64_t start_us, std::int64_t end_us, std::string_view name) {
    external_id_ = static_cast<std::uint64_t>(++last_id_);
    host_.push_back(slice(ns(start_us), ns(end_us), name, RangeKind::Stage, 1, 0, external_id_));
  }

  /// Adds a call. All work that is added before the next call belongs to this call.
  void call(Activity activity, std::int64_t start_us, std::int64_t end_us, std::string_view name) {
    correlation_ = ++last_id_;
    add(activity, start_us, end_us, name).thread = kPid;
  }

  DeviceRecord& work(Activity activity, std::int64_t stream, std::int64_t start_us,
                     std::int64_t end_us, std::string_view name) {
    DeviceRecord& record = add(activity, start_us, end_us, name);
    record.stream = stream;
    return record;
  }

  void kernel(std::int64_t stream, std::int64_t start_us, std::int64_t end_us,
              std::string_view name) {
    work(Activity::Kernel, stream, start_us, end_us, name).launch =
        LaunchShape{.grid = {400, 1, 1},
                    .block = {256, 1, 1},
                    .registers_per_thread = 32,
                    .shared_bytes = 1024};
  }

  void graph_kernel(std::int64_t node, std::int64_t start_us, std::int64_t end_us,
                    std::string_view name) {
    kernel(7, start_us, end_us, name);
    device_.records.back().graph = 1;
    device_.records.back().graph_node = node;
  }

 private:
  DeviceRecord& add(Activity activity, std::int64_t start_us, std::int64_t end_us,
                    std::string_view name) {
    device_.records.push_back({.activity = activity,
                               .start_ns = ns(start_us),
                               .end_ns = ns(end_us),
                               .name = device_.name(name),
                               .correlation = correlation_,
                               .external_id = external_id_,
                               .context = 1});
    return device_.records.back();
  }

  std::int64_t start_ns_;
  std::vector<Slice>& host_;
  DeviceTrace& device_;
  std::int64_t& last_id_;
  std::int64_t correlation_ = -1;
  std::uint64_t external_id_ = 0;
};

void copy_in(Step& step) {
  step.stage(10, 60, "h2d");
  step.call(Activity::Runtime, 20, 30, "cudaMemcpyAsync");
  DeviceRecord& copy = step.work(Activity::Memcpy, 13, 40, 140, "Memcpy HtoD (Pinned -> Device)");
  copy.bytes = 5'000'000;
  copy.over_link = true;
}

void compute(Step& step) {
  step.stage(100, 160, "normalize");
  step.call(Activity::Runtime, 110, 120, "cudaLaunchKernel");
  step.kernel(7, 150, 250, "void normalize<unsigned char, float>(float*)");
  step.stage(170, 230, "cast");
  step.call(Activity::Driver, 180, 190, "cuLaunchKernel");
  step.kernel(14, 200, 260, "cast");
  step.stage(240, 300, "sub + div");
  step.call(Activity::Runtime, 245, 270, "cudaGraphLaunch");
  step.graph_kernel(1, 300, 350, "sub");
  step.graph_kernel(2, 350, 420, "div");
}

void finish(Step& step) {
  step.stage(305, 345, "tail");
  step.call(Activity::Runtime, 310, 320, "cudaLaunchKernel");
  step.kernel(7, 400, 460, "tail");
  step.call(Activity::Runtime, 330, 340, "cudaMemsetAsync");
  step.work(Activity::Memset, 13, 345, 355, "Memset (Device)").bytes = 1'000'000;
}

void copy_out(Step& step) {
  step.stage(470, 720, "d2h");
  step.call(Activity::Runtime, 480, 490, "cudaMemcpyAsync");
  DeviceRecord& copy = step.work(Activity::Memcpy, 13, 500, 700, "Memcpy DtoH (Device -> Pinned)");
  copy.bytes = 10'000'000;
  copy.over_link = true;
  step.call(Activity::Runtime, 510, 710, "cudaStreamSynchronize");
  step.work(Activity::Sync, 13, 512, 709, "Stream Sync");
}

}  // namespace

ProfileTrace synthetic_gpu_profile(int steps) {
  std::vector<Slice> host, worker;
  DeviceTrace device{.source = "CUPTI"};
  std::int64_t last_id = 100;
  for (int i = 0; i < steps; ++i) {
    Step step(kStart + i * 1'000'000, host, device, last_id);
    copy_in(step);
    compute(step);
    finish(step);
    copy_out(step);
    host.push_back(
        slice(step.ns(0), step.ns(900), kSteps.at(static_cast<std::size_t>(i)), RangeKind::Step));
    worker.push_back(slice(step.ns(730), step.ns(880), "gather", RangeKind::Worker));
  }
  ProfileTrace profile{.experiment = "synthetic",
                       .variant = "three streams",
                       .point = {{"batch", 8}},
                       .threads = {}};
  profile.threads.push_back({.tid = kPid, .name = "main", .slices = std::move(host)});
  profile.threads.push_back({.tid = kWorker, .name = "omp worker 1", .slices = std::move(worker)});
  profile.devices.push_back(std::move(device));
  profile.shapes = {{"normalize", "[[8, 3, 64, 64]]"}};
  return profile;
}

TraceModel synthetic_gpu_model() {
  TraceModel model;
  model.metadata = {{"config", "synthetic"}};
  model.base_ns = kStart - 1'000'000;
  model.base_wall_ns = 1775078550000000000;
  model.processes = {{.pid = kPid, .name = "normbench synthetic", .labels = "CPU"}};
  model.device_properties = Json::array({{{"id", 0}, {"name", "Synthetic GPU"}, {"numSms", 100}}});
  add_profile(model, synthetic_gpu_profile(4), kPid);
  finish_model(model);
  return model;
}

}  // namespace normbench
