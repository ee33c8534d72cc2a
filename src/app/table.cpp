#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/options.h"
#include "app/own_files.h"
#include "app/terminal.h"
#include "core/system_error.h"
#include "core/units.h"
#include "document/visible.h"
#include "report/chrome/gzip.h"
#include "report/table_formats.h"
#include "report/torch_table.h"
#include "report/words.h"
#include "trace/profile_rows.h"
#include "trace/read/read_chrome.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

// --- reading the trace at a path

struct Shown {
  std::string file;
  // Warnings about unusable or doubtful parts of the trace.
  std::vector<std::string> warnings;
  CaseProfile profile;
  AllRows rest;  // sums of rows that are not shown
};

/// Returns the trace file: `path` itself, or the trace in the folder `path` of a run. Throws
/// Invalid if this folder has no trace.
std::string file_of(const std::string& path) {
  std::error_code unknown;
  if (!fs::is_directory(path, unknown)) return path;
  for (const char* name : {"trace.json", "trace.json.gz"})
    if (fs::exists(fs::path(path) / name, unknown)) return (fs::path(path) / name).string();
  throw Invalid(fmt::format(
      "{}: no trace.json in this folder (give a trace, or the folder of a run that was profiled)",
      path));
}

ReadTrace read_trace(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw Invalid(fmt::format("{}: {}", file,
                              errno == ENOENT
                                  ? "no such file (check the path)"
                                  : fmt::format("cannot be read: {}", system_error_text(errno))));
  return is_gzip(in) ? read_chrome(*gunzip_from(in), file) : read_chrome(in, file);
}

std::optional<DeviceTimes> device_times_of(const Json& about) {
  std::optional<DeviceTimes> source;
  for (const Json& said : about.value("device_times", Json::array())) {
    const auto one = said.is_string() ? parse_word<DeviceTimes>(said.get_ref<const std::string&>())
                                      : std::nullopt;
    if (one) source = source && source != one ? DeviceTimes::Mixed : *one;
  }
  return source;
}

struct TableArguments {
  std::vector<std::string> files;
  TableKind kind = TableKind::Torch;
  TableFormat format = TableFormat::Text;
  TableOptions options;
  std::optional<std::int64_t> row_limit;
  std::string out;
  bool by_shape = false, quiet = false;

  bool is_for_people() const {
    return format == TableFormat::Text || format == TableFormat::Markdown;
  }
};

/// Reads a Chrome trace and makes the rows of its profiler table. Recognises a gzipped file by its
/// content, not by its name. Prints a warning on stderr for each part of the trace that cannot be
/// used. Throws Invalid with the file's name if the file is no trace.
Shown read_table(const std::string& file, const TableArguments& wanted) {
  Shown shown{.file = file, .warnings = {}, .profile = {}, .rest = {}};
  ReadTrace trace = read_trace(shown.file);
  const auto warn = [&](const std::string& what) {
    tell("warning: {}: {}\n", shown.file, what);
    shown.warnings.push_back(what);
  };
  for (const TraceMark& mark : trace.marks) warn(mark.name);
  if (trace.losses.cut_off > 0)
    warn(fmt::format("its end is missing: {} slices were cut off when it was written",
                     format_count(trace.losses.cut_off)));
  const Json about = trace.about.is_object() ? trace.about : Json::object();
  CaseProfile& profile = shown.profile;
  profile.device_times = device_times_of(about);
  if (const auto error = about.find("clock_error_ns");
      error != about.end() && error->is_number_integer())
    profile.clock_error_ns = error->get<std::int64_t>();
  profile.steps = profile_steps(trace);
  profile.times = profile_times(trace);
  profile.losses = profile_losses(trace.losses);
  TopRows top(wanted.options);
  const std::int64_t ambiguous = profile_rows(trace, wanted.by_shape, [&](ProfileRow&& row) {
    top.add(wanted.is_for_people() ? visible(std::move(row)) : std::move(row));
  });
  profile.rows = top.take(shown.rest);
  shown.rest.has_memory |= trace.profiles_memory;
  if (ambiguous > 0)
    warn(
        fmt::format("{} of device work have a correlation that calls of several processes have: "
                    "this work is in no op's Self CUDA",
                    counted(ambiguous, "piece")));
  if (profile.rows.empty() && shown.rest.count == 0)
    warn("no events with a duration that a table shows");
  return shown;
}

// --- the meaning of the tables' columns and lines, for --help

struct Meaning {
  std::string_view title;
  std::string_view text;
};

