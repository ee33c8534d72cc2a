#include <algorithm>

#include "core/text.h"
#include "core/units.h"
#include "report/table_formats.h"

namespace normbench {
namespace {

struct StatsColumn {
  std::string_view title;
  std::string (*cell)(const ProfileRow& row, const LimitShares& limits);
};

std::string call_time(const ProfileRow& row, std::int64_t ns) {
  return has_percentiles(row) ? time_text(ns) : "";
}

std::string rate(const ProfileRow& row) {
  const std::optional<double> bytes = bytes_per_ns(row);
  return bytes ? format_significant(*bytes, 3) : "";
}

std::string of_limit(const ProfileRow& row, const LimitShares& limits) {
  const auto share = limits.find(row.name);
  return share == limits.end() ? "" : format_percent(share->second);
}

constexpr auto kColumns = std::to_array<StatsColumn>({
    {"place",
     [](const ProfileRow& r, const LimitShares&) { return std::string(name_of(r.place)); }},
    {"shapes", [](const ProfileRow& r, const LimitShares&) { return r.shapes; }},
    {"count", [](const ProfileRow& r, const LimitShares&) { return format_count(r.calls); }},
    {"min", [](const ProfileRow& r, const LimitShares&) { return call_time(r, r.min_ns); }},
    {"p50", [](const ProfileRow& r, const LimitShares&) { return call_time(r, r.p50_ns); }},
    {"p95", [](const ProfileRow& r, const LimitShares&) { return call_time(r, r.p95_ns); }},
    {"max", [](const ProfileRow& r, const LimitShares&) { return call_time(r, r.max_ns); }},
    {"GB/s", [](const ProfileRow& r, const LimitShares&) { return rate(r); }},
    {"% of limit", [](const ProfileRow& r, const LimitShares& l) { return of_limit(r, l); }},
    {"faults",
     [](const ProfileRow& r, const LimitShares&) {
       return r.faults > 0 ? format_count(r.faults) : std::string();
     }},
});

bool says_something(const StatsColumn& column, std::span<const ProfileRow> rows,
                    const LimitShares& limits) {
  return std::ranges::any_of(rows, [&](const ProfileRow& row) {
    const std::string cell = column.cell(row, limits);
    return !cell.empty() && (column.title != "place" || cell != name_of(Place::Cpu));
  });
}

}  // namespace

bool is_text_column(std::string_view title) {
  return title == "name" || title == "place" || title == "shapes";
}

bool has_percentiles(const ProfileRow& row) { return row.max_ns > 0; }

std::optional<double> bytes_per_ns(const ProfileRow& row) {
  const std::int64_t ns = row.device_ns > 0 ? row.device_ns : row.cpu_ns;
  if (row.bytes <= 0 || ns <= 0) return std::nullopt;
  return static_cast<double>(row.bytes) / static_cast<double>(ns);
}

std::vector<std::vector<std::string>> stats_cells(std::span<const ProfileRow> rows,
                                                  const LimitShares& limits,
                                                  const TableOptions& options) {
  const std::vector<ProfileRow> shown = shown_rows(rows, options);
  std::vector<std::vector<std::string>> cells{{"name"}};
  for (const ProfileRow& row : shown)
    cells.push_back({shown_name(row.name, options.max_name_width)});
  for (const StatsColumn& column : kColumns) {
    if (!says_something(column, shown, limits)) continue;
    cells[0].emplace_back(column.title);
    for (std::size_t i = 0; i < shown.size(); ++i)
      cells[i + 1].push_back(column.cell(shown[i], limits));
  }
  return cells;
}

std::string stats_table(std::span<const ProfileRow> rows, const LimitShares& limits,
                        const TableOptions& options) {
  if (rows.empty()) return "";
  const auto cells = stats_cells(rows, limits, options);
  std::vector<Column> columns;
  for (std::size_t c = 0; c < cells[0].size(); ++c) {
    Column& column = columns.emplace_back(Column{cells[0][c], {}, is_text_column(cells[0][c])});
    for (std::size_t row = 1; row < cells.size(); ++row) column.cells.push_back(cells[row][c]);
  }
  return columns_text(std::move(columns), 0, std::string::npos);
}

}  // namespace normbench
