#include "report/mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/units.h"
#include "document/read_document.h"
#include "plan/schema.h"
#include "report/results_schema.h"
#include "report/table_formats.h"

namespace normbench {
namespace {

constexpr std::size_t kEnough = 1 << 16;

/// Returns the text without blanks and line ends, so that texts with different indentation become
/// equal.
std::string packed(std::string_view text) {
  std::string kept(text);
  std::erase_if(kept, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  return kept;
}

/// Returns true for an object with the rows of a profiler table. If the table is one of several in
/// a list, the object has members like "experiment" or "trace" before its rows.
bool is_table(std::string_view json) {
  const bool begins = std::ranges::any_of(
      std::array{R"({"rows":[)", R"({"experiment":")", R"({"document":")", R"({"trace":")"},
      [json](const char* part) { return json.starts_with(part); });
  const auto has = [json](std::string_view part) { return json.find(part) != json.npos; };
  return begins && ((has(R"("rows":[{"name":")") && has(R"(,"annotation":)")) ||
                    has(R"("rows":[],"totals":{"self_cpu_ns":)"));
}

/// Returns true for a row of the table that `normbench report --table answer` writes as JSON.
bool is_answer_row(std::string_view json) {
  const std::string_view row = json.substr(0, json.find('}'));
  const auto has = [row](std::string_view part) { return row.find(part) != row.npos; };
  return (row.starts_with(R"({"experiment":")") || row.starts_with(R"({"document":")")) &&
         has(R"(,"baseline":)") && has(R"(,"fastest":)") && has(R"(,"time_low_ms":)");
}

std::optional<Written> object_written_as(std::string_view json) {
  const auto has = [json](std::string_view part) { return json.find(part) != json.npos; };
  const auto begins = [json](std::string_view part) { return json.starts_with(part); };
  const auto when = [](bool is_so, Written written) {
    return is_so ? std::optional(written) : std::nullopt;
  };
  if (begins_as_results(json)) return Written::Results;
  if (begins(R"({"schema":)"))
    return when(has(R"(,"kind":"comparison","name":)"), Written::Derived);
  if (begins(R"({"journal":)")) return Written::Journal;
  if (begins(R"({"calibration":{)")) return when(has(R"("false_alarms":)"), Written::Calibration);
  if (begins(R"({"schemaVersion":)")) return when(has(R"("normbench":{)"), Written::Trace);
  if (begins(R"({"$schema":)"))
    return when(std::ranges::any_of(std::array{kSchemaTitle, kResultsSchemaTitle},
                                    [&](std::string_view title) {
                                      return has(fmt::format(R"("title":"{}")", packed(title)));
                                    }),
                Written::Derived);
  return when(is_table(json) || is_answer_row(json), Written::Derived);
}

std::optional<Written> json_written_as(std::string_view text) {
  const std::string json = packed(text);
  if (json.starts_with('{')) return object_written_as(json);
  // The first object in a list decides what the whole list is.
  const std::optional<Written> first = object_written_as(std::string_view(json).substr(1));
  if (first == Written::Results) return Written::ResultsList;
  return first == Written::Derived ? first : std::nullopt;
}

/// Removes the first line from `text` and returns it.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// Returns the text with a single '#' in place of each run of digits.
std::string without_numbers(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit || !kept.ends_with('#')) kept += is_digit ? '#' : c;
  }
  return kept;
}

/// Removes `start` from the beginning of the text. Returns false if the text begins otherwise.
bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

/// Returns true if the text begins with a comparison_summary(), which may be wrapped into several
/// lines.
bool is_summary(std::string_view text) {
  // A continued line is indented, so each run of blanks and line ends becomes one blank.
  std::string paragraph;
  for (const char c : text.substr(0, text.find("\n\n"))) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || !paragraph.ends_with(' ')) paragraph += is_blank ? ' ' : c;
  }
  const std::string summary = without_numbers(paragraph);
  std::string_view left = summary;
  take(left, "# failed, ");
  if (!take(left, "# regressed")) return false;
  take(left, " (# not beyond doubt)");
  for (const std::string_view next : {", # improved", ", # same"}) {
    if (!take(left, next)) return false;
    take(left, " (# not beyond doubt)");
  }
  if (!take(left, ", # inconclusive")) return false;
  take(left, ", # not compared");
  if (!take(left, " of # case")) return false;
  take(left, "s");
  if (!take(left, "; margin #")) return false;
  take(left, ".#");
  return take(left, " %") && (left.empty() || left.starts_with(' '));
}

/// Returns the cells of a line of a table. Cells are separated by bars in Markdown, and by at least
/// two blanks in text.
std::vector<std::string> columns_of(std::string_view line) {
  const bool has_bars = line.starts_with("| ") && line.ends_with(" |");
  if (has_bars) line = line.substr(2, line.size() - 4);
  const std::string_view between = has_bars ? " | " : "  ";
  std::vector<std::string> columns;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(between), line.size());
    std::string_view column = line.substr(0, end);
    line.remove_prefix(std::min(end + between.size(), line.size()));
    while (column.starts_with(' ')) column.remove_prefix(1);
    if (!column.empty()) columns.emplace_back(column);
  }
  return columns;
}

