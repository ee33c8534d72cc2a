#include <algorithm>

#include "core/issue.h"
#include "measure/calibration.h"

namespace normbench {

namespace {

// What is slowed reads the same memory as its baseline: two sources of their own were found to
// differ by some per cent, depending on where the operating system had put them.
constexpr std::string_view kCold = R"({
  "schema": 1, "name": "calibrate",
  "measure": {"precision": 0.005, "max_seconds_per_group": 4, "cache": "cold"},
  "defaults": {
    "source": {"dtype": "uint8", "batch": 16, "size": [480, 640]},
    "normalize": {"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}},
  "experiments": [
    {"name": "identical", "baseline": "one", "source": {},
     "variants": {"one": ["normalize"], "other": ["normalize"]}},
    {"name": "slowed", "baseline": "one", "source": {},
     "variants": {"one": [{"op": "stream", "kernel": "nt", "read": 4, "write": 16}],
                  "5 % more": [{"op": "stream", "kernel": "nt", "read": 4, "write": 17}]}}]})";

constexpr std::string_view kHot = R"({
  "schema": 1, "name": "calibrate",
  "measure": {"precision": 0.005, "max_seconds_per_group": 4, "cache": "hot"},
  "defaults": {
    "source": {"dtype": "uint8", "batch": 1, "size": [256, 256]},
    "normalize": {"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}},
  "experiments": [
    {"name": "cached", "baseline": "one", "source": {},
     "variants": {"one": ["normalize"], "other": ["normalize"]}}]})";

}  // namespace

std::string_view calibration_config(Cache cache) { return cache == Cache::Cold ? kCold : kHot; }

std::size_t group_of(const Plan& plan, PairKind kind) {
  const auto found = std::ranges::find(plan.groups, name_of(kind), &Group::experiment);
  if (found == plan.groups.end())
    throw Invalid("no experiment \"" + std::string(name_of(kind)) + "\" to calibrate with");
  return static_cast<std::size_t>(found - plan.groups.begin());
}

}  // namespace normbench
