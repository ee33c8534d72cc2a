#include "trace/profile_rows.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/enums.h"
#include "record/recorder.h"
#include "trace/call_tree.h"

namespace normbench {
namespace {

struct RowKey {
  std::string_view name, shapes;
  bool on_device = false, annotation = false;

  bool operator==(const RowKey&) const = default;
};
struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const {
    const std::hash<std::string_view> hash;
    return hash(key.name) ^ (31 * hash(key.shapes)) ^ (key.on_device ? 2u : 0u) ^
           (key.annotation ? 1u : 0u);
  }
};

/// A row being filled.
struct Filling {
  ProfileRow row;
  std::vector<std::int64_t> calls_ns;  // of single calls
  std::int64_t first_ns = 0, first_end_ns = 0, longest_ns = 0;
};

/// The sample that at least `percent` of the sorted ones do not exceed.
std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  const std::size_t rank = (percent * sorted.size() + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

class Rows {
 public:
  explicit Rows(const TraceModel& model, bool by_shape) : model_(model), by_shape_(by_shape) {}

  void add(const Call& call) {
    ProfileRow& row = of(*call.slice).row;
    row.cpu_ns += call.slice->end_ns - call.slice->start_ns;
    row.self_cpu_ns += call.self_ns;
    row.device_ns += call.device_ns;
    row.self_device_ns += call.self_device_ns;
  }

  void add_device(const TraceSlice& slice) {
    ProfileRow& row = of(slice).row;
    row.device_ns += slice.end_ns - slice.start_ns;
    row.self_device_ns = row.device_ns;
  }

  /// The rows, with percentiles, by their first calls.
  std::vector<ProfileRow> take() {
    std::ranges::stable_sort(rows_, {}, [](const Filling& filling) {
      return std::pair(filling.first_ns, -filling.first_end_ns);
    });
    std::vector<ProfileRow> rows;
    for (Filling& filling : rows_) {
      std::vector<std::int64_t>& calls_ns = filling.calls_ns;
      std::ranges::sort(calls_ns);
      filling.row.min_ns = calls_ns.front();
      filling.row.p50_ns = nearest_rank(calls_ns, 50);
      filling.row.p95_ns = nearest_rank(calls_ns, 95);
      filling.row.max_ns = calls_ns.back();
      rows.push_back(std::move(filling.row));
    }
    return rows;
  }

 private:
  /// The row of the slice, with this call of it counted.
  Filling& of(const TraceSlice& slice) {
    const RowKey key{.name = row_name(slice),
                     .shapes = by_shape_ ? slice.shapes : std::string_view(),
                     .on_device = is_on_gpu(slice.kind),
                     .annotation = is_annotation(slice)};
    const auto [found, is_new] = index_.try_emplace(key, rows_.size());
    if (is_new) start_row(key, slice);
    Filling& filling = rows_[found->second];
    if (std::pair(slice.start_ns, -slice.end_ns) <
        std::pair(filling.first_ns, -filling.first_end_ns)) {
      filling.first_ns = slice.start_ns;
      filling.first_end_ns = slice.end_ns;
    }
    const std::int64_t ns = slice.end_ns - slice.start_ns;
    if (key.name != slice.name && ns >= filling.longest_ns) {
      filling.longest_ns = ns;
      filling.row.longest = slice.name;
    }
    filling.calls_ns.push_back(ns);
    filling.row.bytes += slice.bytes;
    ++filling.row.calls;
    return filling;
  }

  bool is_annotation(const TraceSlice& slice) const {
    return slice.kind == TraceKind::UserAnnotation ||
           (slice.kind == TraceKind::GpuUserAnnotation && !model_.is_device_time(slice));
  }

  void start_row(const RowKey& key, const TraceSlice& slice) {
    Filling& filling = rows_.emplace_back();
    filling.row.name = key.name;
    filling.row.place = key.on_device ? Place::Cuda : Place::Cpu;
    filling.row.shapes = key.shapes;
    filling.row.annotation = key.annotation;
    filling.row.constants = key.name == constants_range;
    filling.row.image = key.annotation && key.name == image_range;
    filling.first_ns = slice.start_ns;
    filling.first_end_ns = slice.end_ns;
  }

  const TraceModel& model_;
  bool by_shape_;
  std::vector<Filling> rows_;
  std::unordered_map<RowKey, std::size_t, RowKeyHash> index_;
};

}  // namespace

std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape) {
  Rows rows(model, by_shape);
  for (const Call& call : call_tree(model))
    if (!call.merged) rows.add(call);
  for (const TraceLane& lane : model.lanes)
    for (const TraceSlice& slice : lane.slices)
      if (is_on_gpu(slice.kind)) rows.add_device(slice);
  return rows.take();
}

void add_faults(std::vector<ProfileRow>& rows,
                const std::map<std::string, std::int64_t, std::less<>>& faults) {
  for (const auto& [label, count] : faults) {
    const auto row = std::ranges::find_if(rows, [&label = label](const ProfileRow& candidate) {
      return candidate.name == label && candidate.place == Place::Cpu && !candidate.annotation;
    });
    if (row != rows.end()) row->faults += count;
  }
}

}  // namespace normbench
