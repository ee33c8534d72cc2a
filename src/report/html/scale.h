/// Turns values into places in a drawing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/html/markup.h"

namespace normbench::html {

/// The width of a drawing in its own units, whatever it is on a screen.
inline constexpr double drawing_width = 1000;

class Scale {
 public:
  /// A scale on which equal ratios are equally long, with a little room beyond `low` and `high`. If
  /// one of these is not positive or not finite, the axis spans a factor of ten from the other one.
  static Scale logarithmic(double low, double high);
  /// A scale that begins at 0.
  static Scale linear(double high);

  double low() const { return low_; }
  double high() const { return high_; }
  /// The place of a value, from 0 to `drawing_width`. Values outside lie at its ends.
  double at(double value) const;
  /// The place of a value above the bottom of a drawing of this height.
  double above(double value, double height) const;
  /// At most so many round values (with 1, 2 and 5), where an axis has its labels.
  std::vector<double> ticks(std::size_t most) const;

 private:
  Scale(double low, double high, bool is_logarithmic)
      : low_(low), high_(high), is_logarithmic_(is_logarithmic) {}
  double part(double value) const;

  double low_, high_;
  bool is_logarithmic_;
};

/// Makes the label of a value on an axis.
using Label = std::string (*)(double value);

/// Labels below or above a drawing, at their places.
Markup labels(const Scale& scale, std::size_t most, Label label);
/// Labels with these texts at these values.
Markup labels_at(const Scale& scale, std::span<const std::pair<double, std::string>> texts);
/// Labels at the side of a drawing.
Markup side_labels(const Scale& scale, std::size_t most, Label label);

/// A drawing `height` pixels high and as wide as its place. Lines keep their thickness. Screen
/// readers skip it: words beside it say what it shows.
Markup drawing(double height, const Markup& shapes);

/// A vertical line at `x`, over the full height of a drawing.
Markup upright(double x, double height, std::string_view css_class);
Markup rectangle(double x, double y, double width, double height, std::string_view css_class,
                 std::string_view tip = {});
/// Dots of one kind, at pairs of x and y.
Markup dots(const std::vector<std::pair<double, double>>& places, std::string_view css_class);
/// A line through these places.
Markup curve(const std::vector<std::pair<double, double>>& places, std::string_view css_class);
/// The area that these places enclose.
Markup area(const std::vector<std::pair<double, double>>& places, std::string_view css_class);

}  // namespace normbench::html
