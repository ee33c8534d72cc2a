#include "trace/profile_rows.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/enums.h"
#include "core/saturated.h"
#include "record/recorder.h"
#include "trace/call_tree.h"

namespace normbench {
namespace {

/// Stores the durations of the calls that a table row counts. A duration below 2^32 - 1 ns takes 4
/// bytes. A longer duration, or one that equals the previous duration, only increases a count in
/// `repeats_`.
class Durations {
 public:
  void add(std::int64_t ns) {
    ++count_;
    if (ns == last_ns_) {
      ++repeats_[ns];
    } else if (ns < std::numeric_limits<std::uint32_t>::max()) {
      short_.push_back(static_cast<std::uint32_t>(ns));
    } else {
      ++repeats_[ns];
    }
    last_ns_ = ns;
  }

  /// Returns the minimum, the median, the 95th percentile and the maximum, by the nearest-rank
  /// method.
  std::array<std::int64_t, 4> nearest_ranks() {
    std::ranges::sort(short_);
    std::array<std::int64_t, 4> values{};
    constexpr std::array<std::int64_t, 4> percents{0, 50, 95, 100};
    auto next = short_.begin();
    auto repeated = repeats_.begin();
    std::size_t wanted = 0;
    for (std::int64_t passed = 0; wanted < percents.size();) {
      const bool single =
          repeated == repeats_.end() || (next != short_.end() && *next <= repeated->first);
      const std::int64_t ns = single ? *next++ : repeated->first;
      passed += single ? 1 : (repeated++)->second;
      while (wanted < percents.size() &&
             std::max<std::int64_t>((percents[wanted] * count_ + 99) / 100, 1) <= passed)
        values[wanted++] = ns;
    }
    return values;
  }

 private:
  std::int64_t count_ = 0, last_ns_ = -1;
  std::vector<std::uint32_t> short_;
  std::map<std::int64_t, std::int64_t> repeats_;
};

/// Members of Filling that only few rows need. They are allocated separately to save memory.
struct Rare {
  Bytes memory = {}, self_memory = {};
  std::string_view longest;
  std::int64_t longest_ns = 0;
};

/// A row of the profiler table that is being filled.
struct Filling {
  std::string_view name, shapes;
  bool on_device = false, annotation = false, async = false;
  std::int64_t calls = 0, only_ns = 0;
  std::int64_t cpu_ns = 0, self_cpu_ns = 0, device_ns = 0, self_device_ns = 0, bytes = 0;
  std::int64_t first_ns = 0, first_end_ns = 0, first_number = 0;
  std::unique_ptr<Durations> durations;  // made at the second call
  std::unique_ptr<Rare> rare;

  bool is_same(const Filling& other) const {
    return on_device == other.on_device && annotation == other.annotation &&
           shapes == other.shapes && name == other.name;
  }
  std::size_t hash() const {
    const std::hash<std::string_view> hash;
    return hash(name) ^ (31 * hash(shapes)) ^ (on_device ? 2u : 0u) ^ (annotation ? 1u : 0u);
  }
  /// Returns the sort key of the row, which is the position of its first call. A call comes before
  /// the calls inside it.
  std::tuple<std::int64_t, std::int64_t, std::int64_t> order() const {
    return {first_ns, -first_end_ns, first_number};
  }

  void add_call(const TraceSlice& slice, std::int64_t number) {
    const std::int64_t ns = slice.end_ns - slice.start_ns;
    if (calls == 1) {
      durations = std::make_unique<Durations>();
      durations->add(only_ns);
    }
    if (calls++ == 0)
      only_ns = ns;
    else
      durations->add(ns);
    const std::tuple here(slice.start_ns, -slice.end_ns, number);
    if (calls == 1 || here < order()) {
      first_ns = slice.start_ns;
      first_end_ns = slice.end_ns;
      first_number = number;
    }
    bytes = saturated_sum(bytes, slice.bytes);
    if (name != slice.name) note_longest(slice.name, ns);
  }

  void note_longest(std::string_view own_name, std::int64_t ns) {
    Rare& of = rare_part();
    if (ns < of.longest_ns) return;
    of.longest_ns = ns;
    of.longest = own_name;
  }

  Rare& rare_part() {
    if (!rare) rare = std::make_unique<Rare>();
    return *rare;
  }

  ProfileRow row() {
    ProfileRow row;
    row.name = name;
    row.place = on_device ? Place::Cuda : Place::Cpu;
    row.shapes = shapes;
    row.annotation = annotation;
    row.constants = name == constants_range;
    row.image = annotation && name == image_range;
    row.async = async;
    row.calls = calls;
    row.self_cpu_ns = self_cpu_ns;
    row.cpu_ns = cpu_ns;
    row.self_device_ns = self_device_ns;
    row.device_ns = device_ns;
    row.bytes = bytes;
    row.min_ns = row.p50_ns = row.p95_ns = row.max_ns = only_ns;
    if (durations) {
      const auto [least, half, most_of_all, most] = durations->nearest_ranks();
      row.min_ns = least;
      row.p50_ns = half;
      row.p95_ns = most_of_all;
      row.max_ns = most;
      durations.reset();
    }
    if (!rare) return row;
    row.longest = rare->longest;
    row.cpu_memory = rare->memory.host;
    row.device_memory = rare->memory.device;
    row.self_cpu_memory = rare->self_memory.host;
    row.self_device_memory = rare->self_memory.device;
    return row;
  }
};

class Rows {
 public:
  explicit Rows(bool by_shape) : by_shape_(by_shape) {}

