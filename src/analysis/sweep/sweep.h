/// The groups of a swept experiment, as points along its numeric axes. Also finds where along an
/// axis one variant overtakes another.
#pragma once

#include "analysis/analysed.h"

namespace normbench {

/// Points of an experiment that differ only on one axis.
struct AxisLine {
  struct Point {
    std::size_t group;  // index of a group of the experiment
    Json value;         // value of the axis
    double amount;      // `value` as a number
  };

  std::string axis;
  Json fixed = Json::object();  // values of the other axes
  std::vector<Point> points;    // at least two, by ascending amount
};

/// Returns the amount of an axis value. For a number, this is the number itself. For [height,
/// width], it is height * width. Returns nothing for any other value.
std::optional<double> amount_of(const Json& value);

/// Returns a line for each numeric axis and each combination of values of the other axes. Lines
/// with a single amount are left out.
std::vector<AxisLine> axis_lines(const Experiment& experiment);

/// Returns the index of the variant's case in this group; nothing if it was not measured there.
std::optional<int> measured_case(const Experiment& experiment, std::size_t group,
                                 const std::string& variant);

/// Returns the variants that were measured at a point of the line, in order of first appearance.
std::vector<std::string> measured_variants(const Experiment& experiment, const AxisLine& line);

/// A case that was measured with no images or no bytes to read.
struct EmptyInput {
  std::size_t group = 0;  // index of a group of the experiment
  int index = 0;          // index of the case in the group
};
std::vector<EmptyInput> empty_inputs(const Experiment& experiment);

/// A change of the faster variant between two points of an axis. `from` is certainly faster at
/// `after`, and `to` is certainly faster at the later point `by`. At the points between `after` and
/// `by`, neither is certainly faster.
struct Overtaking {
  std::string from, to;
  Json after, by;
};

/// How two variants compare along an axis.
struct Crossing {
  std::string a, b;
  std::vector<Overtaking> changes;
  // The variant that is certainly faster at every decided point. "" if no point is decided, or if
  // different variants are faster at different points.
  std::string leader;
  std::size_t decided = 0;  // number of points at which one variant is certainly faster
  std::size_t points = 0;   // number of points at which both were measured
  Json first, last;  // axis values of the first and the last point at which both were measured
};

/// Compares the baseline with every other variant of the line. Leaves out variants that were not
/// measured together with the baseline at two points or more.
std::vector<Crossing> crossings(const Experiment& experiment, const AxisLine& line);

/// Returns the changes of the winner along a line. Points without a winner are skipped.
std::vector<Overtaking> winner_changes(const Experiment& experiment, const AxisLine& line);

}  // namespace normbench
