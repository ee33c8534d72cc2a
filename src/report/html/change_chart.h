/// The drawings in one column of a table of compared cases.
#pragma once

#include "analysis/compare/compare.h"
#include "report/html/scale.h"

namespace normbench::html {

class ChangeChart {
 public:
  explicit ChangeChart(const Comparison& comparison);

  /// Returns the axis of all bars: the labels below the column's title.
  Markup axis() const;
  /// Draws the ratio of the time of NEW to that of BASE, with its interval, and the margin. Draws
  /// only the margin if the case has no ratio.
  Markup bar(const ComparedCase& one) const;

 private:
  double margin_;
  Scale scale_;
};

}  // namespace normbench::html
