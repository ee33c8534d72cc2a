/// Turns values into positions in a drawing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/html/markup.h"

namespace normbench::html {

/// The width of a drawing in its own units. On a screen it can have any width.
inline constexpr double drawing_width = 1000;

class Scale {
 public:
  /// Returns a logarithmic scale with a little room beyond `low` and `high`. A bound that is not
  /// positive or not finite is replaced, so that the scale spans a factor of ten.
  static Scale logarithmic(double low, double high);
  /// Returns a scale from 0 to `high`.
  static Scale linear(double high);

  double low() const { return low_; }
  double high() const { return high_; }
  /// Returns the position of a value, from 0 to `drawing_width`. A value outside of the scale is at
  /// the nearer end.
  double at(double value) const;
  /// Returns the y of a value in a drawing of this height. The top has y = 0.
  double above(double value, double height) const;
  /// Returns at most `most` round values for the labels of an axis, like 1, 2, 5 and 10.
  std::vector<double> ticks(std::size_t most) const;

 private:
  Scale(double low, double high, bool is_logarithmic)
      : low_(low), high_(high), is_logarithmic_(is_logarithmic) {}
  double part(double value) const;

  double low_, high_;
  bool is_logarithmic_;
};

/// A function that makes the label of a value on an axis.
using Label = std::string (*)(double value);

/// Returns at most `most` labels for an axis below or above a drawing.
Markup labels(const Scale& scale, std::size_t most, Label label);
/// Returns labels with these texts at these values.
Markup labels_at(const Scale& scale, std::span<const std::pair<double, std::string>> texts);
/// Returns at most `most` labels for an axis at the side of a drawing.
Markup side_labels(const Scale& scale, std::size_t most, Label label);

/// Returns an SVG drawing that is `height` pixels high and as wide as the space around it. Lines
/// keep their thickness when it is stretched. It is hidden from screen readers.
Markup drawing(double height, const Markup& shapes);

/// Returns a vertical line at `x`, over the full height of a drawing.
Markup upright(double x, double height, std::string_view css_class);
Markup rectangle(double x, double y, double width, double height, std::string_view css_class,
                 std::string_view tip = {});
/// Returns dots of one kind, at pairs of x and y.
Markup dots(const std::vector<std::pair<double, double>>& places, std::string_view css_class);
/// Returns a line through pairs of x and y.
Markup curve(const std::vector<std::pair<double, double>>& places, std::string_view css_class);
/// Returns a filled polygon with these corners, pairs of x and y.
Markup area(const std::vector<std::pair<double, double>>& places, std::string_view css_class);

}  // namespace normbench::html
