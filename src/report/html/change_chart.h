/// The bars in the table of a comparison of two versions, BASE and NEW.
#pragma once

#include "analysis/compare/compare.h"
#include "report/html/scale.h"

namespace normbench::html {

class ChangeChart {
 public:
  explicit ChangeChart(const Comparison& comparison);

  /// Returns the labels of the axis that all bars share. The table shows them below the column's
  /// title.
  Markup axis() const;
  /// Draws the time of NEW divided by that of BASE, with its interval, and the margin. A change
  /// within the margin counts as none. Draws only the margin if the case has no ratio.
  Markup bar(const ComparedCase& one) const;

 private:
  double margin_;
  Scale scale_;
};

}  // namespace normbench::html
