#include "report/table_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/units.h"
#include "document/results_fields.h"
#include "report/document_text.h"
#include "report/markup_table.h"
#include "report/words.h"

namespace normbench {
namespace {

Json known(bool is_known, std::int64_t value) { return is_known ? Json(value) : Json(); }

/// Returns the members with which a row begins, both in torch's table and in the stats table.
Json row_start(const ProfileRow& row) {
  return {{"name", row.name},
          {"place", name_of(row.place)},
          {"annotation", row.annotation},
          {"shapes", row.shapes},
          {"calls", row.calls}};
}

Json torch_values(const ProfileRow& row, bool with_memory) {
  Json values = row_start(row);
  values.update({{"self_cpu_ns", row.self_cpu_ns},
                 {"cpu_ns", row.cpu_ns},
                 {"self_device_ns", row.self_device_ns},
                 {"device_ns", row.device_ns}});
  if (with_memory)
    values.update({{"cpu_memory", row.cpu_memory},
                   {"self_cpu_memory", row.self_cpu_memory},
                   {"device_memory", row.device_memory},
                   {"self_device_memory", row.self_device_memory}});
  return values;
}

Json stats_values(const ProfileRow& row, const LimitShares& limits) {
  const bool timed = has_percentiles(row);
  const auto limit = limits.find(row.name);
  Json values = row_start(row);
  values["min_ns"] = known(timed, row.min_ns);
  values["p50_ns"] = known(timed, row.p50_ns);
  values["p95_ns"] = known(timed, row.p95_ns);
  values["max_ns"] = known(timed, row.max_ns);
  values["bytes"] = known(row.bytes > 0, row.bytes);
  values["bytes_per_ns"] = finite(bytes_per_ns(row));
  values["of_limit"] = limit == limits.end() ? Json() : finite(limit->second);
  values["faults"] = row.faults;
  return values;
}

/// Collects the numbers of a struct under the names that the results document has for them.
struct Numbers {
  Json json = Json::object();
  void object(const char*, const char*) {}
  void operator()(const char* name, std::int64_t value, About) { json[name] = value; }
};

Json numbers_of(const auto& value) {
  Numbers numbers;
  fields(numbers, value);
  return std::move(numbers.json);
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const std::string& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  return fmt::format("{}\r\n", fmt::join(cells, ","));
}

/// Returns a line with the number of rows that `row_limit` hides, or "" if it hides none.
std::string left_out(const CaseProfile& profile, const TableOptions& options) {
  const auto count = static_cast<std::int64_t>(profile.rows.size()) + options.rest.count;
  if (options.row_limit < 0 || count <= options.row_limit) return "";
  const std::int64_t more = count - options.row_limit;
  return fmt::format("{} (row_limit is {})", counted(more, "more row"), options.row_limit);
}

std::vector<std::string> lines_below(const CaseProfile& profile, const TableOptions& options) {
  std::vector<std::string> lines = profile_footers(profile);
  if (std::string more = left_out(profile, options); !more.empty())
    lines.insert(lines.begin(), std::move(more));
  return lines;
}

std::string text_table(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                       const TableOptions& options) {
  std::string text = kind == TableKind::Torch ? torch_table(profile.rows, options)
                                              : stats_table(profile.rows, limits, options);
  for (const std::string& line : lines_below(profile, options)) text += line + "\n";
  return text;
}

/// Returns a Markdown table of titles and rows. Its first column is text, all others are numbers.
std::string markdown_of(std::span<const std::vector<std::string>> cells) {
  MarkupTable table{.columns = {}};
  for (const std::string& title : cells.front())
    table.columns.push_back({title, table.columns.empty() ? Align::Left : Align::Right});
  for (const std::vector<std::string>& row : cells.subspan(1)) {
    std::vector<MarkupCell>& marked = table.rows.emplace_back();
    for (const std::string& cell : row) marked.push_back({cell});
  }
  return table.markdown();
}

std::string markdown(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                     const TableOptions& options) {
  std::string text;
  std::string below;
  if (kind == TableKind::Torch) {
    text = markdown_of(torch_cells(profile.rows, options));
    const std::string totals = torch_totals(all_rows(profile.rows, options));
    for (std::size_t at = 0, end = 0; (end = totals.find('\n', at)) != totals.npos; at = end + 1)
      below += "- " + totals.substr(at, end - at) + "\n";
  } else {
    text = markdown_of(stats_cells(profile.rows, limits, options));
  }
  for (const std::string& line : lines_below(profile, options))
    below += "- " + escaped_markdown(line) + "\n";
  return below.empty() ? text : text + "\n" + below;
}

}  // namespace

std::vector<Json> profile_values(const CaseProfile& profile, const LimitShares& limits,
                                 TableKind kind, const TableOptions& options) {
  const bool with_memory = all_rows(profile.rows, options).has_memory;
  std::vector<Json> values;
  for (const ProfileRow& row : shown_rows(profile.rows, options))
    values.push_back(kind == TableKind::Torch ? torch_values(row, with_memory)
                                              : stats_values(row, limits));
  return values;
}

Json profile_json(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                  const TableOptions& options) {
  const AllRows all = all_rows(profile.rows, options);
  return {{"rows", profile_values(profile, limits, kind, options)},
          {"totals", {{"self_cpu_ns", all.self_cpu_ns}, {"device_ns", all.device_ns()}}},
          {"steps", profile.steps},
          {"discarded", profile.discarded},
          {"overhead", finite(profile.overhead)},
          {"device_times", name_of(profile.device_times)},
          {"clock_error_ns", profile.clock_error_ns},
          {"times", numbers_of(profile.times)},
          {"losses", numbers_of(profile.losses)}};
}

std::string json_text(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv_text(std::span<const Json> rows) {
  if (rows.empty()) return "";
  std::vector<std::string> names;
  for (const auto& [name, value] : rows[0].items()) names.push_back(csv_cell(name));
  std::string text = csv_line(names);
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const Json& value : row) cells.push_back(csv_cell(value));
    text += csv_line(cells);
  }
  return text;
}

std::string profile_table(const CaseProfile& profile, const LimitShares& limits, TableKind kind,
                          TableFormat format, const TableOptions& options) {
  switch (format) {
    case TableFormat::Text:
      return text_table(profile, limits, kind, options);
    case TableFormat::Markdown:
      return markdown(profile, limits, kind, options);
    case TableFormat::Csv:
      return csv_text(profile_values(profile, limits, kind, options));
    case TableFormat::Json:
      return json_text(profile_json(profile, limits, kind, options));
  }
  return "";
}

}  // namespace normbench
