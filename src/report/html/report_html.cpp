#include "report/html/report_html.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "report/document_text.h"
#include "report/experiment_lines.h"
#include "report/html/experiment_section.h"
#include "report/html/page.h"
#include "report/sweep_text.h"
#include "report/table_formats.h"
#include "report/words.h"

namespace normbench {
namespace html {
namespace {

constexpr std::size_t most_bytes = 3'000'000;

/// The content of a page. `rounds`: the page has a link that saves the rounds as CSV.
struct Content {
  Detail detail;
  bool rounds;
  std::size_t most_bytes;     // once the page is larger, nothing more is added to it
  std::string_view left_out;  // a sentence on what the page lacks; "": it is complete
};

/// Returns the rounds of all cases as CSV. Times are in ns, for all iterations of a case in the
/// round.
std::string rounds_csv(const Results& results) {
  std::vector<Json> rows;
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases)
      for (std::size_t r = 0; r < result.rounds.size(); ++r) {
        const Round& round = result.rounds[r];
        rows.push_back({{"experiment", group.experiment},
                        {"point", point_text(group.point)},
                        {"variant", result.variant},
                        {"round", r},
                        {"iterations", result.iterations},
                        {"wall_ns", round.wall_ns},
                        {"device_ns", round.device_ns},
                        {"cpu_ns", round.cpu_ns},
                        {"minor_faults", round.counters.minor_faults}});
      }
  return csv_text(rows);
}

/// Returns the first line of each experiment's verdict, with a link to the experiment's section.
/// Experiments are numbered across all documents of the page. `first` is the number of the first
/// experiment in `document`.
Markup findings(const Analysed& document, std::size_t first) {
  Markup items;
  for (std::size_t e = 0; e < document.experiments().size(); ++e) {
    const Experiment& experiment = document.experiments()[e];
    const std::vector<std::string> lines = verdict_lines(experiment, document.results());
    const std::string link = "#" + experiment_id(first + e);
    items += Element{"li"}(
        Element{"a", {{"href", link}}}(words(experiment_title(experiment))) +
        (lines.empty() ? Markup() : Element{"p", {{"class", "lead"}}}(words(lines.front()))));
  }
  return Element{"ul", {{"class", "findings"}}}(items);
}

Markup machine_table(const Results& results) {
  std::vector<TableRow> rows;
  for (const Json& of : {results.tool, results.environment})
    for (const Fact& fact : facts_of(of))
      rows.push_back({.heading = words(fact.path), .cells = {{words(fact.value)}}});
  const std::vector<Column> columns{{"what"}, {"value"}};
  return folded("Everything known of the machine and the build",
                table("The machine and the build", columns, rows));
}

Markup document_markup(const Analysed& document, std::size_t number, std::size_t first,
                       const Content& content) {
  const Results& results = document.results();
  Markup all;
  for (std::size_t e = 0; e < document.experiments().size(); ++e)
    if (all.source().size() <= content.most_bytes)
      all += experiment_section(document.experiments()[e], first + e, results, content.detail,
                                content.most_bytes);
  Markup machine =
      paragraphs(std::vector{machine_line(results), run_line(results, document.experiments())});
  machine += machine_table(results);
  if (content.rounds && all.source().size() <= content.most_bytes)
    machine += download(fmt::format("{}-rounds.csv", results.name), "text/csv", rounds_csv(results),
                        "Save the rounds as CSV");
  return all + section(fmt::format("machine{}", number), "The machine", machine);
}

std::string title_of(std::span<const Analysed> documents) {
  std::vector<std::string> names;
  for (const Analysed& document : documents)
    if (const std::string& name = document.results().name;
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
  return enumerate(names);
}

std::string page_with(std::span<const Analysed> documents, std::string title,
                      const Content& content) {
  Page whole{.title = std::move(title), .about = "", .body = {}};
  Markup top, rest;
  std::size_t first = 0;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    const Results& results = documents[d].results();
    if (documents.size() == 1) {
      whole.about = results.about;
      whole.facts = {machine_line(results), run_line(results, documents[d].experiments())};
    } else {
      top += Element{"p", {{"class", "facts"}}}(
          words(fmt::format("{} · {}", results.name, machine_line(results))));
    }
    top += findings(documents[d], first);
    rest += document_markup(documents[d], d + 1, first, content);
    first += documents[d].experiments().size();
    if (results.interrupted)
      top +=
          Element{"p"}(words(fmt::format("The run was interrupted: {}.", missing_text(results))));
  }
  if (!content.left_out.empty()) top += Element{"p"}(words(content.left_out));
  whole.body = section("findings", "What was found", top) + rest + how_to_read();
  return page(whole);
}

}  // namespace
}  // namespace html

std::string html_report(std::span<const Analysed> documents) {
  using html::Detail;
  static constexpr std::array<html::Content, 4> contents{{
      {Detail::Rounds, true, html::most_bytes, ""},
      {Detail::Rounds, false, html::most_bytes,
       "The rounds as CSV would make this page too large: the document has them."},
      {Detail::Drawings, false, html::most_bytes,
       "Rounds as CSV and tables as text would make this page too large: report --format table has "
       "the tables."},
      {Detail::Words, false, std::numeric_limits<std::size_t>::max(),
       "Drawings and tables would make this page too large: report --format table has the tables."},
  }};
  std::string text;
  for (const html::Content& content : contents) {
    text = html::page_with(documents, html::title_of(documents), content);
    if (text.size() <= html::most_bytes) break;
  }
  return text;
}

std::string html_report(const Analysed& analysed) { return html_report({&analysed, 1}); }

}  // namespace normbench
