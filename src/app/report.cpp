#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/documents.h"
#include "app/options.h"
#include "app/own_files.h"
#include "app/terminal.h"
#include "report/answer.h"
#include "report/document_text.h"
#include "report/html/report_html.h"
#include "report/profile_report.h"

namespace normbench {
namespace {

/// What --table shows.
enum class ShownTable { Answer, Torch, Stats };
constexpr auto words(ShownTable) {
  return std::to_array<Word<ShownTable>>({{ShownTable::Answer, "answer"},
                                          {ShownTable::Torch, name_of(TableKind::Torch)},
                                          {ShownTable::Stats, name_of(TableKind::Stats)}});
}

struct ReportOptions {
  std::vector<std::string> paths;
  std::string format, out;
  std::optional<ShownTable> table;
  bool quiet = false;
};

/// A function that renders several documents as one text. The second argument has the names of
/// their files.
using Renderer =
    std::function<std::string(std::span<const Analysed>, std::span<const std::string>)>;

/// Returns the renderer that --table and --format select. For several documents, it renders JSON as
/// one list, and CSV with a single header.
Renderer renderer(const ReportOptions& options) {
  if (options.table) {
    TableFormat format = TableFormat::Text;
    if (!options.format.empty()) word_of<TableFormat>(format)("--format", options.format);
    return [shown = *options.table, format, screen = screen_of(options.out)](auto documents,
                                                                             auto files) {
      const auto names = files.first(documents.size() > 1 ? files.size() : 0);
      if (shown == ShownTable::Answer) return answer_report(documents, names, format, screen);
      const TableKind kind = shown == ShownTable::Stats ? TableKind::Stats : TableKind::Torch;
      return profile_report(documents, names, kind, format);
    };
  }
  // "terminal" is the old name of "text".
  const bool is_default = options.format.empty() || options.format == "terminal";
  const Report& report = report_named(is_default ? "text" : options.format);
  if (report.name == "html") return [](auto documents, auto) { return html_report(documents); };
  return [render = report.render, is_json = report.name == "json", screen = screen_of(options.out)](
             auto documents, auto) {
    std::string text;
    const bool is_list = is_json && documents.size() > 1;
    for (const Analysed& document : documents)
      text += (!is_list ? "" : text.empty() ? "[\n" : ",\n") + render(document, screen);
    return text + (is_list ? "]\n" : "");
  };
}

/// Prints on stderr which documents have no profile, and which failures they contain, because an
/// empty table does not say why it is empty.
void tell_unprofiled(std::span<const std::string> files, std::span<const Analysed> documents) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::vector<GroupResult>& groups = documents[i].results().groups;
    if (!std::ranges::all_of(groups,
                             [](const GroupResult& group) { return group.profile.empty(); }))
      continue;
    const std::string failures = failures_text(groups);
    tell("normbench: {}: nothing was profiled, so it has no table{}{}\n", files[i],
         failures.empty() ? "" : ": ", failures);
  }
}

Exit report_documents(const ReportOptions& options) {
  const auto render = renderer(options);
  std::vector<BadInput> mistakes;
  std::vector<std::string> files;
  for (const std::string& path : options.paths)
    std::ranges::move(document_files(path, mistakes), std::back_inserter(files));
  check_output("--out", options.out, files);
  std::vector<Results> read = read_documents(files, mistakes);
  write_mistakes(mistakes);
  if (!mistakes.empty()) return Exit::BadInput;
  const std::vector<Analysed> documents(std::move_iterator(read.begin()),
                                        std::move_iterator(read.end()));
  const bool is_profile = options.table && options.table != ShownTable::Answer;
  if (is_profile && !options.format.empty() && options.format != "text")
    tell_unprofiled(files, documents);
  const bool is_text = options.format.empty() || options.format == "text";
  deliver(render(documents, files), options.out, is_text ? show : write_result);
  if (is_text && options.out.empty())
    suggest(options.quiet, fmt::format("normbench report {} --format html --out page.html",
                                       shell_word(options.paths.front())));
  return Exit::Fine;
}

}  // namespace

Subcommand make_report() {
  const auto options = std::make_shared<ReportOptions>();
  std::string formats;
  std::vector<std::string> names;
  for (const Report& report : reports()) {
    names.emplace_back(report.name);
    formats += fmt::format("{} ({}), ", report.name, report.about);
  }
  for (const std::string& name : all_words<TableFormat>())  // with --table, --format accepts these
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  const Take take_format{
      [options](const std::string&, const std::string& given) { options->format = given; }, names};
  formats.replace(formats.size() - 2, 2, "; with --table: " + known_words<TableFormat>());
  return {.options =
              {{"DOC", "",
                "Results: results.json, a run's folder, or a folder of several (json of several: a "
                "list)",
                &options->paths, "", Option::Required | Option::Several},
               {"--format", "NAME", formats, take_format},
               {"--table", "KIND",
                "Only one table: answer (a row for each case), or the profiler tables: torch "
                "(torch.profiler's), stats (percentiles, GB/s, limits)",
                word_of<ShownTable>(options->table)},
               quiet_option(options->quiet),
               out_option(options->out)},
          .run = [options] { return report_documents(*options); }};
}

}  // namespace normbench
