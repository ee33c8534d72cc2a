#include "report/html/change_chart.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench::html {
namespace {

constexpr double change_height = 26;

Scale change_scale(const Comparison& comparison) {
  const double margin = 1 + comparison.margin.value;
  double low = 1 / margin, high = margin;
  for (const ComparedCase& one : comparison.cases)
    if (one.ratio && one.deciding().low > 0)
      low = std::min(low, one.deciding().low), high = std::max(high, one.deciding().high);
  return Scale::logarithmic(low, high);
}

std::string change_label(double ratio) { return fmt::format("{:g}x", ratio); }

}  // namespace

ChangeChart::ChangeChart(const Comparison& comparison)
    : margin_(comparison.margin.value), scale_(change_scale(comparison)) {}

Markup ChangeChart::axis() const { return labels(scale_, 5, &change_label); }

Markup ChangeChart::bar(const ComparedCase& one) const {
  const double left = scale_.at(1 - margin_), right = scale_.at(1 + margin_);
  Markup shapes = rectangle(left, 0, right - left, change_height, "margin") +
                  upright(scale_.at(1), change_height, "baseline");
  if (!one.ratio || one.deciding().low <= 0) return drawing(change_height, shapes);
  const double low = scale_.at(one.deciding().low), high = scale_.at(one.deciding().high),
               middle = scale_.at(one.deciding().value);
  shapes += rectangle(low, change_height / 2 - 5, std::max(high - low, 1.0), 10, "interval");
  return drawing(
      change_height,
      shapes + curve({{middle, change_height / 2 - 9}, {middle, change_height / 2 + 9}}, "median"));
}

}  // namespace normbench::html
