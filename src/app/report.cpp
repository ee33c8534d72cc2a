#include "report/report.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "app/commands.h"
#include "app/say.h"
#include "core/file.h"
#include "core/json.h"

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
  return text;
}

}  // namespace

std::function<Exit()> declare_report(CLI::App& app) {
  struct Said {
    std::vector<std::string> files;
    std::string format = "terminal";
    std::string out;
  };
  const auto said = std::make_shared<Said>();
  app.add_option("DOC", said->files, "Results documents (results.json)")->required();
  app.add_option("--format", said->format, formats())->type_name("NAME");
  app.add_option("--out", said->out, "Write here instead of to stdout")->type_name("FILE");
  return [said] {
    const Report& report = report_named(said->format);
    std::string text;
    for (const std::string& file : said->files) text += report.render(read_document(file));
    if (said->out.empty())
      say("{}", text);
    else
      write_file(said->out, text);
    return Exit::Fine;
  };
}

}  // namespace normbench
