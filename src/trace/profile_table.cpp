#include "trace/profile_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace normbench {
namespace {

// The widths of torch's table; lengths are characters, as Python counts them.
constexpr std::size_t max_name_width = 55;
constexpr std::size_t max_shapes_width = 80;
constexpr std::size_t value_width = 12;

double per_call(std::int64_t total_ns, const ProfileRow& row) {
  return row.calls == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(row.calls);
}

struct SortKey {
  std::string_view name;
  double (*value)(const ProfileRow&);
};

constexpr std::array<SortKey, 7> sort_keys{{
    {"cpu_time", [](const ProfileRow& row) { return per_call(row.cpu_ns, row); }},
    {"cpu_time_total", [](const ProfileRow& row) { return static_cast<double>(row.cpu_ns); }},
    {"self_cpu_time_total",
     [](const ProfileRow& row) { return static_cast<double>(row.self_cpu_ns); }},
    {"device_time", [](const ProfileRow& row) { return per_call(row.device_ns, row); }},
    {"device_time_total", [](const ProfileRow& row) { return static_cast<double>(row.device_ns); }},
    {"self_device_time_total",
     [](const ProfileRow& row) { return static_cast<double>(row.self_device_ns); }},
    {"count", [](const ProfileRow& row) { return static_cast<double>(row.calls); }},
}};

/// The rows in the order of `sort_by`, descending; as given when it is empty.
std::vector<ProfileRow> sorted(std::span<const ProfileRow> rows, const std::string& sort_by) {
  std::vector<ProfileRow> result(rows.begin(), rows.end());
  if (sort_by.empty()) return result;
  std::string wanted = sort_by;
  if (const auto at = wanted.find("cuda"); at != std::string::npos) wanted.replace(at, 4, "device");
  const auto key = std::ranges::find(sort_keys, wanted, &SortKey::name);
  if (key == sort_keys.end()) {
    throw Invalid(fmt::format("unknown sort_by \"{}\" (known: {})", sort_by,
                              fmt::join(sort_key_names(), ", ")));
  }
  std::ranges::stable_sort(result, [&](const ProfileRow& a, const ProfileRow& b) {
    return key->value(a) > key->value(b);
  });
  return result;
}

bool is_continuation(char byte) { return (byte & 0xc0) == 0x80; }

std::size_t characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

std::string first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  while (end < text.size() && (count > 0 || is_continuation(text[end])))
    count -= is_continuation(text[end++]) ? 0 : 1;
  return std::string(text.substr(0, end));
}

std::string shown_name(const std::string& name) {
  constexpr std::size_t kept = max_name_width - 3;
  return characters(name) >= kept ? first_characters(name, kept) + "..." : name;
}

std::string time(double ns) {
  const double us = ns / 1000;
  if (us >= 1e6) return fmt::format("{:.3f}s", us / 1e6);
  if (us >= 1e3) return fmt::format("{:.3f}ms", us / 1e3);
  return fmt::format("{:.3f}us", us);
}

std::string share(std::int64_t part_ns, std::int64_t whole_ns) {
  if (whole_ns == 0) return "NaN";
  return fmt::format("{:.2f}%",
                     100.0 * static_cast<double>(part_ns) / static_cast<double>(whole_ns));
}

struct Totals {
  std::int64_t self_cpu_ns = 0;
  std::int64_t device_ns = 0;
  bool has_device = false;
  bool has_shapes = false;
};

Totals totals_of(std::span<const ProfileRow> rows) {
  Totals totals;
  // A host row repeats the time of the device rows below it, so these are the total where there are
  // any.
  const bool device_rows = std::ranges::any_of(
      rows, [](const ProfileRow& row) { return row.place != name_of(Place::Cpu); });
  for (const ProfileRow& row : rows) {
    totals.self_cpu_ns += row.self_cpu_ns;
    if (!device_rows || row.place != name_of(Place::Cpu)) totals.device_ns += row.self_device_ns;
    totals.has_device |= row.self_device_ns > 0;
    totals.has_shapes |= !row.shapes.empty();
  }
  return totals;
}

