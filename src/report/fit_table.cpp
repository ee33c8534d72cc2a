#include "report/fit_table.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/crossover.h"
#include "analysis/fit.h"
#include "analysis/scaling.h"
#include "core/units.h"
#include "report/rows.h"
#include "report/text.h"

namespace normbench {

namespace {

std::string axis_text(const AxisLine& line) { return line.axis + line.where(); }

/// "within 2.1 %", by the point that is off the most.
std::string explains_text(const LinearFit& fit) {
  if (fit.fitted.worst < 0.001) return "within 0.1 %";
  return fmt::format("{} {}", fit.explains ? "within" : "no line fits: off by",
                     format_percent(fit.fitted.worst));
}

std::string amount90_text(const AxisLine& line, const LinearFit& fit) {
  if (fit.amount90 <= line.points.front().amount) return "every point";
  return format_count(std::llround(std::ceil(fit.amount90)));
}

/// A row of the table; no figures for a line that does not explain its points.
std::vector<std::string> fit_cells(const AxisLine& line, const LinearFit& fit) {
  const std::string points = std::to_string(fit.points);
  if (!fit.explains)
    return {axis_text(line), fit.variant, points, "", "", "", "", explains_text(fit)};
  return {axis_text(line),
          fit.variant,
          points,
          format_ms(fit.fitted.fixed_ns),
          format_significant(fit.fitted.gb_per_s(), 3),
          format_bytes(fit.fitted.half_bytes()),
          amount90_text(line, fit),
          explains_text(fit)};
}

}  // namespace

std::string crossover_table(const Experiment& experiment) {
  Rows rows({"axis", "variant", "against", "faster"});
  for (const AxisLine& line : axis_lines(experiment))
    for (const Crossing& crossing : crossings(experiment, line))
      rows.add({axis_text(line), crossing.b, crossing.a, crossing_text(crossing)});
  return rows.text({0, 1, 2, 3});
}

std::string fit_table(const Experiment& experiment) {
  Rows rows(
      {"axis", "variant", "points", "fixed ms", "GB/s", "half of it at", "90 % from", "fits"});
  std::string flags;
  for (const AxisLine& line : axis_lines(experiment)) {
    for (const LinearFit& fit : fits(experiment, line)) rows.add(fit_cells(line, fit));
    for (const Unscaled& result : unscaled(experiment, line))
      flags += wrapped(unscaled_text(line, result), 2);
  }
  return rows.text({0, 1, 7}) + flags;
}

}  // namespace normbench
