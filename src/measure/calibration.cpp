#include "measure/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/issue.h"
#include "measure/group_memory.h"
#include "measure/measure_group.h"
#include "measure/turn_shape.h"

namespace normbench {
namespace {

constexpr int kRows = 96;  // height of a window, in pixels

/// Returns `count` crop windows as a JSON list for a config. Each window lies directly below the
/// previous one; the first is at the top of the image.
std::string windows(int count) {
  std::string list;
  for (int i = 0; i < count; ++i)
    list += fmt::format(R"({}{{"size": [{}, 640], "at": [{}, 0]}})", i == 0 ? "" : ", ", kRows,
                        kRows * i);
  return "[" + list + "]";
}

// Returns the config of the pairs of variants that are measured with cold caches. In its experiment
// "slowed", the true ratio is 21 : 20, because both variants run the same loop: "one" over 20
// windows of an image, "5 % more" over 21. The reasons for the details of the config are:
// - Both variants read the same source. Times on two sources differ by some per cent, depending on
//   their physical pages.
// - The slower variant has more windows, not taller ones. The time of a kernel is not proportional
//   to the height of a window.
// - The config names the kernel fused_nt, which uses non-temporal stores. If no kernel were named,
//   the size of the data would decide whether such stores are used.
// - Only two calls of each variant are checked. More checks would leave too little time for rounds.
std::string cold_config() {
  return R"({
  "schema": 1, "name": "calibrate",
  "measure": {"precision": 0.005, "max_seconds_per_group": 4, "cache": "cold", "checked_calls": 2},
  "defaults": {
    "source": {"dtype": "uint8", "batch": 16, "size": [480, 640]},
    "normalize": {"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}},
  "experiments": [
    {"name": "identical", "baseline": "one", "source": {},
     "variants": {"one": ["normalize"], "other": ["normalize"]}},
    {"name": "slowed", "baseline": "one", "source": {"batch": 4, "size": [2016, 640]},
     "variants": {"one": [{"op": "normalize", "kernel": "fused_nt", "crop": )" +
         windows(20) + R"(}],
                  "5 % more": [{"op": "normalize", "kernel": "fused_nt", "crop": )" +
         windows(21) + R"(}]}}]})";
}

constexpr std::string_view kHot = R"({
  "schema": 1, "name": "calibrate",
  "measure": {"precision": 0.005, "max_seconds_per_group": 4, "cache": "hot"},
  "defaults": {
    "source": {"dtype": "uint8", "batch": 1, "size": [256, 256]},
    "normalize": {"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375]}},
  "experiments": [
    {"name": "cached", "baseline": "one", "source": {},
     "variants": {"one": ["normalize"], "other": ["normalize"]}}]})";

constexpr int most_fresh_processes = 40;

/// Allocates memory that is large enough for each group of the plan.
GroupMemory memory_for(const Plan& plan, const RunContext& context) {
  std::vector<const Case*> cases;
  for (const Group& group : plan.groups)
    for (const Case& planned : group.cases)
      if (!planned.skip) cases.push_back(&planned);
  return {cases, plan.measure, context.backends, context.cache_bytes};
}

class Cycles {
 public:
  Cycles(CalibrationStudy& study, RunContext& context)
      : study_(study),
        context_(context),
        start_ns_(context.clock.now_ns()),
        clock_cost_ns_(clock_cost_ns(context.clock)),
        cold_(memory_for(study.cold, context)),
        hot_(memory_for(study.hot, context)) {}

  bool enough(int cycles) const {
    if (study_.pairs > 0) return cycles >= study_.pairs;
    const auto spent_ns = static_cast<double>(context_.clock.now_ns() - start_ns_);
    return cycles > 0 && spent_ns >= study_.max_seconds * 1e9;
  }

  /// Measures one pair of variants of each kind. Returns false when interrupted.
  bool cycle() {
    for (const auto& word : words(PairKind{}))
      if (!keep(word.value, next_seed(), false)) return false;
    return true;
  }

  bool fresh_process(PairKind kind) { return keep(kind, next_seed(), true); }

 private:
  /// Successive seeds differ by 16, because a group adds small numbers (such as its index) to its
  /// seed. So no two pairs draw the same random numbers.
  std::int64_t next_seed() { return study_.seed + 16 * measured_++; }

  bool keep(PairKind kind, std::int64_t seed, bool fresh) {
    auto group = fresh ? study_.fresh_process(kind, seed) : here(kind, seed);
    if (!group || context_.interrupted) return false;
    study_.on_pair(
        {.kind = kind, .seed = seed, .fresh_process = fresh, .group = std::move(*group)});
    return true;
  }

  std::optional<GroupResult> here(PairKind kind, std::int64_t seed) {
    const bool cold = cache_of(kind) == Cache::Cold;
    Plan& plan = cold ? study_.cold : study_.hot;
    plan.measure.seed = seed;
    context_.memory = cold ? &cold_ : &hot_;
    context_.part = {.limits = false, .check = !checked_[static_cast<std::size_t>(kind)]};
    auto group = measure_group(plan, group_of(plan, kind), context_, clock_cost_ns_);
    context_.memory = nullptr;
    checked_[static_cast<std::size_t>(kind)] = true;
    return group;
  }

  CalibrationStudy& study_;
  RunContext& context_;
  std::int64_t start_ns_;
  double clock_cost_ns_;
  GroupMemory cold_, hot_;
  std::int64_t measured_ = 0;
  std::array<bool, words(PairKind{}).size()> checked_{};  // by kind: true if a pair was checked
};

}  // namespace

std::string calibration_config(Cache cache) {
  return cache == Cache::Cold ? cold_config() : std::string(kHot);
}

std::size_t group_of(const Plan& plan, PairKind kind) {
  const auto found = std::ranges::find(plan.groups, name_of(kind), &Group::experiment);
  if (found == plan.groups.end())
    throw Invalid("no experiment \"" + std::string(name_of(kind)) + "\" to calibrate with");
  return static_cast<std::size_t>(found - plan.groups.begin());
}

bool calibrate(CalibrationStudy& study, RunContext& context) {
  Cycles cycles(study, context);
  int fresh = 0;
  for (int done = 0; !cycles.enough(done); ++done) {
    if (!cycles.cycle()) return false;
    if (fresh == most_fresh_processes) continue;
    if (!cycles.fresh_process(fresh++ % 2 == 0 ? PairKind::Identical : PairKind::Cached))
      return false;
  }
  return true;
}

}  // namespace normbench