std::vector<std::string> headers(const Totals& totals) {
  std::vector<std::string> cells{"Name",        "Self CPU %", "Self CPU",
                                 "CPU total %", "CPU total",  "CPU time avg"};
  if (totals.has_device)
    cells.insert(cells.end(), {"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"});
  cells.emplace_back("# of Calls");
  if (totals.has_shapes) cells.emplace_back("Input Shapes");
  return cells;
}

std::vector<std::string> cells_of(const ProfileRow& row, const Totals& totals) {
  std::vector<std::string> cells{shown_name(row.name),
                                 share(row.self_cpu_ns, totals.self_cpu_ns),
                                 time(static_cast<double>(row.self_cpu_ns)),
                                 share(row.cpu_ns, totals.self_cpu_ns),
                                 time(static_cast<double>(row.cpu_ns)),
                                 time(per_call(row.cpu_ns, row))};
  if (totals.has_device)
    cells.insert(
        cells.end(),
        {time(static_cast<double>(row.self_device_ns)), share(row.self_device_ns, totals.device_ns),
         time(static_cast<double>(row.device_ns)), time(per_call(row.device_ns, row))});
  cells.push_back(std::to_string(row.calls));
  if (totals.has_shapes) cells.push_back(first_characters(row.shapes, max_shapes_width));
  return cells;
}

std::vector<std::size_t> widths(std::span<const ProfileRow> rows, const Totals& totals) {
  std::size_t name = 0, shapes = 0;
  for (const ProfileRow& row : rows) {
    name = std::max(name, characters(row.name));
    shapes = std::max(shapes, characters(row.shapes));
  }
  std::vector<std::size_t> result(headers(totals).size(), value_width);
  result.front() = std::min(name + 4, max_name_width);
  if (totals.has_shapes) result.back() = std::min(shapes + 4, max_shapes_width);
  return result;
}

std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t length = characters(cells[i]);
    text.append(widths[i] - std::min(widths[i], length), ' ').append(cells[i]).append("  ");
  }
  return text + "\n";
}

}  // namespace

std::vector<std::string> sort_key_names() {
  std::vector<std::string> names;
  for (const SortKey& key : sort_keys) names.emplace_back(key.name);
  return names;
}

std::vector<std::vector<std::string>> profile_cells(std::span<const ProfileRow> rows,
                                                    const std::string& sort_by,
                                                    std::int64_t row_limit) {
  const Totals totals = totals_of(rows);
  std::vector<std::vector<std::string>> cells{headers(totals)};
  for (const ProfileRow& row : sorted(rows, sort_by))
    if (row_limit < 0 || static_cast<std::int64_t>(cells.size()) <= row_limit)
      cells.push_back(cells_of(row, totals));
  return cells;
}

std::string profile_totals(std::span<const ProfileRow> rows) {
  const Totals totals = totals_of(rows);
  std::string text =
      fmt::format("Self CPU time total: {}\n", time(static_cast<double>(totals.self_cpu_ns)));
  if (totals.has_device)
    text += fmt::format("Self CUDA time total: {}\n", time(static_cast<double>(totals.device_ns)));
  return text;
}

std::string torch_table(std::span<const ProfileRow> rows, const std::string& sort_by,
                        std::int64_t row_limit) {
  if (rows.empty()) return "";
  const std::vector<std::size_t> columns = widths(rows, totals_of(rows));
  std::string separator;
  for (const std::size_t width : columns) separator.append(width, '-').append("  ");
  separator += "\n";

  const auto cells = profile_cells(rows, sort_by, row_limit);
  std::string text = separator + line(cells.front(), columns) + separator;
  for (std::size_t i = 1; i < cells.size(); ++i) text += line(cells[i], columns);
  return text + separator + profile_totals(rows);
}

}  // namespace normbench
