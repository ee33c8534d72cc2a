#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "trace/profile_table.h"

namespace normbench {
namespace {

bool is_on_device(const Slice& slice) { return slice.place != Place::Cpu; }

/// True for what the host did and the table shows.
bool in_table(const Slice& slice) {
  if (is_on_device(slice)) return false;
  return slice.kind == RangeKind::Step || slice.kind == RangeKind::Stage ||
         slice.kind == RangeKind::Part;
}

/// The name of a slice's row: all steps share one.
std::string row_name(const Slice& slice) {
  const bool step = slice.kind == RangeKind::Step && slice.name.starts_with("ProfilerStep#");
  return step ? "ProfilerStep*" : std::string(slice.name);
}

/// The table's slices of a thread, parents before their children.
std::vector<Slice> parents_first(const ThreadLog& thread) {
  std::vector<Slice> slices;
  std::ranges::copy_if(thread.slices, std::back_inserter(slices), in_table);
  std::ranges::stable_sort(slices, [](const Slice& a, const Slice& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
    return a.depth < b.depth;
  });
  return slices;
}

/// Time of each slice that no child of it covers.
std::vector<std::int64_t> self_times(const std::vector<Slice>& slices) {
  std::vector<std::int64_t> self_ns;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::int64_t duration_ns = slices[i].end_ns - slices[i].start_ns;
    self_ns.push_back(duration_ns);
    // A slice that starts inside another and ends after it is no child of it.
    while (!open.empty() && slices[open.back()].end_ns < slices[i].end_ns) open.pop_back();
    if (!open.empty()) self_ns[open.back()] -= duration_ns;
    open.push_back(i);
  }
  return self_ns;
}

/// The rows in order of first appearance.
class Rows {
 public:
  /// The row of the slice's name.
  ProfileRow& of(const Slice& slice) {
    const auto [found, is_new] = index_.try_emplace(row_name(slice), rows_.size());
    if (is_new) {
      rows_.emplace_back();
      rows_.back().name = found->first;
      rows_.back().place = name_of(Place::Cpu);
    }
    return rows_[found->second];
  }
  std::vector<ProfileRow> take() { return std::move(rows_); }

 private:
  std::vector<ProfileRow> rows_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// The steps of all threads by their start.
std::vector<Slice> steps_of(std::span<const ThreadLog> threads) {
  std::vector<Slice> steps;
  for (const ThreadLog& thread : threads)
    std::ranges::copy_if(thread.slices, std::back_inserter(steps),
                         [](const Slice& slice) { return slice.kind == RangeKind::Step; });
  std::ranges::stable_sort(steps, {}, &Slice::start_ns);
  return steps;
}

/// The clocks differ by some microseconds, so a slice belongs to the last step that starts before
/// its middle.
void add_device_time(const Slice& slice, const std::vector<Slice>& steps, Rows& rows) {
  const std::int64_t duration_ns = slice.end_ns - slice.start_ns;
  ProfileRow& row = rows.of(slice);
  row.self_device_ns += duration_ns;
  row.device_ns += duration_ns;
  const auto next =
      std::ranges::upper_bound(steps, slice.start_ns + duration_ns / 2, {}, &Slice::start_ns);
  if (next != steps.begin()) rows.of(*(next - 1)).device_ns += duration_ns;
}

}  // namespace

std::vector<ProfileRow> profile_rows(std::span<const ThreadLog> threads) {
  Rows rows;
  for (const ThreadLog& thread : threads) {
    const std::vector<Slice> slices = parents_first(thread);
    const std::vector<std::int64_t> self_ns = self_times(slices);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      ProfileRow& row = rows.of(slices[i]);
      ++row.calls;
      row.cpu_ns += slices[i].end_ns - slices[i].start_ns;
      row.self_cpu_ns += self_ns[i];
    }
  }
  const std::vector<Slice> steps = steps_of(threads);
  for (const ThreadLog& thread : threads)
    for (const Slice& slice : thread.slices)
      if (is_on_device(slice)) add_device_time(slice, steps, rows);
  return rows.take();
}

}  // namespace normbench
