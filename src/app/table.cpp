#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/say.h"
#include "app/table_help.h"
#include "app/trace_file.h"
#include "core/file.h"
#include "core/issue.h"
#include "core/units.h"
#include "trace/profile_rows.h"
#include "report/table_formats.h"

namespace normbench {
namespace {

constexpr const char* as_in_trace = "none";  // of --sort-by

struct TableOptions {
  std::vector<std::string> files;
  std::string table = "torch", format = "text", sort_by = "cpu_time_total", out;
  std::optional<std::int64_t> row_limit, max_name_width;
  bool by_shape = false;
};

/// The same once it is known to make sense.
struct Wanted {
  TableKind kind;
  TableFormat format;
  TableOptions options;
};

template <class E>
E word(const std::string& option, const std::string& said) {
  const auto value = parse_word<E>(said);
  if (!value)
    throw Invalid(fmt::format("{} {}: unknown (known: {})", option, said, known_words<E>()));
  return *value;
}

Wanted wanted(const TableOptions& said) {
  Wanted wanted{.kind = word<TableKind>("--table", said.table),
                .format = word<TableFormat>("--format", said.format),
                .options = {}};
  const bool for_people =
      wanted.format == TableFormat::Text || wanted.format == TableFormat::Markdown;
  wanted.options.sort_by = said.sort_by == as_in_trace ? "" : said.sort_by;
  wanted.options.row_limit = said.row_limit.value_or(for_people ? wanted.options.row_limit : -1);
  if (wanted.options.row_limit < -1)
    throw Invalid(fmt::format("--row-limit {}: expected a number of rows, or -1 for all",
                              wanted.options.row_limit));
  if (said.max_name_width) {
    if (*said.max_name_width < 0)
      throw Invalid(fmt::format("--max-name-width {}: expected characters, or 0 for any width",
                                *said.max_name_width));
    wanted.options.max_name_width = static_cast<std::size_t>(*said.max_name_width);
  }
  shown_rows({}, wanted.options);  // knows what can be sorted by
  return wanted;
}

/// A trace and its table.
struct Shown {
  std::string file;
  CaseProfile profile;
};

Shown read_table(const std::string& path, bool by_shape) {
  const OpenTrace trace = open_trace(path);
  const TraceModel& model = trace.model;
  for (const std::string& warning : trace.warnings) tell("warning: {}: {}\n", trace.file, warning);
  Shown shown{.file = trace.file, .profile = {}};
  shown.profile.steps = profile_steps(model);
  shown.profile.device_times = trace.device_times;
  shown.profile.clock_error_ns = trace.clock_error_ns;
  shown.profile.times = profile_times(model);
  shown.profile.losses = profile_losses(model);
  shown.profile.rows = profile_rows(model, by_shape);
  if (shown.profile.rows.empty()) tell("warning: {}: no slices that a table shows\n", trace.file);
  return shown;
}

/// Several tables, each below the name of its file.
std::string titled(const std::vector<Shown>& all, const Wanted& wanted) {
  std::string text;
  for (const Shown& shown : all) {
    text += text.empty() ? "" : "\n";
    text += wanted.format == TableFormat::Markdown ? "### " + escaped_markdown(shown.file) + "\n\n"
                                                   : shown.file + "\n";
    text += profile_table(shown.profile, {}, wanted.kind, wanted.format, wanted.options);
  }
  return text;
}

/// `values` behind the name of their file.
Json with_file(const Shown& shown, const Json& values) {
  Json json{{"trace", shown.file}};
  json.update(values);
  return json;
}

std::string csv(const std::vector<Shown>& all, const Wanted& wanted) {
  std::vector<Json> rows;
  for (const Shown& shown : all)
    for (const Json& values : profile_values(shown.profile, {}, wanted.kind, wanted.options))
      rows.push_back(with_file(shown, values));
  return csv_text(rows);
}

std::string json(const std::vector<Shown>& all, const Wanted& wanted) {
  Json list = Json::array();
  for (const Shown& shown : all)
    list.push_back(with_file(shown, profile_json(shown.profile, {}, wanted.kind, wanted.options)));
  return json_text(list);
}

std::string text_of(const std::vector<Shown>& all, const Wanted& wanted) {
  if (all.size() == 1)
    return profile_table(all[0].profile, {}, wanted.kind, wanted.format, wanted.options);
  if (wanted.format == TableFormat::Csv) return csv(all, wanted);
  if (wanted.format == TableFormat::Json) return json(all, wanted);
  return titled(all, wanted);
}

Exit show_tables(const TableOptions& said) {
  const Wanted wanted_tables = wanted(said);
  std::vector<Shown> all;
  for (const std::string& file : said.files) all.push_back(read_table(file, said.by_shape));
  const std::string text = text_of(all, wanted_tables);
  if (said.out.empty())
    say("{}", text);
  else
    write_file(said.out, text);
  return Exit::Fine;
}

}  // namespace

std::function<Exit()> declare_table(CLI::App& app) {
  const auto said = std::make_shared<TableOptions>();
  app.add_option(
         "TRACE", said->files,
         "Chrome traces (.json, .json.gz) of normbench, PyTorch or another tool, or folders "
         "of runs")
      ->required();
  app.add_option("--table", said->table,
                 "torch (torch.profiler's table), stats (times of single calls, GB/s)")
      ->type_name("KIND");
  app.add_option("--format", said->format, known_words<TableFormat>())->type_name("NAME");
  app.add_option("--sort-by", said->sort_by, sort_help())->type_name("KEY");
  app.add_option("--row-limit", said->row_limit,
                 "Rows at most (default: 100 for people, all in csv and json; -1: all)")
      ->type_name("N");
  app.add_flag("--group-by-input-shape", said->by_shape,
               "A row for each name and shapes of the inputs, where the trace has these");
  app.add_option("--max-name-width", said->max_name_width,
                 "Characters at most of a name (default: 55; 0: any number)")
      ->type_name("N");
  app.add_option("--out", said->out, "Write here instead of to stdout")->type_name("FILE");
  app.footer(app.get_footer() + "\n\n" + columns_help());
  return [said] { return show_tables(*said); };
}

}  // namespace normbench