constexpr auto torch_columns = std::to_array<Meaning>({
    {"Name",
     "An op, a range, a call of the CUDA runtime, or work of a device. One name can have\n"
     "two rows: of the host, and of what it is on the device."},
    {"Self CPU",
     "Host time of all calls, without that of the calls below them on their thread. Frames of\n"
     "Python are such calls without a row, so it can be below 0. Ranges that may end on another\n"
     "thread (collectives, async events) have none."},
    {"Self CPU %", "Of the sum of Self CPU over all rows: this column adds up to 100 %."},
    {"CPU total", "Host time of all calls, with that of the calls below them."},
    {"CPU total %",
     "Of the sum of Self CPU: ranges around others reach 100 % too. A name that calls itself\n"
     "passes it, as each of its calls counts whole. 0 for ranges that may end on another thread."},
    {"CPU time avg", "CPU total over # of Calls."},
    {"Self CUDA",
     "Host rows: the device's time of work submitted by these calls themselves.\n"
     "Device rows: the time of this work. So each piece counts in two rows."},
    {"Self CUDA %", "Of Self CUDA time total: this column adds up to about 200 %."},
    {"CUDA total", "The same with work submitted by the calls below."},
    {"CUDA time avg", "CUDA total over # of Calls of this row, not over pieces of work."},
    {"CPU Mem",
     "Bytes allocated less those freed while the calls ran, on any thread, where the trace has\n"
     "them (profile_memory). The row [memory] has what was allocated in no call."},
    {"Self CPU Mem", "The same without that of the calls below them. CUDA Mem is of devices."},
    {"# of Calls",
     "A call whose only child has the same name is merged with it: one call, with the outer\n"
     "one's time and the inner one's children. So there are fewer than slices in the trace."},
    {"Input Shapes", "With --group-by-input-shape."},
});

constexpr auto stats_columns = std::to_array<Meaning>({
    {"place", "Where the time was spent: cpu, or cuda for work of a device."},
    {"shapes", "With --group-by-input-shape."},
    {"count", "Calls, merged as in torch's table, or pieces of work."},
    {"min p50 p95 max", "Of the times of single calls; percentiles are times that occurred."},
    {"GB/s", "Bytes of all calls over the device's time, without any over the host's."},
    {"% of limit", "Of what this machine can do; only a run's own tables know it."},
    {"faults", "Page faults of all calls; only a run's own tables know them."},
});

constexpr auto footers = std::to_array<Meaning>({
    {"Self CPU time total",
     "The sum of Self CPU. Threads count on their own, so it can exceed the\n"
     "wall time."},
    {"Self CUDA time total",
     "The sum of device rows but for annotations. Work at the same time\n"
     "counts on its own, so it can exceed the wall time."},
    {"Wall time", "Of the steps (ProfilerStep#N), or of the whole trace without any."},
    {"GPU busy",
     "While at least one piece of device work ran, within the steps; as a share of\n"
     "their wall time."},
    {"Overlap", "While at least two pieces of device work ran."},
    {"Exposed transfers", "While data went over the link and no kernel ran."},
    {"Gaps", "Between pieces of device work within a step, on all streams."},
    {"Device times", "What they come from: CUPTI's records, or CUDA events around the stages."},
    {"Lost",
     "What the trace shows to be missing: launches without work, work without launch, and what\n"
     "its writer had no room for."},
});

/// Returns the meanings as entries for --help. Newlines become spaces.
std::vector<HelpEntry> entries(std::span<const Meaning> meanings) {
  std::vector<HelpEntry> list;
  for (const Meaning& meaning : meanings) {
    std::string text(meaning.text);
    std::ranges::replace(text, '\n', ' ');
    list.push_back({std::string(meaning.title), std::move(text)});
  }
  return list;
}

std::vector<std::string> sort_words() {
  std::vector<std::string> words = sort_key_spellings();
  words.emplace_back("none");
  return words;
}

/// Returns the help of --sort-by, which begins like "cpu_time, cpu_time_total, ...".
std::string sort_help() {
  return fmt::format("{}, or none: by first call (default: cpu_time_total; cuda stands for device)",
                     fmt::join(sort_key_names(), ", "));
}

/// Returns the explanations of all columns of both tables, and of the lines below the tables.
std::vector<HelpSection> columns_help() {
  return {{"Columns of torch", entries(torch_columns)},
          {"Columns of stats", entries(stats_columns)},
          {"Lines below", entries(footers)}};
}

// --- rendering the tables

/// Returns the options of the command line, with `rest` set to the sums of the rows that the table
/// does not show.
TableOptions options_for(const Shown& shown, const TableArguments& wanted) {
  TableOptions options = wanted.options;
  options.rest = shown.rest;
  return options;
}

