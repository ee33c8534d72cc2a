#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "trace/call_tree.h"

namespace normbench {
namespace {

bool is_runtime(const Call& call) {
  return call.slice->kind == TraceKind::CudaRuntime || call.slice->kind == TraceKind::CudaDriver;
}

/// A number of a slice, and which call it is.
struct Numbered {
  std::uint64_t number = 0;
  std::int64_t start_ns = 0;
  std::int32_t call = -1;

  auto operator<=>(const Numbered&) const = default;
};

/// Finds the ranges that work was submitted in.
class Submissions {
 public:
  explicit Submissions(const std::vector<Call>& calls) : calls_(calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const TraceSlice& slice = *calls[i].slice;
      const auto number = static_cast<std::int32_t>(i);
      if (is_runtime(calls[i])) {
        if (slice.correlation >= 0)
          runtime_.push_back(
              {static_cast<std::uint64_t>(slice.correlation), slice.start_ns, number});
      } else if (slice.external_id != 0) {
        ranges_.push_back({slice.external_id, slice.start_ns, number});
      }
    }
    std::ranges::sort(runtime_);
    std::ranges::sort(ranges_);
  }

  /// The op or annotation that submitted this; -1: not known.
  std::int32_t of(const TraceSlice& work) const {
    const std::int32_t call =
        work.correlation < 0
            ? -1
            : last_before(runtime_, static_cast<std::uint64_t>(work.correlation), work.start_ns);
    const std::int64_t submitted_ns = call < 0 ? work.start_ns : slice_of(call).start_ns;
    const std::int32_t range =
        work.external_id == 0 ? -1 : last_before(ranges_, work.external_id, submitted_ns);
    return range >= 0 ? range : range_around(call);
  }

 private:
  const TraceSlice& slice_of(std::int32_t call) const {
    return *calls_[static_cast<std::size_t>(call)].slice;
  }

  /// Of those with the number the last that started by then, or else the first; -1: there is none.
  static std::int32_t last_before(const std::vector<Numbered>& sorted, std::uint64_t number,
                                  std::int64_t ns) {
    constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
    const auto next = std::ranges::upper_bound(sorted, Numbered{number, ns, last});
    if (next != sorted.begin() && std::prev(next)->number == number) return std::prev(next)->call;
    return next != sorted.end() && next->number == number ? next->call : -1;
  }

  std::int32_t range_around(std::int32_t call) const {
    while (call >= 0 && is_runtime(calls_[static_cast<std::size_t>(call)]))
      call = calls_[static_cast<std::size_t>(call)].parent;
    return call;
  }

  const std::vector<Call>& calls_;
  std::vector<Numbered> runtime_, ranges_;  // by correlation, by external id
};

}  // namespace

void add_device_time(const TraceModel& model, std::vector<Call>& calls) {
  const Submissions submissions(calls);
  for (const TraceLane& lane : model.lanes)
    for (const TraceSlice& slice : lane.slices) {
      if (!model.is_device_time(slice)) continue;
      const std::int32_t call = submissions.of(slice);
      if (call >= 0)
        calls[static_cast<std::size_t>(call)].self_device_ns += slice.end_ns - slice.start_ns;
    }
}

}  // namespace normbench
