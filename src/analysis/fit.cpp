#include "analysis/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kWorstResidual = 0.2;
constexpr double kNoCost = 1e-6;  // of the smallest time: nothing but rounding

/// Where along an axis the bytes reach `bytes`, which grow evenly from its first to its last point.
double amount_with(double bytes, const AxisLine& line, double first_bytes, double last_bytes) {
  const double first = line.points.front().amount, last = line.points.back().amount;
  return first + (bytes - first_bytes) * (last - first) / (last_bytes - first_bytes);
}

std::optional<LinearFit> fit_of(const Experiment& experiment, const AxisLine& line,
                          const std::string& variant) {
  AxisLine measured{.axis = line.axis, .fixed = line.fixed, .points = {}};
  std::vector<double> bytes, times_ns;
  for (const AxisLine::Point& point : line.points)
    if (const auto index = measured_case(experiment, point.group, variant)) {
      measured.points.push_back(point);
      bytes.push_back(moved_bytes(experiment.groups[point.group]->cases[*index]));
      times_ns.push_back(experiment.analyses[point.group].cases[*index].time_ns->value);
    }
  const auto fitted = fit_line(bytes, times_ns);
  if (!fitted || bytes.back() <= bytes.front()) return std::nullopt;
  return LinearFit{
      .variant = variant,
      .points = bytes.size(),
      .fitted = *fitted,
      .amount90 = amount_with(9 * fitted->half_bytes(), measured, bytes.front(), bytes.back()),
      .explains = fitted->worst <= kWorstResidual};
}

/// "batch 24", "230,400 pixels".
std::string amount_text(const AxisLine& line, double amount) {
  const std::string count = format_count(std::llround(std::ceil(amount)));
  return line.points.front().value.is_array() ? count + " pixels" : line.axis + " " + count;
}

}  // namespace

std::optional<LineFit> fit_line(std::span<const double> bytes, std::span<const double> times_ns) {
  if (std::set<double>(bytes.begin(), bytes.end()).size() < 3) return std::nullopt;
  double weights = 0, x = 0, xx = 0, t = 0, xt = 0;  // weighted sums
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double weight = 1 / (times_ns[i] * times_ns[i]);
    weights += weight;
    x += weight * bytes[i];
    xx += weight * bytes[i] * bytes[i];
    t += weight * times_ns[i];
    xt += weight * bytes[i] * times_ns[i];
  }
  const double determinant = weights * xx - x * x;
  LineFit fit{.fixed_ns = (xx * t - x * xt) / determinant,
              .ns_per_byte = (weights * xt - x * t) / determinant};
  if (fit.fixed_ns < kNoCost * *std::ranges::min_element(times_ns))
    fit = {.fixed_ns = 0, .ns_per_byte = xt / xx};
  if (!(fit.ns_per_byte > 0)) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    fit.worst = std::max(
        fit.worst, std::abs(fit.fixed_ns + bytes[i] * fit.ns_per_byte - times_ns[i]) / times_ns[i]);
  return fit;
}

double moved_bytes(const CaseResult& result) {
  return std::accumulate(
      result.stages.begin(), result.stages.end(), 0.0,
      [](double sum, const StageResult& stage) { return sum + static_cast<double>(stage.bytes); });
}

std::vector<LinearFit> fits(const Experiment& experiment, const AxisLine& line) {
  std::vector<LinearFit> list;
  for (const std::string& variant : measured_variants(experiment, line))
    if (const auto fit = fit_of(experiment, line, variant)) list.push_back(*fit);
  return list;
}

std::string fit_text(const AxisLine& line, const LinearFit& fit) {
  if (!fit.explains || fit.amount90 <= line.points.front().amount) return "";
  return fmt::format("Fixed cost of {}{}: {} ms; then {} GB/s, 90 % of it from {} on",
                     spoken(fit.variant), line.where(), format_ms(fit.fitted.fixed_ns),
                     format_significant(fit.fitted.gb_per_s(), 3), amount_text(line, fit.amount90));
}

}  // namespace normbench
