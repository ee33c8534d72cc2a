/// What a config states about the times of its variants: claims, and times that somebody published.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/enums.h"
#include "core/json.h"

namespace normbench {

/// The range that a claim states for the ratio of two times. The ratio is the larger time over the
/// smaller one, so it is above 1. If a single number is claimed, `low` equals `high`.
struct ClaimedRatio {
  double low = 1, high = 1;
  bool operator==(const ClaimedRatio&) const = default;
};

/// A claim about how the ratio of the times of two cases changes along an axis of the sweep: from
/// the smallest value of `axis` to the largest, the ratio grows, shrinks or stays the same.
struct ClaimedTrend {
  std::string axis;
  Trend trend = Trend::Stays;
  bool operator==(const ClaimedTrend&) const = default;
};

/// A claim about the times of two cases: `left` takes less time than `right`, more time, or the
/// same time.
struct Claim {
  std::string text, left;
  Relation relation = Relation::Equal;
  std::string right;
  std::vector<std::string> ids = {};       // ids of published experiments with this claim
  Json point = {};                         // axis values that the claim is about; null: all
  std::optional<ClaimedRatio> ratio = {};  // only for Less and More
  std::optional<double> within = {};  // only for Equal: largest relative difference of the times
  std::optional<ClaimedTrend> across = {};  // only for Less and More
  bool operator==(const Claim&) const = default;
};

/// Times that somebody published, of one iteration or of several.
struct Published {
  std::string variant;     // name of the case
  Json point = {};         // axis values that the times are for; null: all
  std::string stage = {};  // label of one of the case's stages; "": all stages
  std::optional<double> wall_ms, device_ms;
  std::optional<double> sum_ms = {};  // sum of host time and device time
  // Time from the start of the first iteration until all work was submitted to the GPU.
  std::optional<double> submitted_ms = {};
  std::optional<double> first_call_ms = {};  // time of the very first iteration, which is cold
  std::optional<double> speed_up = {};       // time of the baseline / time of the variant
  std::int64_t items = 0;                    // number of iterations that the times cover; 0: one
  std::string where = {};                    // place in the publication; "": not given
  std::vector<std::string> ids = {};
  bool operator==(const Published&) const = default;
};

}  // namespace normbench
