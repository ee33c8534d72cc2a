/// What a config expects of its variants' times: claims and published figures.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/enums.h"
#include "core/json.h"

namespace normbench {

/// A claimed ratio: the slower side's time over the faster one's, above 1. If a single number is
/// claimed, low == high.
struct ClaimedRatio {
  double low = 1, high = 1;
  bool operator==(const ClaimedRatio&) const = default;
};

/// How the ratio of a claim's two sides changes along an axis of the sweep, from the axis's
/// smallest value to its largest.
struct ClaimedTrend {
  std::string axis;
  Trend trend = Trend::Stays;
  bool operator==(const ClaimedTrend&) const = default;
};

/// A claim about the times of two cases: `left` takes less or more time than `right`, or as much.
struct Claim {
  std::string text, left;
  Relation relation = Relation::Equal;
  std::string right;
  std::vector<std::string> ids = {};        // published experiments that it is about: "A5"
  Json point = {};                          // axis values for which it is meant; null: all
  std::optional<ClaimedRatio> ratio = {};   // only for Less and More
  std::optional<double> within = {};        // only for Equal: the largest difference, 0.01 is 1 %
  std::optional<ClaimedTrend> across = {};  // only for Less and More; judged once per experiment
  bool operator==(const Claim&) const = default;
};

/// Times that somebody published, of one iteration or of several.
struct Published {
  std::string variant;  // name of the case
  Json point = {};
  std::string stage = {};  // label of one of the case's stages; "": all stages
  std::optional<double> wall_ms, device_ms;
  std::optional<double> sum_ms = {};  // sum of host and device time, which some charts show
  // Time until all work was submitted to the GPU, which a clock without synchronisation measures.
  std::optional<double> submitted_ms = {};
  std::optional<double> first_call_ms = {};  // time of the very first iteration, which is cold
  std::optional<double> speed_up = {};       // factor over the baseline
  std::int64_t items = 0;                    // number of iterations that the times cover; 0: one
  std::string where = {};
  std::vector<std::string> ids = {};
  bool operator==(const Published&) const = default;
};

}  // namespace normbench