/// Returns a row of a profiler table with a value in every column, so that a table of this row has
/// the headers of all columns. Without `on_device`, the row has no device times. Without `shapes`,
/// it has no input shapes. `memory` is 0 for no memory, 1 for memory of the host, and 2 for memory
/// of the host and of devices.
ProfileRow full_row(bool on_device, bool shapes, int memory = 0) {
  ProfileRow row;
  row.name = "name";
  row.place = on_device ? Place::Cuda : Place::Cpu;
  row.shapes = shapes ? "[1]" : "";
  row.calls = row.cpu_ns = row.bytes = row.max_ns = row.faults = 1;
  row.self_device_ns = row.device_ns = on_device ? 1 : 0;
  row.cpu_memory = memory;
  row.self_device_memory = memory > 1 ? 1 : 0;
  return row;
}

bool is_torch_header(const std::vector<std::string>& columns) {
  for (int kind = 0; kind < 12; ++kind) {
    const ProfileRow row = full_row(kind % 2 == 1, kind / 2 % 2 == 1, kind / 4);
    std::vector<std::string> cells = torch_cells(std::vector{row}, {})[0];
    if (columns == cells) return true;
    std::ranges::transform(cells, cells.begin(), escaped_markdown);
    if (columns == cells) return true;
  }
  return false;
}

/// Returns true if `columns` are headers of the stats table (a profiler table with percentiles) in
/// the order of that table. All headers in `always` must be among them. Any other header may be
/// missing.
bool is_stats_header(const std::vector<std::string>& columns,
                     std::span<const std::string_view> always) {
  const std::vector<std::string> all =
      stats_cells(std::vector{full_row(true, true)}, {{"name", 1.0}}, {})[0];
  auto at = columns.begin();
  for (const std::string& column : all) {
    const bool is_there = at != columns.end() && *at == column;
    if (!is_there && std::ranges::find(always, column) != always.end()) return false;
    if (is_there) ++at;
  }
  return at == columns.end();
}

/// Returns true for a profiler table as text or Markdown. For a table in torch's format as text,
/// returns true only if it has a title (`is_titled`), because PyTorch writes the same table without
/// one.
bool is_table_text(std::string_view text, bool is_titled) {
  std::string_view line = next_line(text);
  const bool has_rule = line.starts_with('-') && line.find_first_not_of("- ") == line.npos;
  if (has_rule && !is_titled) return false;  // PyTorch writes the same table
  if (has_rule) line = next_line(text);
  const std::vector<std::string> columns = columns_of(line);
  if (line.starts_with('|') && !next_line(text).starts_with("|:--|--:|")) return false;
  constexpr std::array<std::string_view, 6> always{"name", "count", "min", "p50", "p95", "max"};
  const std::span known(always);
  return is_torch_header(columns) || is_stats_header(columns, is_titled ? known.first(2) : known);
}

/// Returns true for the first line of a CSV file that has a profiler table or the table of
/// `normbench report --table answer`.
bool is_csv_header(std::string_view line) {
  take(line, "document,");
  if (!take(line, "experiment,point,variant,")) take(line, "trace,");
  if (line.starts_with("baseline,fastest,status,reason,time_ms,")) return true;  // --table answer
  return std::ranges::any_of(words(TableKind{}), [&](const auto& kind) {
    return std::ranges::any_of(std::array{0, 1}, [&](int memory) {
      CaseProfile profile;
      profile.rows = {full_row(true, true, memory)};
      const std::string csv = profile_table(profile, {}, kind.value, TableFormat::Csv, {});
      return csv.substr(0, csv.find('\n')) == line;
    });
  });
}

/// Returns true for a line that begins with "normbench", a version like 0.1.0, and a separator.
/// Reports begin with such a line.
bool is_report(std::string_view line) {
  const std::string shape = without_numbers(line);
  return shape.starts_with("normbench #.#.# ·");
}

/// Returns true for the headers of the table that `normbench report --table answer` writes as text.
bool is_answer_head(std::string_view line) {
  std::vector<std::string> columns = columns_of(line);
  if (!columns.empty() && columns.front() == "point") columns.erase(columns.begin());
  return columns.size() > 1 && columns[0] == "variant" && columns[1].ends_with("ms/batch");
}

bool is_text(std::string_view text) {
  std::string_view rest = text;
  const std::string_view line = next_line(rest);
  if (is_answer_head(rest.substr(0, rest.find('\n')))) return true;
  if (line.find(": Profile of ") != line.npos) {
    if (line.starts_with("### ") && !next_line(rest).empty()) return false;
    return is_table_text(rest, /*is_titled=*/true);
  }
  std::string_view summary = text;
  take(summary, "### normbench: ");
  return is_report(line) || is_summary(summary) || line.starts_with("Nothing was profiled") ||
         is_csv_header(line) || is_table_text(text, /*is_titled=*/false);
}

bool is_page(std::string_view text) {
  return text.find(R"(<meta name="generator" content="normbench"/>)") != text.npos;
}

bool is_junit(std::string_view text) {
  return next_line(text).starts_with("<?xml ") &&
         text.starts_with(R"(<testsuites name="normbench compare )");
}

}  // namespace

std::optional<Written> written_as(std::string_view beginning) {
  beginning = beginning.substr(0, kEnough);
  if (beginning.starts_with('{') || beginning.starts_with('[')) return json_written_as(beginning);
  const bool is_derived = beginning.starts_with('<')
                              ? is_page(beginning) || is_junit(beginning) ||
                                    beginning.starts_with("<!-- normbench answer: ")
                              : is_text(beginning);
  return is_derived ? std::optional(Written::Derived) : std::nullopt;
}

}  // namespace normbench
