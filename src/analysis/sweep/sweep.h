/// The groups of a swept experiment: points along its numeric axes, and where along them one
/// variant overtakes another.
#pragma once

#include "analysis/analysis.h"

namespace normbench {

/// One experiment: its groups in order, and their analyses.
struct Experiment {
  std::vector<const GroupResult*> groups;
  std::vector<GroupAnalysis> analyses;
};

/// The groups of a document by experiment, in order.
std::vector<Experiment> experiments(const Results& results);

/// Points of an experiment that differ on one axis only.
struct AxisLine {
  struct Point {
    std::size_t group;  // index in the experiment
    Json value;         // of the axis
    double amount;      // the same as a number
  };

  std::string axis;
  Json fixed = Json::object();  // the other axes
  std::vector<Point> points;    // ascending, at least two
};

/// The amount of a value: a number itself, [height, width] as pixels; nothing for other values.
std::optional<double> amount_of(const Json& value);

/// A line for each numeric axis and each combination of the other axes with at least two points.
std::vector<AxisLine> axis_lines(const Experiment& experiment);

/// The index of a variant's case, if it was measured in this group of the experiment.
std::optional<int> measured_case(const Experiment& experiment, std::size_t group,
                                 const std::string& variant);

/// Variants measured at a point of the line, in order of first appearance.
std::vector<std::string> measured_variants(const Experiment& experiment, const AxisLine& line);

/// A case that was measured without input: no images, or no bytes to read.
struct EmptyInput {
  std::size_t group = 0;  // index in the experiment
  int index = 0;          // of the case
};
std::vector<EmptyInput> empty_inputs(const Experiment& experiment);

/// `from` is faster beyond doubt at `after`, and `to` at the later `by`. The crossover lies
/// between, where no point has a faster one.
struct Overtaking {
  std::string from, to;
  Json after, by;
};

/// Two variants along one axis.
struct Crossing {
  std::string a, b;
  std::vector<Overtaking> changes;
  std::string leader;       // faster wherever one is beyond doubt, if nothing changes; or ""
  std::size_t decided = 0;  // points where one is beyond doubt faster, …
  std::size_t points = 0;   // … of those where both were measured
  Json first, last;         // the ends of these
};

/// The baseline and every other variant of the line, where both were measured at two points.
std::vector<Crossing> crossings(const Experiment& experiment, const AxisLine& line);

/// Where along a line another variant becomes the fastest of all.
std::vector<Overtaking> winner_changes(const Experiment& experiment, const AxisLine& line);

}  // namespace normbench
