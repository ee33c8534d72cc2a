#include "report/report.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <vector>

#include "app/commands.h"
#include "app/say.h"
#include "core/file.h"
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

std::string formats() {
  std::string text;
  for (const Report& report : reports())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", report.name, report.about);
  return text + "; with --table: " + known_words<TableFormat>();
}

/// The word's value. Throws Invalid listing the known ones.
template <class E>
E word(const std::string& what, const std::string& said) {
  const auto value = parse_word<E>(said);
  if (!value)
    throw Invalid(fmt::format("unknown {} \"{}\" (known: {})", what, said, known_words<E>()));
  return *value;
}

/// What makes text of a document, as these options say; "" for one that was not given.
std::function<std::string(const Results&)> renderer(const std::string& format,
                                                    const std::string& table) {
  if (table.empty()) return report_named(format.empty() ? "terminal" : format).render;
  const auto kind = word<TableKind>("table", table);
  const auto as = format.empty() ? TableFormat::Text : word<TableFormat>("format", format);
  return [kind, as](const Results& results) { return profile_report(results, kind, as); };
}

}  // namespace

std::function<Exit()> declare_report(CLI::App& app) {
  struct Said {
    std::vector<std::string> files;
    std::string format, table, out;
  };
  const auto said = std::make_shared<Said>();
  app.add_option("DOC", said->files, "Results documents (results.json)")->required();
  app.add_option("--format", said->format, formats())->type_name("NAME");
  app.add_option("--table", said->table,
                 "Only the profiler tables: torch (torch.profiler's), stats (percentiles, GB/s, "
                 "limits)")
      ->type_name("KIND");
  app.add_option("--out", said->out, "Write here instead of to stdout")->type_name("FILE");
  return [said] {
    const auto render = renderer(said->format, said->table);
    std::string text;
    for (const std::string& file : said->files) text += render(read_document(file));
    if (said->out.empty())
      say("{}", text);
    else
      write_file(said->out, text);
    return Exit::Fine;
  };
}

}  // namespace normbench
