/// Makes example sweeps. Each variant has a function that maps a value of the axis to a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/sweep/sweep.h"
#include "example_results.h"

namespace normbench::sweeps {

struct Curve {
  std::string variant;
  std::function<double(double)> ms;  // time in ms at a value of the axis
  double bytes_per_unit = 1e6;
  double noise = examples::noise;  // 0: all rounds take the same time; other values have no effect
};

/// Returns the group at `point`. `amount` is the argument for the functions of the curves.
inline GroupResult group_at(const Json& point, double amount, const std::vector<Curve>& curves) {
  GroupResult group;
  group.experiment = "sweep";
  group.point = point;
  group.baseline = curves.front().variant;
  for (const Curve& curve : curves) {
    CaseResult result = examples::make_case({curve.variant, curve.ms(amount)});
    if (curve.noise == 0) result.rounds = examples::make_rounds(curve.ms(amount), 1, 20, 0);
    result.stages[0].bytes = static_cast<std::int64_t>(curve.bytes_per_unit * amount);
    group.cases.push_back(std::move(result));
  }
  return group;
}

/// Returns results with one group for each value of the axis "batch".
inline Results along_batch(const std::vector<double>& batches, const std::vector<Curve>& curves) {
  std::vector<GroupResult> groups;
  for (const double batch : batches)
    groups.push_back(group_at({{"batch", static_cast<int>(batch)}}, batch, curves));
  return examples::make_results("sweep", std::move(groups));
}

inline std::function<double(double)> constant(double ms) {
  return [ms](double) { return ms; };
}
/// Returns the function a + b * amount.
inline std::function<double(double)> linear(double a, double b) {
  return [a, b](double amount) { return a + b * amount; };
}

}  // namespace normbench::sweeps
