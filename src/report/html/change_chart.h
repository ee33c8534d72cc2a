/// Changes drawn beside the margin, in the cells of one column.
#pragma once

#include "analysis/compare/compare.h"
#include "report/html/scale.h"

namespace normbench::html {

class ChangeChart {
 public:
  explicit ChangeChart(const Comparison& comparison);

  /// The labels of all its bars, below the column's title.
  Markup axis() const;
  /// NEW over BASE with its interval, and the margin.
  Markup bar(const ComparedCase& one) const;

 private:
  double margin_;
  Scale scale_;
};

}  // namespace normbench::html