  void add(const Call& call) {
    if (call.slice.kind == TraceKind::PythonFunction) return;
    Filling& filling = of(call.slice, call.slice.kind == TraceKind::UserAnnotation, call.number);
    filling.async |= call.slice.async;
    add(filling.cpu_ns, call.slice.end_ns - call.slice.start_ns);
    add(filling.self_cpu_ns, call.self_ns);
    add(filling.device_ns, call.device_ns);
    add(filling.self_device_ns, call.self_device_ns);
    add_memory(filling, call.memory, call.self_memory);
  }

  void add_device(const TraceSlice& slice, bool is_work) {
    Filling& filling = of(slice, slice.kind == TraceKind::GpuUserAnnotation && !is_work,
                          std::numeric_limits<std::int64_t>::max());
    add(filling.device_ns, slice.end_ns - slice.start_ns);
    filling.self_device_ns = filling.device_ns;
  }

  void add_uncovered(const TraceMemory& record) {
    Call call;
    call.slice.start_ns = call.slice.end_ns = record.ns;
    call.slice.name = "[memory]";
    (record.on_device ? call.memory.device : call.memory.host) = record.bytes;
    call.self_memory = call.memory;
    add(call);
  }

  /// Calls `take` with each row, in the order of the first calls of the rows.
  void give(const TakeRow& take) {
    index_.clear();
    std::vector<std::uint32_t> order(fillings_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return fillings_[i].order(); });
    for (const std::uint32_t i : order) take(fillings_[i].row());
  }

 private:
  /// Finds the row to which `slice` belongs, or adds this row. Counts one more call in the row, and
  /// returns the row.
  Filling& of(const TraceSlice& slice, bool annotation, std::int64_t number) {
    Filling& next = fillings_.emplace_back();
    next.name = row_name(slice);
    if (by_shape_) next.shapes = slice.shapes;
    next.on_device = is_on_gpu(slice.kind);
    next.annotation = annotation;
    const auto [found, is_new] = index_.insert(static_cast<std::uint32_t>(fillings_.size() - 1));
    if (!is_new) fillings_.pop_back();
    Filling& filling = fillings_[*found];
    filling.add_call(slice, number);
    return filling;
  }

  static void add(std::int64_t& sum, std::int64_t ns) { sum = saturated_sum(sum, ns); }

  static void add_memory(Filling& filling, const Bytes& memory, const Bytes& self_memory) {
    constexpr Bytes none;
    if (memory == none && self_memory == none) return;
    Rare& rare = filling.rare_part();
    rare.memory += memory;
    rare.self_memory += self_memory;
  }

  struct Hash {
    const std::deque<Filling>* fillings;
    std::size_t operator()(std::uint32_t i) const { return (*fillings)[i].hash(); }
  };
  struct Equal {
    const std::deque<Filling>* fillings;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return (*fillings)[a].is_same((*fillings)[b]);
    }
  };

  bool by_shape_;
  std::deque<Filling> fillings_;
  std::unordered_set<std::uint32_t, Hash, Equal> index_{0, Hash{&fillings_}, Equal{&fillings_}};
};

std::int64_t device_of(const DeviceDetails* details) {
  return details == nullptr ? -1 : details->device;
}

template <class Trace>
Submissions::Result submissions_of(const Trace& trace) {
  Submissions submissions(trace.nesting.start_error_ns);
  bool has_work = false;
  for (const auto& lane : trace.lanes)
    for (const TraceSlice& slice : lane.slices) has_work |= trace.is_device_time(slice);
  if (!has_work) return {};
  for (const auto& lane : trace.lanes) {
    for (const TraceSlice& slice : lane.slices) submissions.add_call(slice, lane.pid);
    submissions.finish_lane();
  }
  for (const auto& lane : trace.lanes)
    for (const TraceSlice& slice : lane.slices)
      if (trace.is_device_time(slice))
        submissions.add_work(slice, device_of(trace.details_of(slice)));
  if (submissions.needs_ids())
    for (const auto& lane : trace.lanes)
      for (const TraceSlice& slice : lane.slices) submissions.add_id(slice, lane.pid);
  return submissions.take();
}

/// Calls `take` with each slice. For a ReadLane, also removes all slices.
template <class Take>
void consume(const TraceLane& lane, const Take& take) {
  for (const TraceSlice& slice : lane.slices) take(slice);
}
template <class Take>
void consume(ReadLane& lane, const Take& take) {
  lane.slices.consume(take);
}

std::vector<TraceMemory> memory_of(const TraceModel& model) { return model.memory; }
std::vector<TraceMemory> memory_of(ReadTrace& trace) { return std::move(trace.memory); }

template <class Trace>
std::int64_t rows_of(Trace& trace, bool by_shape, const TakeRow& take) {
  const Submissions::Result submissions = submissions_of(trace);
  MemoryUse memory(memory_of(trace));
  Rows rows(by_shape);
  CallTree tree(trace.nesting, submissions.submitted, memory,
                [&](const Call& call) { rows.add(call); });
  for (auto& lane : trace.lanes) {
    consume(lane, [&](const TraceSlice& slice) {
      tree.add(slice);
      if (is_on_gpu(slice.kind)) rows.add_device(slice, trace.is_device_time(slice));
    });
    tree.finish_lane();
  }
  for (const TraceMemory& record : memory.uncovered()) rows.add_uncovered(record);
  rows.give(take);
  return submissions.ambiguous;
}

}  // namespace

std::int64_t profile_rows(const TraceModel& model, bool by_shape, const TakeRow& take) {
  return rows_of(model, by_shape, take);
}

std::int64_t profile_rows(ReadTrace& trace, bool by_shape, const TakeRow& take) {
  return rows_of(trace, by_shape, take);
}

std::vector<ProfileRow> profile_rows(const TraceModel& model, bool by_shape) {
  std::vector<ProfileRow> rows;
  profile_rows(model, by_shape, [&](ProfileRow&& row) { rows.push_back(std::move(row)); });
  return rows;
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
