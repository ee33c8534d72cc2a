/// Scales, which turn values into positions in a drawing, and the shapes of drawings.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/html/markup.h"

namespace normbench::html {

/// The width of a drawing in its own units. The browser stretches it to the available width.
inline constexpr double drawing_width = 1000;

class Scale {
 public:
  /// Returns a logarithmic scale with a small margin beyond `low` and `high`. If a bound is not
  /// positive or not finite, it is replaced, so that the scale spans a factor of ten.
  static Scale logarithmic(double low, double high);
  /// Returns a scale from 0 to `high`.
  static Scale linear(double high);

  double low() const { return low_; }
  double high() const { return high_; }
  /// Returns the x of a value, from 0 to `drawing_width`. A value outside of the scale gets the x
  /// of the nearer end.
  double at(double value) const;
  /// Returns the y of a value in a drawing of this height. y is 0 at the top, so larger values have
  /// a smaller y.
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

/// Returns an SVG drawing that is `height` pixels high and as wide as the space around it. When it
/// is stretched, lines keep their thickness. It is hidden from screen readers, because the text
/// next to it has the same content.
Markup drawing(double height, const Markup& shapes);

/// Returns a vertical line at `x` from the top to the bottom of a drawing.
Markup upright(double x, double height, std::string_view css_class);
Markup rectangle(double x, double y, double width, double height, std::string_view css_class,
                 std::string_view tip = {});
/// Returns dots. `places` has the x and y of each dot.
Markup dots(const std::vector<std::pair<double, double>>& places, std::string_view css_class);
/// Returns a line through points. `places` has the x and y of each point.
Markup curve(const std::vector<std::pair<double, double>>& places, std::string_view css_class);
/// Returns a filled polygon. `places` has the x and y of its corners.
Markup area(const std::vector<std::pair<double, double>>& places, std::string_view css_class);

}  // namespace normbench::html
