#include "report/report.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/options.h"
#include "core/issue.h"
#include "core/json.h"
#include "report/profile_report.h"

namespace normbench {
namespace {

Results read_document(const std::string& file) {
  std::vector<Issue> issues;
  try {
    const Json document = parse_json(read_text(file), issues);
    if (issues.empty()) return read_results(document);
  } catch (const Invalid& invalid) {
    issues.push_back({"", invalid.what()});
  }
  throw BadInput(file, issues);
}

struct ReportOptions {
  std::vector<std::string> files;
  std::string format, out;
  std::optional<TableKind> table;
};

/// What makes text of a document, as these options say.
std::function<std::string(const Results&)> renderer(const ReportOptions& options) {
  if (!options.table)
    return report_named(options.format.empty() ? "terminal" : options.format).render;
  TableFormat format = TableFormat::Text;
  if (!options.format.empty()) word_of<TableFormat>(format)("--format", options.format);
  return [kind = *options.table, format](const Results& results) {
    return profile_report(results, kind, format);
  };
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
          {{"DOC", "", "Results documents (results.json)", &options->files, "",
            Option::Required | Option::Several},
           {"--format", "NAME", formats, &options->format},
           {"--table", "KIND",
            "Only the profiler tables: torch (torch.profiler's), stats (percentiles, GB/s, limits)",
            word_of<TableKind>(options->table)},
           out_option(options->out)},
      .run = [options] {
        const auto render = renderer(*options);
        std::string text;
        for (const std::string& file : options->files) text += render(read_document(file));
        deliver(text, options->out);
        return Exit::Fine;
      }};
}

}  // namespace normbench
