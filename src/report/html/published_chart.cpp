#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "report/html/charts.h"
#include "report/html/scale.h"
#include "report/words.h"

namespace normbench::html {
namespace {

constexpr double figure_height = 20;

struct FigureLine {
  const Published* published = nullptr;
  PublishedFigure figure;
};

std::vector<FigureLine> figures_of(const GroupResult& group, const GroupAnalysis& analysis) {
  std::vector<FigureLine> lines;
  for (const Published& published : group.published)
    for (const PublishedFigure& figure : published_figures(group, analysis, published))
      if (figure.published > 0) lines.push_back({&published, figure});
  return lines;
}

bool was_measured(const FigureLine& line) { return line.figure.here && *line.figure.here > 0; }

double here_over(const FigureLine& line) { return *line.figure.here / line.figure.published; }

std::string ratio_label(double value) { return fmt::format("{:g}x", value); }

Markup figure_drawing(const FigureLine& line, const Scale& scale) {
  Markup shapes = upright(scale.at(1), figure_height, "baseline");
  if (!was_measured(line)) return drawing(figure_height, shapes);
  const double x = scale.at(here_over(line)), y = figure_height / 2;
  return drawing(figure_height, shapes + curve({{scale.at(1), y}, {x, y}}, "distance") +
                                    dots({{x, y}}, "knots c0"));
}

}  // namespace

Markup published_chart(const GroupResult& group, const GroupAnalysis& analysis) {
  const std::vector<FigureLine> lines = figures_of(group, analysis);
  if (lines.empty()) return {};
  double low = 0.5, high = 2;
  for (const FigureLine& line : lines)
    if (was_measured(line))
      low = std::min(low, here_over(line)), high = std::max(high, here_over(line));
  const Scale scale = Scale::logarithmic(low, high);
  std::vector<TableRow> rows;
  for (const FigureLine& line : lines) {
    const Published& published = *line.published;
    Markup heading = name(published.variant);
    if (!published.stage.empty()) heading += words(", ") + name(published.stage);
    if (!published.where.empty()) heading += Element{"small"}(words(" " + published.where));
    rows.push_back(
        {.heading = heading,
         .cells = {{figure_drawing(line, scale)},
                   {words(figure_text(line.figure.kind, line.figure.published)), true},
                   {words(was_measured(line) ? figure_text(line.figure.kind, *line.figure.here)
                                             : "not measured"),
                    true},
                   {words(was_measured(line) ? factor(here_over(line)) : ""), true}}});
  }
  const std::vector<Column> columns{{"figure of"},
                                    {"here over published", labels(scale, 5, &ratio_label)},
                                    {"published"},
                                    {"here"},
                                    {"ratio"}};
  return block("published", table("Published figures and those here", columns, rows));
}

}  // namespace normbench::html
