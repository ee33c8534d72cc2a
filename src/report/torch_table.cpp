#include "report/torch_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "core/saturated.h"

namespace normbench {
namespace {

double per_call(std::int64_t total_ns, const ProfileRow& row) {
  return row.calls == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(row.calls);
}

struct SortKey {
  std::string_view name;
  double (*value)(const ProfileRow&);
};

constexpr std::array<SortKey, 11> kSortKeys{{
    {"cpu_time", [](const ProfileRow& row) { return per_call(row.cpu_ns, row); }},
    {"cpu_time_total", [](const ProfileRow& row) { return static_cast<double>(row.cpu_ns); }},
    {"self_cpu_time_total",
     [](const ProfileRow& row) { return static_cast<double>(row.self_cpu_ns); }},
    {"device_time", [](const ProfileRow& row) { return per_call(row.device_ns, row); }},
    {"device_time_total", [](const ProfileRow& row) { return static_cast<double>(row.device_ns); }},
    {"self_device_time_total",
     [](const ProfileRow& row) { return static_cast<double>(row.self_device_ns); }},
    {"cpu_memory_usage", [](const ProfileRow& row) { return static_cast<double>(row.cpu_memory); }},
    {"self_cpu_memory_usage",
     [](const ProfileRow& row) { return static_cast<double>(row.self_cpu_memory); }},
    {"device_memory_usage",
     [](const ProfileRow& row) { return static_cast<double>(row.device_memory); }},
    {"self_device_memory_usage",
     [](const ProfileRow& row) { return static_cast<double>(row.self_device_memory); }},
    {"count", [](const ProfileRow& row) { return static_cast<double>(row.calls); }},
}};

const SortKey& sort_key(const std::string& said) {
  std::string wanted = said;
  if (const auto at = wanted.find("cuda"); at != std::string::npos) wanted.replace(at, 4, "device");
  const auto key = std::ranges::find(kSortKeys, wanted, &SortKey::name);
  if (key == kSortKeys.end()) throw Invalid(unknown_of("sort_by", said, sort_key_names()));
  return *key;
}

constexpr std::size_t kValueWidth = 12;
constexpr std::size_t kMaxShapesWidth = 80;
constexpr std::string_view kNoShapes = "[]";  // shapes of rows without inputs

bool is_continuation(char byte) { return (byte & 0xc0) == 0x80; }

/// Returns the number of code points of UTF-8 text, which is its len() in Python.
std::size_t characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

std::string first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  while (end < text.size() && (count > 0 || is_continuation(text[end])))
    count -= is_continuation(text[end++]) ? 0 : 1;
  return std::string(text.substr(0, end));
}

std::string time_text_us(double us) {
  if (us >= 1e6) return fmt::format("{:.3f}s", us / 1e6);
  if (us >= 1e3) return fmt::format("{:.3f}ms", us / 1e3);
  return fmt::format("{:.3f}us", us);
}

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

std::string mean_text(std::int64_t total_ns, const ProfileRow& row) {
  return time_text_us(row.calls == 0 ? 0 : microseconds(total_ns) / static_cast<double>(row.calls));
}

std::string share_text(std::int64_t part_ns, std::int64_t whole_ns) {
  if (whole_ns == 0) return "NaN";
  return fmt::format("{:.2f}%", microseconds(part_ns) * 100.0 / microseconds(whole_ns));
}

std::string memory_text(std::int64_t bytes) {
  constexpr auto units = std::to_array<std::pair<std::string_view, std::int64_t>>(
      {{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}});
  for (const auto& [unit, size] : units)
    if (bytes >= size || bytes <= -size)
      return fmt::format("{:.2f} {}", static_cast<double>(bytes) / static_cast<double>(size), unit);
  return fmt::format("{} B", bytes);
}

bool is_on_host(const ProfileRow& row) { return row.place == Place::Cpu; }

std::vector<std::string> headers(const AllRows& all) {
  std::vector<std::string> cells{"Name",        "Self CPU %", "Self CPU",
                                 "CPU total %", "CPU total",  "CPU time avg"};
  if (all.has_device)
    cells.insert(cells.end(), {"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"});
  if (all.has_memory) cells.insert(cells.end(), {"CPU Mem", "Self CPU Mem"});
  if (all.has_device_memory) cells.insert(cells.end(), {"CUDA Mem", "Self CUDA Mem"});
  cells.emplace_back("# of Calls");
  if (all.has_shapes) cells.emplace_back("Input Shapes");
  return cells;
}

std::vector<std::string> cells_of(const ProfileRow& row, const AllRows& all,
                                  const TableOptions& options) {
  std::vector<std::string> cells{shown_name(row.name, options.max_name_width),
                                 share_text(row.self_cpu_ns, all.self_cpu_ns),
                                 time_text(row.self_cpu_ns),
                                 row.async ? "0" : share_text(row.cpu_ns, all.self_cpu_ns),
                                 time_text(row.cpu_ns),
                                 mean_text(row.cpu_ns, row)};
  if (all.has_device)
    cells.insert(cells.end(),
                 {time_text(row.self_device_ns), share_text(row.self_device_ns, all.device_ns()),
                  time_text(row.device_ns), mean_text(row.device_ns, row)});
  if (all.has_memory)
    cells.insert(cells.end(), {memory_text(row.cpu_memory), memory_text(row.self_cpu_memory)});
  if (all.has_device_memory)
    cells.insert(cells.end(),
                 {memory_text(row.device_memory), memory_text(row.self_device_memory)});
  cells.push_back(std::to_string(row.calls));
  if (all.has_shapes)
    cells.push_back(row.shapes.empty() ? std::string(kNoShapes)
                                       : first_characters(row.shapes, kMaxShapesWidth));
  return cells;
}

/// Returns the widths of the columns. They depend on all rows, even on rows that are not shown.
std::vector<std::size_t> widths(const AllRows& all, const TableOptions& options) {
  constexpr std::size_t margin = 4;
  const std::size_t name = all.name_width + margin;
  std::vector<std::size_t> result(headers(all).size(), kValueWidth);
  result.front() = options.max_name_width == 0 ? name : std::min(name, options.max_name_width);
  if (all.has_shapes) result.back() = std::min(all.shapes_width + margin, kMaxShapesWidth);
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

std::string time_text(std::int64_t ns) { return time_text_us(microseconds(ns)); }

std::string shown_name(const std::string& name, std::size_t most) {
  constexpr std::size_t dots = 3;
  if (most <= dots || characters(name) < most - dots) return name;
  return first_characters(name, most - dots) + "...";
}

std::vector<std::string> sort_key_names() {
  std::vector<std::string> names;
  for (const SortKey& key : kSortKeys) names.emplace_back(key.name);
  return names;
}

std::vector<std::string> sort_key_spellings() {
  constexpr std::string_view device = "device";
  std::vector<std::string> spellings = sort_key_names();
  for (const SortKey& key : kSortKeys)
    if (const auto at = key.name.find(device); at != key.name.npos)
      spellings.push_back(std::string(key.name).replace(at, device.size(), "cuda"));
  return spellings;
}

std::vector<ProfileRow> shown_rows(std::span<const ProfileRow> rows, const TableOptions& options) {
  std::vector<ProfileRow> shown(rows.begin(), rows.end());
  if (!options.sort_by.empty())
    std::ranges::stable_sort(shown, std::ranges::greater(), sort_key(options.sort_by).value);
  if (options.row_limit >= 0 && static_cast<std::size_t>(options.row_limit) < shown.size())
    shown.resize(static_cast<std::size_t>(options.row_limit));
  return shown;
}

bool has_memory(const ProfileRow& row) {
  return row.cpu_memory != 0 || row.self_cpu_memory != 0 || row.device_memory != 0 ||
         row.self_device_memory != 0;
}

void AllRows::add(const ProfileRow& row) {
  ++count;
  self_cpu_ns = saturated_sum(self_cpu_ns, row.self_cpu_ns);
  has_device |= row.self_device_ns > 0;
  has_memory |= normbench::has_memory(row);
  has_device_memory |= row.self_device_memory > 0;
  has_shapes |= !row.shapes.empty();
  has_device_rows |= !is_on_host(row);
  // The device time of a host row is the time of the work that the row submitted. This work has
  // rows of its own, so `submitted_ns` and `work_ns` are separate sums.
  if (is_on_host(row))
    submitted_ns = saturated_sum(submitted_ns, row.self_device_ns);
  else if (!row.annotation)
    work_ns = saturated_sum(work_ns, row.self_device_ns);
  name_width = std::max(name_width, characters(row.name));
  shapes_width = std::max(shapes_width, characters(row.shapes));
}

AllRows all_rows(std::span<const ProfileRow> rows, const TableOptions& options) {
  AllRows all = options.rest;
  for (const ProfileRow& row : rows) all.add(row);
  return all;
}

TopRows::TopRows(const TableOptions& options) : limit_(options.row_limit) {
  if (!options.sort_by.empty()) key_ = sort_key(options.sort_by).value;
}

void TopRows::add(ProfileRow row) {
  constexpr std::size_t spare = 1000;
  rows_.push_back(std::move(row));
  if (limit_ >= 0 &&
      (rows_.size() - std::min(rows_.size(), spare)) / 2 >= static_cast<std::size_t>(limit_))
    cut();
}

void TopRows::cut() {
  if (limit_ < 0) return;
  if (key_ != nullptr) std::ranges::stable_sort(rows_, std::ranges::greater(), key_);
  const auto kept = std::min(rows_.size(), static_cast<std::size_t>(limit_));
  for (std::size_t i = kept; i < rows_.size(); ++i) rest_.add(rows_[i]);
  rows_.resize(kept);
}

std::vector<ProfileRow> TopRows::take(AllRows& rest) {
  cut();
  rest = rest_;
  return std::move(rows_);
}

std::vector<std::vector<std::string>> torch_cells(std::span<const ProfileRow> rows,
                                                  const TableOptions& options) {
  const AllRows all = all_rows(rows, options);
  std::vector<std::vector<std::string>> cells{headers(all)};
  for (const ProfileRow& row : shown_rows(rows, options))
    cells.push_back(cells_of(row, all, options));
  return cells;
}

std::string torch_totals(const AllRows& all) {
  std::string text = fmt::format("Self CPU time total: {}\n", time_text(all.self_cpu_ns));
  if (all.has_device) text += fmt::format("Self CUDA time total: {}\n", time_text(all.device_ns()));
  return text;
}

std::string torch_table(std::span<const ProfileRow> rows, const TableOptions& options) {
  const AllRows all = all_rows(rows, options);
  if (all.count == 0) return "";
  const std::vector<std::size_t> wide = widths(all, options);
  std::string separator;
  for (const std::size_t width : wide) separator.append(width, '-').append("  ");
  separator += "\n";

  const auto cells = torch_cells(rows, options);
  std::string text = separator + line(cells.front(), wide) + separator;
  for (std::size_t i = 1; i < cells.size(); ++i) text += line(cells[i], wide);
  return text + separator + torch_totals(all);
}

}  // namespace normbench
