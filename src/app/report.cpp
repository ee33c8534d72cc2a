#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/documents.h"
#include "app/options.h"
#include "report/profile_report.h"

namespace normbench {
namespace {

struct ReportOptions {
  std::vector<std::string> paths;
  std::string format, out;
  std::optional<TableKind> table;
};

/// What makes text of a document, as these options say.
std::function<std::string(const Results&)> renderer(const ReportOptions& options) {
  const bool is_default = options.format.empty() || options.format == "terminal";  // its old name
  if (!options.table) return report_named(is_default ? "text" : options.format).render;
  TableFormat format = TableFormat::Text;
  if (!options.format.empty()) word_of<TableFormat>(format)("--format", options.format);
  return [kind = *options.table, format](const Results& results) {
    return profile_report(results, kind, format);
  };
}

/// Says which documents have no profile, where an empty table does not.
void tell_unprofiled(std::span<const std::string> files, std::span<const Results> documents) {
  for (std::size_t i = 0; i < files.size(); ++i)
    if (std::ranges::all_of(documents[i].groups,
                            [](const GroupResult& group) { return group.profile.empty(); }))
      tell("normbench: {}: nothing was profiled, so it has no table\n", files[i]);
}

Exit report_documents(const ReportOptions& options) {
  const auto render = renderer(options);
  std::vector<BadInput> mistakes;
  std::vector<std::string> files;
  for (const std::string& path : options.paths)
    std::ranges::move(document_files(path, mistakes), std::back_inserter(files));
  const std::vector<Results> documents = read_documents(files, mistakes);
  for (const BadInput& bad : mistakes) tell("{}\n", bad.what());
  if (!mistakes.empty()) return Exit::BadInput;
  if (options.table && !options.format.empty() && options.format != "text")
    tell_unprofiled(files, documents);
  std::string text;
  for (const Results& results : documents) text += render(results);
  deliver(text, options.out);
  return Exit::Fine;
}

}  // namespace

Subcommand make_report() {
  const auto options = std::make_shared<ReportOptions>();
  std::string formats;
  for (const Report& report : reports())
    formats += fmt::format("{} ({}), ", report.name, report.about);
  formats.replace(formats.size() - 2, 2, "; with --table: " + known_words<TableFormat>());
  return {
      .options =
          {{"DOC", "", "Results: results.json, a run's folder, or a folder of several runs",
            &options->paths, "", Option::Required | Option::Several},
           {"--format", "NAME", formats, &options->format},
           {"--table", "KIND",
            "Only the profiler tables: torch (torch.profiler's), stats (percentiles, GB/s, limits)",
            word_of<TableKind>(options->table)},
           out_option(options->out)},
      .run = [options] { return report_documents(*options); }};
}

}  // namespace normbench
