#include "trace/profile_rows.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/enums.h"
#include "record/recorder.h"

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

/// Bytes of the host and of devices.
struct Bytes {
  std::int64_t host = 0, device = 0;

  Bytes operator-(const Bytes& other) const {
    return {.host = host - other.host, .device = device - other.device};
  }
};

/// What was allocated, on whatever thread, while a call ran: PyTorch counts it so.
class MemoryUse {
 public:
  explicit MemoryUse(const TraceModel& model) : records_(model.memory) {
    std::ranges::stable_sort(records_, {}, &TraceMemory::ns);
    sums_.reserve(records_.size() + 1);
    for (const TraceMemory& record : records_) {
      Bytes sum = sums_.back();
      (record.on_device ? sum.device : sum.host) += record.bytes;
      sums_.push_back(sum);
    }
    opened_.resize(records_.size() + 1);
  }

  bool is_empty() const { return records_.empty(); }

  Bytes during(const TraceSlice& slice) const {
    const auto [first, last] = range(slice);
    return sums_[last] - sums_[first];
  }
  /// Notes that what was allocated meanwhile has a call.
  void cover(const TraceSlice& slice) {
    const auto [first, last] = range(slice);
    ++opened_[first];
    --opened_[last];
  }
  /// What no call covers.
  std::vector<TraceMemory> uncovered() const {
    std::vector<TraceMemory> rest;
    std::int64_t open = 0;
    for (std::size_t i = 0; i < records_.size(); ++i)
      if ((open += opened_[i]) == 0) rest.push_back(records_[i]);
    return rest;
  }

 private:
  /// The records from its start to its end, both included.
  std::pair<std::size_t, std::size_t> range(const TraceSlice& slice) const {
    const auto at = [&](auto found) { return static_cast<std::size_t>(found - records_.begin()); };
    return {at(std::ranges::lower_bound(records_, slice.start_ns, {}, &TraceMemory::ns)),
            at(std::ranges::upper_bound(records_, slice.end_ns, {}, &TraceMemory::ns))};
  }

  std::vector<TraceMemory> records_;  // by time
  std::vector<Bytes> sums_{Bytes{}};  // of the records before each, and of all
  std::vector<std::int64_t> opened_;  // how many more calls cover a record than the one before it
};

/// The sample that at least `percent` of the sorted ones do not exceed.
std::int64_t nearest_rank(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  const std::size_t rank = (percent * sorted.size() + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

class Rows {
 public:
  explicit Rows(const TraceModel& model, bool by_shape) : model_(model), by_shape_(by_shape) {}

  void add(const Call& call, const Bytes& memory, const Bytes& self_memory) {
    ProfileRow& row = of(*call.slice).row;
    row.cpu_memory += memory.host;
    row.device_memory += memory.device;
    row.self_cpu_memory += self_memory.host;
    row.self_device_memory += self_memory.device;
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
    filling.row.async = slice.async;
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

/// Adds the calls with what was allocated in them, and a row of what was allocated outside of any.
void add_calls(const TraceModel& model, const std::vector<Call>& calls, Rows& rows) {
  MemoryUse use(model);
  std::vector<Bytes> below(use.is_empty() ? 0 : calls.size());  // in the direct children of each
  for (const Call& call : calls) {
    if (use.is_empty()) break;
    use.cover(*call.slice);
    if (call.parent < 0 || call.merged) continue;
    const Bytes memory = use.during(*call.slice);
    Bytes& sum = below[static_cast<std::size_t>(call.parent)];
    sum.host += memory.host;
    sum.device += memory.device;
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call& call = calls[i];
    if (call.merged || call.slice->kind == TraceKind::PythonFunction) continue;
    const Bytes memory = use.is_empty() ? Bytes{} : use.during(*call.slice);
    const bool has_self = !use.is_empty() && !call.slice->async;
    rows.add(call, memory, has_self ? memory - below[i] : Bytes{});
  }
  for (const TraceMemory& record : use.uncovered()) {
    TraceSlice slice;
    slice.start_ns = slice.end_ns = record.ns;
    slice.name = "[memory]";
    Call call;
    call.slice = &slice;
    const Bytes bytes{.host = record.on_device ? 0 : record.bytes,
                      .device = record.on_device ? record.bytes : 0};
    rows.add(call, bytes, bytes);
  }
}

}  // namespace

std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape) {
  return profile_rows(model, call_tree(model), by_shape);
}

std::vector<ProfileRow> profile_rows(const TraceModel& model, const CallTree& tree, bool by_shape) {
  Rows rows(model, by_shape);
  add_calls(model, tree.calls, rows);
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
