/// Changes drawn beside the margin, in the cells of one table column.
#pragma once

#include "analysis/compare/compare.h"
#include "report/html/scale.h"

namespace normbench::html {

class ChangeChart {
 public:
  explicit ChangeChart(const Comparison& comparison);

  /// Returns the axis of all bars: the labels below the column's title.
  Markup axis() const;
  /// Draws the time of NEW over BASE with its interval, and the margin.
  Markup bar(const ComparedCase& one) const;

 private:
  double margin_;
  Scale scale_;
};

}  // namespace normbench::html
