#include "trace/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>

namespace normbench {
namespace {

using Correlations = std::unordered_set<std::int64_t>;

constexpr auto kStarters = std::to_array<std::string_view>(
    {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaGraphLaunch", "cudaMemcpy",
     "cudaMemset", "cuLaunchKernel", "cuLaunchCooperativeKernel", "cuGraphLaunch", "cuMemcpy",
     "cuMemset"});

bool is_launch(const TraceSlice& slice) {
  return (slice.kind == TraceKind::CudaRuntime || slice.kind == TraceKind::CudaDriver) &&
         starts_device_work(slice.name);
}

/// The launches of a lane's slices, one after another.
class Launches {
 public:
  Launches(const Correlations& worked, TraceLosses& losses, LossMarks& marks)
      : worked_(worked), losses_(losses), marks_(marks) {}

  void add(const TraceSlice& call) {
    if (outer_ == nullptr || call.start_ns >= outer_->end_ns) {
      finish();
      outer_ = &call;
    }
    has_work_ = has_work_ || worked_.contains(call.correlation);
  }

  /// Counts the launch that is open.
  void finish() {
    if (outer_ == nullptr) return;
    ++losses_.launches;
    if (has_work_)
      ++losses_.launched;
    else
      marks_.add("launches", outer_->start_ns,
                 fmt::format("{} started work that was not recorded", outer_->name));
    outer_ = nullptr;
    has_work_ = false;
  }

 private:
  const Correlations& worked_;
  TraceLosses& losses_;
  LossMarks& marks_;
  const TraceSlice* outer_ = nullptr;
  bool has_work_ = false;
};

void count_without_launch(const TraceSlice& work, const HostIndex& index, TraceLosses& losses,
                          LossMarks& marks) {
  if (index.call(work.correlation)) return;
  ++losses.without_launch;
  marks.add("without_launch", work.start_ns,
            fmt::format("the call that started {} was not recorded", work.name));
}

}  // namespace

bool starts_device_work(std::string_view call) {
  return std::ranges::any_of(kStarters,
                             [&](std::string_view name) { return call.starts_with(name); });
}

void count_launches(const std::vector<TraceLane>& hosts, const std::vector<TraceLane>& devices,
                    const HostIndex& index, TraceLosses& losses, LossMarks& marks) {
  Correlations worked;
  for (const TraceLane& lane : devices)
    for (const TraceSlice& slice : lane.slices)
      if (is_gpu_work(slice.kind)) {
        worked.insert(slice.correlation);
        count_without_launch(slice, index, losses, marks);
      }
  for (const TraceLane& lane : hosts) {
    Launches launches(worked, losses, marks);
    for (const TraceSlice& slice : lane.slices)
      if (is_launch(slice)) launches.add(slice);
    launches.finish();
  }
}

}  // namespace normbench
