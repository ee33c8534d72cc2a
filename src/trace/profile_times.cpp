#include <algorithm>
#include <limits>
#include <vector>

#include "trace/profile_rows.h"

namespace normbench {
namespace {

enum class Of { Step, Copy, Kernel, OtherWork };

/// A start or an end of a slice. If several borders have the same time, ends are sorted before
/// starts, so that slices that directly follow each other do not overlap.
struct Border {
  std::int64_t ns = 0;
  bool is_start = false;
  Of of = Of::Step;

  auto operator<=>(const Border&) const = default;
};

/// Returns true for a step of the profiler. In traces of PyTorch before 1.12, a step is a CpuOp.
bool is_step(const TraceSlice& slice) {
  return (slice.kind == TraceKind::UserAnnotation || slice.kind == TraceKind::CpuOp) &&
         slice.name.starts_with("ProfilerStep#");
}

Of work_of(const TraceSlice& slice, const DeviceDetails* details) {
  if (details != nullptr && details->over_link) return Of::Copy;
  const bool computes =
      slice.kind == TraceKind::Kernel || slice.kind == TraceKind::GpuUserAnnotation;
  return computes ? Of::Kernel : Of::OtherWork;
}

void add_borders(const TraceSlice& slice, Of of, std::vector<Border>& borders) {
  if (slice.end_ns <= slice.start_ns) return;
  borders.push_back({slice.start_ns, true, of});
  borders.push_back({slice.end_ns, false, of});
}

/// For a trace without steps, adds a step that covers the whole trace.
template <class Trace>
void add_whole(const Trace& trace, std::vector<Border>& borders) {
  TraceSlice whole;
  whole.start_ns = std::numeric_limits<std::int64_t>::max();
  whole.end_ns = std::numeric_limits<std::int64_t>::min();
  for (const auto& lane : trace.lanes)
    for (const TraceSlice& slice : lane.slices) {
      whole.start_ns = std::min(whole.start_ns, slice.start_ns);
      whole.end_ns = std::max(whole.end_ns, slice.end_ns);
    }
  add_borders(whole, Of::Step, borders);
}

template <class Trace>
std::vector<Border> borders_of(const Trace& trace) {
  std::vector<Border> borders;
  for (const auto& lane : trace.lanes)
    for (const TraceSlice& slice : lane.slices) {
      if (is_step(slice)) add_borders(slice, Of::Step, borders);
      if (trace.is_device_time(slice))
        add_borders(slice, work_of(slice, trace.details_of(slice)), borders);
    }
  if (profile_steps(trace) == 0) add_whole(trace, borders);
  std::ranges::sort(borders);
  return borders;
}

/// Computes `times` from the borders (starts and ends of slices). pass() must be called with each
/// border, in sorted order.
class Sweep {
 public:
  void pass(const Border& border) {
    if (border.ns > last_ns_) add(border.ns - last_ns_);
    last_ns_ = border.ns;
    const int by = border.is_start ? 1 : -1;
    if (border.of == Of::Step) {
      steps_ += by;
      if (steps_ == 0) had_work_ = false;
    } else {
      (border.of == Of::Copy ? copies_ : border.of == Of::Kernel ? kernels_ : others_) += by;
    }
  }

  ProfileTimes times;

 private:
  void add(std::int64_t ns) {
    if (steps_ == 0) return;
    const int work = copies_ + kernels_ + others_;
    times.wall_ns += ns;
    if (work > 1) times.overlap_ns += ns;
    if (copies_ > 0) times.copy_ns += ns;
    if (copies_ > 0 && kernels_ == 0) times.exposed_copy_ns += ns;
    if (work == 0) {
      idle_ns_ += ns;
      return;
    }
    times.busy_ns += ns;
    if (had_work_ && idle_ns_ > 0) {
      ++times.gaps;
      times.gap_ns += idle_ns_;
    }
    had_work_ = true;
    idle_ns_ = 0;
  }

  std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::max();
  int steps_ = 0, copies_ = 0, kernels_ = 0, others_ = 0;
  bool had_work_ = false;     // work has run since the step began
  std::int64_t idle_ns_ = 0;  // time since the last work
};

template <class Trace>
ProfileTimes times_of(const Trace& trace) {
  Sweep sweep;
  for (const Border& border : borders_of(trace)) sweep.pass(border);
  return sweep.times;
}

template <class Trace>
std::int64_t steps_of(const Trace& trace) {
  std::int64_t steps = 0;
  for (const auto& lane : trace.lanes)
    for (const TraceSlice& slice : lane.slices) steps += is_step(slice) ? 1 : 0;
  return steps;
}

}  // namespace

std::int64_t profile_steps(const TraceModel& model) { return steps_of(model); }
std::int64_t profile_steps(const ReadTrace& trace) { return steps_of(trace); }

ProfileTimes profile_times(const TraceModel& model) { return times_of(model); }
ProfileTimes profile_times(const ReadTrace& trace) { return times_of(trace); }

ProfileLosses profile_losses(const TraceLosses& losses) {
  return {.dropped = losses.dropped,
          .lost_buffers = losses.lost_buffers,
          .without_times = losses.without_times,
          .launches = losses.launches,
          .launched = losses.launched,
          .without_launch = losses.without_launch,
          .before_launch = losses.before_launch,
          .most_skew_ns = losses.most_skew_ns};
}

}  // namespace normbench
