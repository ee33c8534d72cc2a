#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/sweep/sweep.h"
#include "core/units.h"
#include "report/html/charts.h"
#include "report/html/scale.h"
#include "report/sweep_text.h"
#include "report/words.h"

namespace normbench::html {
namespace {

constexpr double sweep_height = 280;

struct SweepPoint {
  double amount = 0;
  Interval time_ns;
};

struct SweepCurve {
  std::string variant;
  std::vector<SweepPoint> points;
};

std::vector<SweepCurve> curves_of(const Experiment& experiment, const AxisLine& line) {
  std::vector<SweepCurve> curves;
  for (const std::string& variant : measured_variants(experiment, line)) {
    SweepCurve curve{variant, {}};
    for (const AxisLine::Point& point : line.points)
      if (const auto index = measured_case(experiment, point.group, variant))
        if (const auto& time = experiment.analyses[point.group].cases[*index].time_ns;
            time && time->low > 0 && point.amount > 0)
          curve.points.push_back({point.amount, *time});
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

/// Returns a pair for each point of the axis: its amount (the axis value as a number), and the
/// least possible time of its fastest case in ns. Points whose fastest case has no limit are left
/// out.
std::vector<std::pair<double, double>> limit_of_fastest(const Experiment& experiment,
                                                        const AxisLine& line) {
  std::vector<std::pair<double, double>> limit;
  for (const AxisLine::Point& point : line.points) {
    const CaseAnalysis* fastest = nullptr;
    for (const CaseAnalysis& one : experiment.analyses[point.group].cases)
      if (one.time_ns && (fastest == nullptr || one.time_ns->value < fastest->time_ns->value))
        fastest = &one;
    if (fastest != nullptr && fastest->of_limit && fastest->of_limit->value > 0 && point.amount > 0)
      limit.emplace_back(point.amount, fastest->time_ns->value * fastest->of_limit->value);
  }
  return limit;
}

struct Frame {
  Scale across, up;
  std::pair<double, double> place(double amount, double ns) const {
    return {across.at(amount), up.above(ns, sweep_height)};
  }
};

Frame frame_of(const std::vector<SweepCurve>& curves,
               const std::vector<std::pair<double, double>>& limit) {
  double left = INFINITY, right = 0, low = INFINITY, high = 0;
  const auto take = [&](double amount, double least, double most) {
    left = std::min(left, amount), right = std::max(right, amount);
    low = std::min(low, least), high = std::max(high, most);
  };
  for (const SweepCurve& curve : curves)
    for (const SweepPoint& point : curve.points)
      take(point.amount, point.time_ns.low, point.time_ns.high);
  for (const auto& [amount, ns] : limit) take(amount, ns, ns);
  return {Scale::logarithmic(left, right), Scale::logarithmic(low, high)};
}

Markup curve_shapes(const SweepCurve& variant, const Frame& frame, const std::string& css_class) {
  std::vector<std::pair<double, double>> middle, band;
  for (const SweepPoint& point : variant.points) {
    middle.push_back(frame.place(point.amount, point.time_ns.value));
    band.push_back(frame.place(point.amount, point.time_ns.high));
  }
  for (auto point = variant.points.rbegin(); point != variant.points.rend(); ++point)
    band.push_back(frame.place(point->amount, point->time_ns.low));
  return area(band, "band " + css_class) + curve(middle, "curve " + css_class) +
         dots(middle, "knots " + css_class);
}

/// The changes of the winner along the axis. Each change has a line in the drawing, a number at the
/// line, and a sentence with this number below the drawing.
struct Changes {
  Markup lines, numbers, list;
};

Changes changes_of(const Experiment& experiment, const AxisLine& line, const Frame& frame) {
  Changes changes;
  int count = 0;
  for (const Overtaking& change : winner_changes(experiment, line)) {
    const auto after = amount_of(change.after), by = amount_of(change.by);
    if (!after || !by || *after <= 0 || *by <= 0) continue;
    const double x = frame.across.at(std::sqrt(*after * *by));
    changes.lines += upright(x, sweep_height, "change");
    changes.numbers +=
        Element{"span", {{"style", fmt::format("left:{}%", number(100 * x / drawing_width))}}}(
            words(std::to_string(++count)));
    changes.list += Element{"li"}(words(overtaking_text(line, change) + "."));
  }
  return changes;
}

std::string ms_label(double ns) { return fmt::format("{:g} ms", ns / 1e6); }
/// Returns the labels of the axis, which are the values of its points. A label that would overlap
/// the previous label is left out.
Markup point_labels(const AxisLine& line, const Scale& across) {
  constexpr double room = 130;
  std::vector<std::pair<double, std::string>> texts;
  for (const AxisLine::Point& point : line.points)
    if (point.amount > 0 &&
        (texts.empty() || across.at(point.amount) - across.at(texts.back().first) >= room))
      texts.emplace_back(point.amount, axis_value(point.value));
  return labels_at(across, texts);
}

/// Returns a case's time, in bold if the case is certainly the fastest at its point of the sweep.
Cell time_cell(const GroupAnalysis& analysis, std::optional<int> index) {
  if (!index) return {words("not measured"), true};
  const Markup text = words(format_ms(analysis.cases[*index].time_ns->value));
  const std::vector<int>& fastest = analysis.verdict.fastest;
  const bool wins = analysis.verdict.outcome == Outcome::Winner &&
                    std::ranges::find(fastest, *index) != fastest.end();
  return {wins ? Element{"strong"}(text) : text, true};
}

constexpr std::string_view times_caption = "ms per batch; the fastest is bold";

/// Returns the times of the curves as a table of numbers.
Markup numbers_of(const Experiment& experiment, const AxisLine& line,
                  const std::vector<SweepCurve>& curves) {
  std::vector<Column> columns{{"variant"}};
  for (const AxisLine::Point& point : line.points)
    columns.push_back({fmt::format("{}={}", line.axis, axis_value(point.value))});
  std::vector<TableRow> rows;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    TableRow row{
        .heading = Element{"span", {{"class", "key " + colour(c)}}}(name(curves[c].variant)),
        .cells = {}};
    for (const AxisLine::Point& point : line.points)
      row.cells.push_back(time_cell(experiment.analyses[point.group],
                                    measured_case(experiment, point.group, curves[c].variant)));
    rows.push_back(std::move(row));
  }
  return table(times_caption, columns, rows);
}

/// Returns the variants that were measured at any point of the sweep, in order of first appearance.
std::vector<std::string> all_measured(const Experiment& experiment) {
  std::vector<std::string> variants;
  for (const GroupResult* group : experiment.groups)
    for (const CaseResult& result : group->cases)
      if (measured(result) && std::ranges::find(variants, result.variant) == variants.end())
        variants.push_back(result.variant);
  return variants;
}

}  // namespace

Markup points_table(const Experiment& experiment) {
  std::vector<Column> columns{{"variant"}};
  for (const GroupResult* group : experiment.groups) columns.push_back({point_text(group->point)});
  std::vector<TableRow> rows;
  for (const std::string& variant : all_measured(experiment)) {
    TableRow row{.heading = name(variant), .cells = {}};
    for (std::size_t g = 0; g < experiment.groups.size(); ++g)
      row.cells.push_back(time_cell(experiment.analyses[g], measured_case(experiment, g, variant)));
    rows.push_back(std::move(row));
  }
  return rows.empty() ? Markup() : table(times_caption, columns, rows);
}

Markup sweep_chart(const Experiment& experiment, const AxisLine& line) {
  const std::vector<SweepCurve> curves = curves_of(experiment, line);
  const bool is_line =
      std::ranges::any_of(curves, [](const SweepCurve& curve) { return curve.points.size() > 1; });
  if (!is_line) return {};
  const auto limit = limit_of_fastest(experiment, line);
  const Frame frame = frame_of(curves, limit);
  Markup shapes;
  for (std::size_t c = 0; c < curves.size(); ++c)
    shapes += curve_shapes(curves[c], frame, colour(c));
  std::vector<std::pair<double, double>> limit_places;
  for (const auto& [amount, ns] : limit) limit_places.push_back(frame.place(amount, ns));
  if (limit_places.size() > 1) shapes += curve(limit_places, "limit");
  const Changes changes = changes_of(experiment, line, frame);
  shapes += changes.lines;
  const std::string where = line.fixed.empty() ? "" : " at " + point_text(line.fixed);
  Markup figure = Element{"figcaption"}(
      words(fmt::format("Time of a batch along {}{}: median and interval{}", line.axis, where,
                        limit_places.size() > 1 ? "; dashed: the limit of the fastest" : "")));
  figure += block(
      "framed", side_labels(frame.up, 6, &ms_label) +
                    block("plot", drawing(sweep_height, shapes) + block("marks", changes.numbers)) +
                    point_labels(line, frame.across));
  if (!changes.list.empty()) figure += Element{"ol"}(changes.list);
  return Element{"figure", {{"class", "sweep"}}}(figure) + numbers_of(experiment, line, curves);
}

}  // namespace normbench::html
