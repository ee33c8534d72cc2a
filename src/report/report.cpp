#include "report/report.h"

#include <algorithm>
#include <array>

#include "report/html/report_html.h"

namespace normbench {
namespace {

constexpr std::array<Report, 4> kReports{{
    {"text", "what a run prints", "", &terminal},
    {"table", "everything, as text", "table.txt", &on_any_screen<Analysed, &table>},
    {"html", "a page to look at", "report.html", &on_any_screen<Analysed, &html_report>},
    {"json", "the document", "results.json", &on_any_screen<Analysed, &document_json>},
}};

}  // namespace

std::span<const Report> reports() { return kReports; }

const Report& report_named(std::string_view name) {
  const auto at = std::ranges::find(kReports, name, &Report::name);
  if (at != kReports.end()) return *at;
  std::vector<std::string> known;
  for (const Report& report : kReports) known.emplace_back(report.name);
  throw Invalid(unknown_of("format", name, known));
}

}  // namespace normbench
