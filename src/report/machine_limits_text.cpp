#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/units.h"
#include "report/document_text.h"
#include "report/info_text.h"
#include "report/text.h"
#include "report/words.h"

namespace normbench {

namespace {

/// "12.3 GB/s", "0.25 us a page", "3.1 us"; "" for what was not measured.
std::string figure(const Json& limit) {
  const auto number = [&](const char* key) { return limit.value(key, 0.0); };
  const auto time = [](double ns) {
    if (ns < 1'000) return format_significant(ns, 3) + " ns";
    return ns < 1e6 ? format_significant(ns / 1e3, 3) + " us" : format_ms(ns) + " ms";
  };
  if (!limit.contains("ns")) return "";
  if (limit.contains("bytes_per_second"))
    return format_significant(number("bytes_per_second") / 1e9, 3) + " GB/s";
  return time(number(limit.contains("ns_per_fault") ? "ns_per_fault" : "ns"));
}

std::set<std::int64_t> thread_counts(const Json& limits) {
  std::set<std::int64_t> counts;
  for (const Json& limit : limits)
    if (text_at(limit, "/place", "") == "cpu") counts.insert(integer_at(limit, "/threads", 1));
  return counts;
}

/// Limits of one kind and name: those of the host have a column for each number of threads.
struct Row {
  std::string kind, name, gpu;
  std::map<std::int64_t, std::string> by_threads;
};

std::vector<Row> rows_of(const Json& limits) {
  std::vector<Row> rows;
  for (const Json& limit : limits) {
    if (limit.contains("missing")) continue;
    const std::string kind = text_at(limit, "/kind", ""), name = text_at(limit, "/name", "");
    auto row = std::ranges::find_if(
        rows, [&](const Row& other) { return other.kind == kind && other.name == name; });
    if (row == rows.end()) row = rows.insert(rows.end(), {kind, name, "", {}});
    if (text_at(limit, "/place", "") == "cpu")
      row->by_threads[integer_at(limit, "/threads", 1)] = figure(limit);
    else
      row->gpu = figure(limit);
  }
  return rows;
}

std::vector<Column> columns_of(const std::vector<Row>& rows, const std::set<std::int64_t>& counts) {
  std::vector<Column> columns{{"", {}, true}, {"", {}, true}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    columns[0].cells.push_back(i > 0 && rows[i].kind == rows[i - 1].kind ? "" : rows[i].kind);
    columns[1].cells.push_back(rows[i].name);
  }
  for (const std::int64_t count : counts) {
    Column& column =
        columns.emplace_back(Column{fmt::format("{} thread{}", count, count == 1 ? "" : "s"), {}});
    for (const Row& row : rows) {
      const auto at = row.by_threads.find(count);
      column.cells.push_back(at == row.by_threads.end() ? "" : at->second);
    }
  }
  Column& gpu = columns.emplace_back(Column{"GPU", {}});
  for (const Row& row : rows) gpu.cells.push_back(row.gpu);
  return columns;
}

/// One line a reason, with the kinds that were not measured for it.
std::string not_measured(const Json& limits) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const Json& limit : limits) {
    if (!limit.contains("missing")) continue;
    const std::string kind = text_at(limit, "/kind", "");
    std::string why = text_at(limit, "/missing", "");
    why.erase(
        std::min(why.find(" ("), why.size()));  // the rest is said where all is that is missing
    auto at = std::ranges::find(reasons, why, [](const auto& one) { return one.first; });
    if (at == reasons.end()) at = reasons.insert(reasons.end(), {why, {}});
    if (std::ranges::find(at->second, kind) == at->second.end()) at->second.push_back(kind);
  }
  std::string text;
  for (const auto& [why, kinds] : reasons)
    text += wrapped(fmt::format("not measured, {}: {}", why, fmt::join(kinds, ", ")), 2);
  return text;
}

}  // namespace

std::string machine_limits_text(const Json& limits) {
  if (limits.empty()) return "";
  const std::vector<Row> rows = rows_of(limits);
  std::string text =
      "\nLimits (medians; read and written bytes together; the faster kind of store)\n";
  if (!rows.empty()) text += columns_text(columns_of(rows, thread_counts(limits)), 2);
  return text + not_measured(limits);
}

Json to_json(const MachineLimit& limit) {
  std::string name = limit.variant;
  for (const auto& [axis, value] : limit.axes.items()) name += ", " + axis_value(value);
  Json json = {{"kind", limit.kind},
               {"name", name},
               {"place", name_of(limit.place)},
               {"threads", limit.threads}};
  if (!limit.ns) {
    json["missing"] = limit.reason.empty() ? "not measured" : limit.reason;
    return json;
  }
  json["kernel"] = limit.kernel;
  json["ns"] = limit.ns->value;
  json["low_ns"] = limit.ns->low;
  json["high_ns"] = limit.ns->high;
  if (limit.bytes > 0) {
    json["bytes"] = limit.bytes;
    json["bytes_per_second"] = static_cast<double>(limit.bytes) * 1e9 / limit.ns->value;
  }
  if (limit.faults >= 1) {
    json["faults"] = limit.faults;
    json["ns_per_fault"] = limit.ns->value / limit.faults;
  }
  return json;
}

}  // namespace normbench
