#include "analysis/sweep/fit.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace normbench {
namespace {

constexpr double kWorstResidual = 0.2;
constexpr double kNoCost = 1e-6;  // a fixed cost below this share of the smallest time counts as 0
constexpr double kLeastWork = 2;

/// Returns the largest relative growth of a time that counts as no growth, if the bytes grow by the
/// factor `work`.
double same_growth(double work) { return std::min(0.25, (work - 1) / 10); }

struct Measured {
  AxisLine::Point point;
  double bytes;
  Interval time_ns;
};

std::vector<Measured> measured_points(const Experiment& experiment, const AxisLine& line,
                                      const std::string& variant) {
  std::vector<Measured> points;
  for (const AxisLine::Point& point : line.points)
    if (const auto index = measured_case(experiment, point.group, variant)) {
      const std::int64_t bytes = moved_bytes(experiment.groups[point.group]->cases[*index]);
      points.push_back({.point = point,
                        .bytes = static_cast<double>(bytes),
                        .time_ns = *experiment.analyses[point.group].cases[*index].time_ns});
    }
  return points;
}

/// Returns the value on the axis at which this many bytes move, interpolated linearly between the
/// first and the last point.
double amount_with(double bytes, const Measured& first, const Measured& last) {
  const double from = first.point.amount, to = last.point.amount;
  return from + (bytes - first.bytes) * (to - from) / (last.bytes - first.bytes);
}

std::optional<AxisFit> fit_of(const std::string& variant, const std::vector<Measured>& points) {
  std::vector<double> bytes, times_ns;
  for (const Measured& one : points) {
    bytes.push_back(one.bytes);
    times_ns.push_back(one.time_ns.value);
  }
  const auto fitted = fit_line(bytes, times_ns);
  if (!fitted || bytes.back() <= bytes.front()) return std::nullopt;
  return AxisFit{.variant = variant,
                 .points = points.size(),
                 .fitted = *fitted,
                 .amount90 = amount_with(9 * fitted->half_bytes(), points.front(), points.back()),
                 .explains = fitted->worst <= kWorstResidual};
}

/// Returns the fit of a variant over the groups that differ from this group only on the axis.
std::optional<LineFit> fit_through(const GroupResult& group, const std::string& axis,
                                   const std::string& variant, const MeasuredDocument& document) {
  std::vector<double> bytes, times_ns;
  for (const GroupResult* other : document.along(group, axis)) {
    const int index = index_of(*other, variant);
    if (index < 0 || !measured(other->cases[index])) continue;
    bytes.push_back(static_cast<double>(moved_bytes(other->cases[index])));
    times_ns.push_back(median_ns(other->cases[index], document.results()));
  }
  return fit_line(bytes, times_ns);
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

std::vector<AxisFit> fits(const Experiment& experiment, const AxisLine& line) {
  std::vector<AxisFit> list;
  for (const std::string& variant : measured_variants(experiment, line))
    if (const auto fit = fit_of(variant, measured_points(experiment, line, variant)))
      list.push_back(*fit);
  return list;
}

std::optional<double> fixed_cost_ns(const GroupResult& group, const std::string& variant,
                                    const MeasuredDocument& document) {
  for (const auto& [axis, value] : group.point.items()) {
    if (!amount_of(value)) continue;
    const auto fit = fit_through(group, axis, variant, document);
    if (fit && fit->worst <= kWorstResidual) return fit->fixed_ns;
  }
  return std::nullopt;
}

std::vector<Unscaled> unscaled(const Experiment& experiment, const AxisLine& line) {
  std::vector<Unscaled> list;
  for (const std::string& variant : measured_variants(experiment, line)) {
    const std::vector<Measured> points = measured_points(experiment, line, variant);
    const Measured &small = points.front(), &large = points.back();
    if (small.bytes <= 0 || large.bytes < kLeastWork * small.bytes) continue;
    const double work = large.bytes / small.bytes;
    if (large.time_ns.high >= small.time_ns.low * (1 + same_growth(work))) continue;
    std::vector<double> times;
    for (const Measured& one : points) times.push_back(one.time_ns.value);
    list.push_back({.variant = variant,
                    .small = small.point.value,
                    .large = large.point.value,
                    .work = work,
                    .fixed_ns = median(times)});
  }
  return list;
}

}  // namespace normbench
