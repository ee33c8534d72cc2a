#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text.h"
#include "core/units.h"
#include "report/info_text.h"
#include "report/words.h"

namespace normbench {
namespace {

double rate_of(const MachineLimit& limit) {
  return static_cast<double>(limit.bytes) * 1e9 / limit.ns->value;
}

bool has_faults(const MachineLimit& limit) { return limit.faults >= 1; }

/// Returns a rate like "12.3 GB/s", or a time like "0.25 us" for a page fault or a call. The limit
/// must have been measured.
std::string figure(const MachineLimit& limit) {
  if (limit.bytes > 0) return format_significant(rate_of(limit) / 1e9, 3) + " GB/s";
  const double ns = has_faults(limit) ? limit.ns->value / limit.faults : limit.ns->value;
  if (ns < 1'000) return format_significant(ns, 3) + " ns";
  return ns < 1e6 ? format_significant(ns / 1e3, 3) + " us" : format_ms(ns) + " ms";
}

/// Returns the name of a limit with the values of its axes, like "to the GPU, pinned".
std::string limit_name(const MachineLimit& limit) {
  std::string name = limit.variant;
  for (const auto& [axis, value] : limit.axes.items()) name += ", " + axis_value(value);
  return name;
}

std::string why_missing(const MachineLimit& limit) {
  return limit.reason.empty() ? "not measured" : limit.reason;
}

/// A row of the table: the limits with one kind and name. `by_threads` has the figures of the host
/// by the number of threads, and `gpu` is the figure of the GPU.
struct Row {
  std::string kind, name, gpu;
  std::map<int, std::string> by_threads;
};

std::vector<Row> rows_of(const std::vector<MachineLimit>& limits) {
  std::vector<Row> rows;
  for (const MachineLimit& limit : limits) {
    if (!limit.ns) continue;
    const std::string name = limit_name(limit);
    auto row = std::ranges::find_if(
        rows, [&](const Row& other) { return other.kind == limit.kind && other.name == name; });
    if (row == rows.end()) row = rows.insert(rows.end(), {limit.kind, name, "", {}});
    (limit.place == Place::Cpu ? row->by_threads[limit.threads] : row->gpu) = figure(limit);
  }
  return rows;
}

std::string table_of(const std::vector<Row>& rows, std::size_t width) {
  std::set<int> counts;
  for (const Row& row : rows)
    for (const auto& [count, figure] : row.by_threads) counts.insert(count);
  std::vector<std::string> titles{"", ""};
  for (const int count : counts)
    titles.push_back(fmt::format("{} thread{}", count, count == 1 ? "" : "s"));
  titles.emplace_back("GPU");
  Rows table(titles);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    std::vector<std::string> cells{i > 0 && row.kind == rows[i - 1].kind ? "" : row.kind, row.name};
    for (const int count : counts)
      cells.push_back(row.by_threads.contains(count) ? row.by_threads.at(count) : "");
    cells.push_back(row.gpu);
    table.add(cells);
  }
  return table.text({0, 1}, width);
}

/// Returns a line for each reason, with the kinds of limits that were not measured because of it.
std::string not_measured(const std::vector<MachineLimit>& limits, std::size_t width) {
  InOrder<std::vector<std::string>> reasons;
  for (const MachineLimit& limit : limits) {
    if (limit.ns) continue;
    std::string why = why_missing(limit);
    why.erase(std::min(why.find(" ("), why.size()));  // info_text() shows the whole reason
    std::vector<std::string>& kinds = reasons.under(why);
    if (std::ranges::find(kinds, limit.kind) == kinds.end()) kinds.push_back(limit.kind);
  }
  std::string text;
  for (const auto& [why, kinds] : reasons)
    text += wrapped(fmt::format("not measured, {}: {}", why, fmt::join(kinds, ", ")), 2, width);
  return text;
}

}  // namespace

std::string machine_limits_text(const std::vector<MachineLimit>& limits, const Screen& screen) {
  if (limits.empty()) return "";
  return "\nLimits (medians; read and written bytes together; the faster kind of store)\n" +
         table_of(rows_of(limits), screen.width) + not_measured(limits, prose_width(screen));
}

Json to_json(const MachineLimit& limit) {
  Json json = {{"kind", limit.kind},
               {"name", limit_name(limit)},
               {"place", name_of(limit.place)},
               {"threads", limit.threads}};
  if (!limit.ns) {
    json["missing"] = why_missing(limit);
    return json;
  }
  json["kernel"] = limit.kernel;
  json["ns"] = limit.ns->value;
  json["low_ns"] = limit.ns->low;
  json["high_ns"] = limit.ns->high;
  if (limit.bytes > 0) {
    json["bytes"] = limit.bytes;
    json["bytes_per_second"] = rate_of(limit);
  }
  if (has_faults(limit)) {
    json["faults"] = limit.faults;
    json["ns_per_fault"] = limit.ns->value / limit.faults;
  }
  return json;
}

}  // namespace normbench