std::string table_of(const Shown& shown, const TableArguments& wanted) {
  return profile_table(shown.profile, {}, wanted.kind, wanted.format, options_for(shown, wanted));
}

/// Returns several tables, each below its file's name.
std::string titled(const std::vector<Shown>& all, const TableArguments& wanted) {
  std::string text;
  for (const Shown& shown : all) {
    text += text.empty() ? "" : "\n";
    text += wanted.format == TableFormat::Markdown ? "### " + escaped_markdown(shown.file) + "\n\n"
                                                   : on_one_line(shown.file) + "\n";
    text += table_of(shown, wanted);
  }
  return text;
}

/// Returns `values` with the name of the trace file as first member.
Json with_file(const Shown& shown, const Json& values) {
  Json json{{"trace", shown.file}};
  json.update(values);
  return json;
}

std::string csv(const std::vector<Shown>& all, const TableArguments& wanted) {
  std::vector<Json> rows;
  for (const Shown& shown : all)
    for (const Json& values :
         profile_values(shown.profile, {}, wanted.kind, options_for(shown, wanted)))
      rows.push_back(with_file(shown, values));
  return csv_text(rows);
}

/// Returns the values of the table and the warnings that read_table() has printed on stderr.
Json document_of(const Shown& shown, const TableArguments& wanted) {
  Json document = profile_json(shown.profile, {}, wanted.kind, options_for(shown, wanted));
  document["warnings"] = shown.warnings;
  return document;
}

std::string json(const std::vector<Shown>& all, const TableArguments& wanted) {
  if (all.size() == 1) return json_text(document_of(all[0], wanted));
  Json list = Json::array();
  for (const Shown& shown : all) list.push_back(with_file(shown, document_of(shown, wanted)));
  return json_text(list);
}

std::string text_of(const std::vector<Shown>& all, const TableArguments& wanted) {
  if (wanted.format == TableFormat::Json) return json(all, wanted);
  if (all.size() == 1) return table_of(all[0], wanted);
  if (wanted.format == TableFormat::Csv) return csv(all, wanted);
  return titled(all, wanted);
}

Exit show_tables(TableArguments wanted) {
  wanted.options.row_limit =
      wanted.row_limit.value_or(wanted.is_for_people() ? wanted.options.row_limit : -1);
  for (std::string& path : wanted.files) path = file_of(path);
  check_output("--out", wanted.out, wanted.files);
  std::vector<Shown> all;
  for (const std::string& file : wanted.files) all.push_back(read_table(file, wanted));
  const bool is_text = wanted.format == TableFormat::Text;
  deliver(text_of(all, wanted), wanted.out, is_text ? show : write_result);
  if (is_text && wanted.out.empty() && wanted.kind == TableKind::Torch)
    suggest(wanted.quiet,
            fmt::format("normbench table {} --table stats", shell_word(wanted.files.front())));
  return Exit::Fine;
}

}  // namespace

Subcommand make_table() {
  const auto wanted = std::make_shared<TableArguments>();
  const Take sort_by{[wanted](const std::string&, const std::string& given) {
                       wanted->options.sort_by = given == "none" ? "" : given;
                       shown_rows({}, wanted->options);  // throws for an unknown key
                     },
                     sort_words()};
  return {
      .options = {{"TRACE", "",
                   "Chrome traces (.json, .json.gz) of normbench, PyTorch or another "
                   "tool, or folders of runs",
                   &wanted->files, "", Option::Required | Option::Several},
                  {"--table", "KIND",
                   "torch (torch.profiler's table), stats (times of single calls, GB/s)",
                   word_of<TableKind>(wanted->kind)},
                  {"--format", "NAME", known_words<TableFormat>(),
                   word_of<TableFormat>(wanted->format)},
                  {"--sort-by", "KEY", sort_help(), sort_by},
                  {"--row-limit", "N",
                   "Rows at most (default: 100 for people, all in csv and json; -1: all)",
                   whole(wanted->row_limit, -1)},
                  {"--group-by-input-shape", "",
                   "A row for each name and shapes of the inputs, where the trace has "
                   "these",
                   &wanted->by_shape},
                  {"--max-name-width", "N", "Characters of a name at most (default: 55; 0: all)",
                   whole(wanted->options.max_name_width, 0)},
                  quiet_option(wanted->quiet),
                  out_option(wanted->out)},
      .run = [wanted] { return show_tables(*wanted); },
      .help_sections = columns_help()};
}

}  // namespace normbench
