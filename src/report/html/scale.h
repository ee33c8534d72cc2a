/// From values to places in a drawing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/html/markup.h"

namespace normbench::html {

/// How wide a drawing is in its own units, whatever it is on a screen.
inline constexpr double drawing_width = 1000;

class Scale {
 public:
  /// Equal ratios are equally long; `low` and `high` get a little room beside them. What is not
  /// positive or not finite is no end: the axis spans ten times the other one then.
  static Scale logarithmic(double low, double high);
  /// From 0 on.
  static Scale linear(double high);

  double low() const { return low_; }
  double high() const { return high_; }
  /// 0 to `drawing_width`; what is outside lies at its end.
  double at(double value) const;
  /// The same from the bottom of a drawing of this height.
  double above(double value, double height) const;
  /// Round values from 1, 2 and 5, at most so many: where an axis has its labels.
  std::vector<double> ticks(std::size_t most) const;

 private:
  Scale(double low, double high, bool is_logarithmic)
      : low_(low), high_(high), is_logarithmic_(is_logarithmic) {}
  double part(double value) const;

  double low_, high_;
  bool is_logarithmic_;
};

/// What a label of an axis says.
using Label = std::string (*)(double value);

/// Labels below or above a drawing, at their places.
Markup labels(const Scale& scale, std::size_t most, Label label);
/// The same of these values with these texts.
Markup labels_at(const Scale& scale, std::span<const std::pair<double, std::string>> texts);
/// Labels beside it.
Markup side_labels(const Scale& scale, std::size_t most, Label label);

/// A drawing `height` pixels high and as wide as its place. Lines keep their thickness. Readers of
/// screens leave it out: what it shows stands beside it in words.
Markup drawing(double height, const Markup& shapes);

/// A vertical line at `x` through all of a drawing.
Markup upright(double x, double height, std::string_view css_class);
Markup rectangle(double x, double y, double width, double height, std::string_view css_class,
                 std::string_view tip = {});
/// Dots of one kind: pairs of x and y.
Markup dots(const std::vector<std::pair<double, double>>& places, std::string_view css_class);
/// A line through them.
Markup curve(const std::vector<std::pair<double, double>>& places, std::string_view css_class);
/// What they enclose.
Markup area(const std::vector<std::pair<double, double>>& places, std::string_view css_class);

}  // namespace normbench::html
