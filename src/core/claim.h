/// What a config says beforehand of how long its variants take: claims, and published figures.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/enums.h"
#include "core/json.h"

namespace normbench {

/// The slower side's time over the faster one's, above 1. A single number has low == high.
struct ClaimedRatio {
  double low = 1, high = 1;
  bool operator==(const ClaimedRatio&) const = default;
};

/// What the ratio of a claim's two sides does along an axis of the sweep, from its smallest value
/// to its largest.
struct ClaimedTrend {
  std::string axis;
  Trend trend = Trend::Stays;
  bool operator==(const ClaimedTrend&) const = default;
};

/// How long `left` is expected to take, against `right`; both are names of cases.
struct Claim {
  std::string text, left;
  Relation relation = Relation::Equal;
  std::string right;
  std::vector<std::string> ids = {};        // published experiments that it is about: "A5"
  Json point = {};                          // axes at which it is meant; null: everywhere
  std::optional<ClaimedRatio> ratio = {};   // only for Less and More
  std::optional<double> within = {};        // only for Equal: the largest difference, 0.01 is 1 %
  std::optional<ClaimedTrend> across = {};  // only for Less and More; judged once an experiment
  bool operator==(const Claim&) const = default;
};

/// What somebody measured elsewhere: times of an iteration, or of several.
struct Published {
  std::string variant;  // the name of a case
  Json point = {};
  std::string stage = {};  // the label of one of its stages; "": all of them
  std::optional<double> wall_ms, device_ms;
  std::optional<double> sum_ms = {};  // host and device time added, as some charts show
  // The time until all work was submitted to the GPU: a clock without a synchronisation shows it.
  std::optional<double> submitted_ms = {};
  std::optional<double> first_call_ms = {};  // the very first iteration, which is cold
  std::optional<double> speed_up = {};       // a factor over the baseline
  std::int64_t items = 0;                    // iterations that the times cover; 0: one
  std::string where = {};
  std::vector<std::string> ids = {};
  bool operator==(const Published&) const = default;
};

}  // namespace normbench
