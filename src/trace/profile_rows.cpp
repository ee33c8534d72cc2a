#include <algorithm>
#include <unordered_map>

#include "trace/profile_table.h"

namespace normbench {
namespace {

bool in_table(const Slice& slice) {
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

}  // namespace

std::vector<ProfileRow> profile_rows(std::span<const ThreadLog> threads) {
  std::vector<ProfileRow> rows;
  std::unordered_map<std::string, std::size_t> row_of;
  for (const ThreadLog& thread : threads) {
    const std::vector<Slice> slices = parents_first(thread);
    const std::vector<std::int64_t> self_ns = self_times(slices);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto [found, is_new] = row_of.try_emplace(row_name(slices[i]), rows.size());
      if (is_new) {
        rows.emplace_back();
        rows.back().name = found->first;
        rows.back().place = name_of(Place::Cpu);
      }
      ProfileRow& row = rows[found->second];
      ++row.calls;
      row.cpu_ns += slices[i].end_ns - slices[i].start_ns;
      row.self_cpu_ns += self_ns[i];
    }
  }
  return rows;
}

}  // namespace normbench
