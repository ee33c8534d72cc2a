/// Tables of all members of results.json that are computed from its measurements. document_json.cpp
/// writes the members. If such a member is in an object that also has measured members, its
/// description begins with "Derived".
#pragma once

#include <array>

#include "analysis/sweep/sweep.h"
#include "document/members.h"
#include "report/words.h"

namespace normbench::members {

/// What the SM clocks in "gpu_states" are: means over turns (a turn is one timed run of a case in a
/// round), or readings at the ends of turns.
enum class ClockOf { Turns, Ends };
constexpr auto words(ClockOf) {
  return std::to_array<Word<ClockOf>>({{ClockOf::Turns, "turns"}, {ClockOf::Ends, "ends"}});
}

inline constexpr auto kIntervalList = std::to_array<Member>({
    {"value", kNumber, {"The median", "ratio"}},
    {"low", kNumber, {"The lower end of its 95 % interval", "ratio"}},
    {"high", kNumber, {"The upper end of its 95 % interval", "ratio"}},
});
inline constexpr Members kInterval{"interval", "A ratio with its 95 % interval", kIntervalList};

inline constexpr auto kSummaryList = std::to_array<Member>({
    {"rounds", kWhole, {"Rounds of the case, those that were held up among them", "rounds"}},
    {"median_ns",
     kNumber,
     {"The median time of an iteration on the clock that decides, without rounds that were held up",
      "ns"}},
    {"low_ns", kNumber, {"The lower end of its 95 % interval", "ns"}},
    {"high_ns", kNumber, {"The upper end of its 95 % interval", "ns"}},
});
inline constexpr Members kSummary{"summary", "The time of a measured case", kSummaryList};

inline constexpr auto kRatioStateList = std::to_array<Member>({
    {"value", kNumber, {"The ratio in this state", "ratio"}},
    {"rounds", kWhole, {"Rounds in this state", "rounds"}},
});
inline constexpr Members kRatioState{"ratio_state", "One of two levels of a ratio",
                                     kRatioStateList};

inline constexpr auto kRatioList = std::to_array<Member>({
    {"to", kText, {"The baseline"}},
    {"value", kNumber, {"The median of the rounds' ratios", "ratio"}},
    {"low", kNumber, {"The lower end of its 95 % interval", "ratio"}},
    {"high", kNumber, {"The upper end of its 95 % interval", "ratio"}},
    {"of_medians", kNumber, {"The case's `median_ns` over that of the baseline", "ratio"}},
    {"states", list_of(object_of(kRatioState)), {"The two levels that the ratios have, if so"}},
});
inline constexpr Members kRatio{
    "ratio", "The time of a case over that of the baseline in the same round; below 1: faster",
    kRatioList};

inline constexpr auto kOfLimitList = std::to_array<Member>({
    {"limit", kText, {"The limit, by its name in `limits`"}},
    {"value", kNumber, {"The time of the limit over that of the case", "share 0..1"}},
    {"low", kNumber, {"The lower end of its 95 % interval", "share 0..1"}},
    {"high", kNumber, {"The upper end of its 95 % interval", "share 0..1"}},
});
inline constexpr Members kOfLimit{"of_limit", "How near a case is to what the machine can do",
                                  kOfLimitList};

inline constexpr auto kCaseCountersList = std::to_array<Member>({
    {"minor_faults", kNumber, {"Page faults of an iteration: the median of the rounds", "faults"}},
    {"context_switches",
     kNumber,
     {"Context switches of an iteration: the median of the rounds; absent for a peer", "switches"}},
    {"cpu_s_per_image", kNumber, {"CPU time per image, over all threads of the process", "s"}},
    {"joules_per_image", kNumber, {"Energy of processors and GPU per image, by the profile", "J"}},
});
inline constexpr Members kCaseCounters{"case_counters", "What a case needs beside time",
                                       kCaseCountersList};

inline constexpr auto kNoiseList = std::to_array<Member>({
    {"steal_share",
     kNumber,
     {"The time that a hypervisor took, summed over the processors, over the time of the rounds",
      "share, may exceed 1"}},
    {"throttled_share",
     kNumber,
     {"The time in which a quota stopped processes over the time of the rounds",
      "share, may exceed 1"}},
    {"frequency_khz", kWhole, {"The median clock rate of the processors; 0: not known", "kHz"}},
    {"frequency_spread",
     kNumber,
     {"The highest clock rate less the lowest one, over the median", "ratio"}},
    {"disturbed", kWhole, {"Rounds with any flag", "rounds"}},
    {"autocorrelation",
     kNumber,
     {"How much a round's ratio to the baseline resembles that of the round before",
      "correlation -1..1"}},
    {"drifts", kFlag, {"`drift` differs from 1 beyond its interval and beyond the precision"}},
    {"sensitive", kFlag, {"Without the disturbed rounds the ratio would be another one"}},
    {"drift",
     object_of(kInterval),
     {"The time of the last third of the rounds over that of the first"}},
    {"undisturbed_ratio",
     object_of(kInterval),
     {"The ratio to the baseline without the rounds that have a flag"}},
});
inline constexpr Members kNoise{"noise", "What disturbed a case", kNoiseList};

inline constexpr auto kCaseList = std::to_array<Member>({
    {"summary", object_of(kSummary), {"Derived: its time; absent if it was not measured"}},
    {"ratio",
     object_of(kRatio),
     {"Derived: its time over the baseline's; a speed-up is the inverse"}},
    {"of_limit", object_of(kOfLimit), {"Derived: how near it is to its limit"}},
    {"counters", object_of(kCaseCounters), {"Derived: what it needs beside time"}},
    {"floor_ns",
     kNumber,
     {"Derived: an iteration with perfect kernels, the sum of the stages' `floor_ns`", "ns"}},
    {"binding", kText, {"Derived: the limit with the largest part of `floor_ns`"}},
    {"bytes_moved",
     kNumber,
     {"Derived: the bytes that its stages move over the fewest possible", "ratio"}},
    {"noise", object_of(kNoise), {"Derived: what disturbed it"}},
    {"flags",
     map_of(list_of(kWhole)),
     {"Derived: the rounds that were disturbed, as indices from 0, under why: stolen, throttled, "
      "held up (left out of medians and ratios), preempted, slow clock, outlier, GPU clock, GPU "
      "held back"}},
});
inline constexpr Members kCase{"case", "", kCaseList};

inline constexpr auto kStageList = std::to_array<Member>({
    {"limit", kText, {"Derived: the limit that it is held to"}},
    {"floor_ns", kNumber, {"Derived: the time of that limit, for an iteration", "ns"}},
    {"of_limit", object_of(kInterval), {"Derived: the time of the limit over that of the stage"}},
});
inline constexpr Members kStage{"stage", "", kStageList};

inline constexpr auto kLaneList = std::to_array<Member>({
    {"alone_ns",
     kNumber,
     {"Derived: the time of an item on one server while nothing else runs", "ns"}},
    {"busy", kNumber, {"Derived: how much of the time its servers work", "share 0..1"}},
});
inline constexpr Members kLane{"lane", "", kLaneList};

inline constexpr auto kMoreServersList = std::to_array<Member>({
    {"servers", kWhole, {"Servers of the slowest lane", "servers"}},
    {"in_flight", kWhole, {"Items in flight that these need", "items"}},
    {"gain", object_of(kInterval), {"How many times as fast it would be, by simulation"}},
    {"at_most", object_of(kInterval), {"How many times as fast it could be, by the next bound"}},
});
inline constexpr Members kMoreServers{"more_servers", "What more servers of the slowest lane gain",
                                      kMoreServersList};

inline constexpr auto kPipelineBoundList = std::to_array<Member>({
    {"by", kText, {"A lane, \"cores\" or \"memory\""}},
    {"ns", kNumber, {"The least time of an item that it allows", "ns"}},
    {"of_bound", object_of(kInterval), {"The bound over the time of the pipeline"}},
    {"faster_lane_gains",
     kNumber,
     {"How many times as fast it could be if the lane had no work", "ratio"}},
    {"more_servers", object_of(kMoreServers), {"What more servers of the lane gain"}},
    {"held_ns",
     kNumber,
     {"The least time of an item with so few items in flight, or with one thread for all work",
      "ns"}},
});
inline constexpr Members kPipelineBound{
    "pipeline_bound", "What bounds a pipeline: the largest of several lower bounds of its time",
    kPipelineBoundList};

inline constexpr auto kPipelineList = std::to_array<Member>({
    {"latency_p50_ns", kNumber, {"Derived: the median latency of an item", "ns"}},
    {"latency_p99_ns", kNumber, {"Derived: the 99th percentile of the latency of an item", "ns"}},
    {"headroom",
     object_of(kInterval),
     {"Derived: its time over the time of the same case without loading"}},
    {"bound", object_of(kPipelineBound), {"Derived: what bounds its time"}},
});
inline constexpr Members kPipeline{"pipeline", "", kPipelineList};

inline constexpr auto kPairList = std::to_array<Member>({
    {"a", kText, {"A variant"}},
    {"b", kText, {"Another variant"}},
    {"ratio",
     object_of(kInterval),
     {"The time of `a` over that of `b`, with an interval that is corrected for the number of "
      "pairs"}},
    {"different", kFlag, {"One of them is certainly faster, by more than the precision"}},
});
inline constexpr Members kPair{"pair", "How two measured cases compare", kPairList};

inline constexpr auto kClockRangeList = std::to_array<Member>({
    {"low", kWhole, {"The lowest", "MHz"}},
    {"median", kWhole, {"The median", "MHz"}},
    {"high", kWhole, {"The highest", "MHz"}},
});
inline constexpr Members kClockRange{"clock_range", "Clocks of a group's turns", kClockRangeList};

inline constexpr auto kTemperatureRangeList = std::to_array<Member>({
    {"low", kWhole, {"The lowest", "degrees Celsius"}},
    {"high", kWhole, {"The highest", "degrees Celsius"}},
});
inline constexpr Members kTemperatureRange{"temperature_range", "Temperatures of a group's turns",
                                           kTemperatureRangeList};

inline constexpr auto kThrottleList = std::to_array<Member>({
    {"always", list_of(kText), {"In all turns"}},
    {"sometimes", list_of(kText), {"In only some turns"}},
});
inline constexpr Members kThrottle{
    "throttle_reasons", "What held a GPU's clocks back, in NVML's words", kThrottleList};

inline constexpr auto kGpuStatesList = std::to_array<Member>({
    {"turns", kWhole, {"Turns on the GPU", "turns"}},
    {"read", kWhole, {"Turns whose state was read", "turns"}},
    {"sm_clock_of", kWord<ClockOf>, {"Clocks are means over turns, or read at their ends"}},
    {"sm_clock_mhz", object_of(kClockRange), {"SM clocks"}},
    {"changed", kFlag, {"The GPU was not the same all the time: clocks, temperature or throttling"}},
    {"temperature_c", object_of(kTemperatureRange), {"Temperatures"}},
    {"throttle_reasons", object_of(kThrottle), {"What held the clocks back"}},
});
inline constexpr Members kGpuStates{"gpu_states", "The states of a GPU in a group's turns",
                                    kGpuStatesList};

inline constexpr auto kHeldBackList = std::to_array<Member>({
    {"seconds", map_of(kNumber), {"For how long each reason, in NVML's words, did so", "s"}},
    {"of_seconds", kNumber, {"The time from the first turn to the end of the last one", "s"}},
});
inline constexpr Members kHeldBack{
    "gpu_held_back", "For how long a GPU held its clocks back in a group's rounds", kHeldBackList};

inline constexpr auto kHostChangeList = std::to_array<Member>({
    {"limit", kText, {"A memory stream"}},
    {"other", kText, {"The stream that was the fastest over all rounds"}},
    {"rounds",
     kWhole,
     {"Rounds in the second state; in the rarer one, if states alternate", "rounds"}},
    {"before", kNumber, {"The time of `limit` over that of `other` in the first state", "ratio"}},
    {"after", kNumber, {"The same in the second state", "ratio"}},
    {"round",
     kWhole,
     {"The first round of the second state, from 0; absent if states alternate"}},
});
inline constexpr Members kHostChange{"host_change", "How the host's memory changed",
                                     kHostChangeList};

inline constexpr auto kHostStatesList = std::to_array<Member>({
    {"states", or_null(kWhole), {"1 or 2; null: too few rounds to tell", "states"}},
    {"rounds", kWhole, {"The fewest rounds of a comparison", "rounds"}},
    {"change", object_of(kHostChange), {"How the two states differ"}},
});
inline constexpr Members kHostStates{
    "host_states", "Whether the host's memory was in one state or in two", kHostStatesList};

inline constexpr auto kBusyList = std::to_array<Member>({
    {"cases", list_of(kText), {"The cases"}},
    {"more_threads_than_cpus", list_of(kText), {"The cases that have more threads than CPUs"}},
    {"share", kNumber, {"How much of a turn other programs took, at the median", "share 0..1"}},
    {"cpu_ratio",
     map_of(object_of(kInterval)),
     {"The CPU time of a case over that of the baseline, which other programs change less"}},
});
inline constexpr Members kBusy{
    "busy", "The cases that cannot be ranked, since other programs held up too many rounds",
    kBusyList};

inline constexpr auto kClaimVerdictList = std::to_array<Member>({
    {"text", kText, {"The claim in words"}},
    {"verdict", kWord<Judgement::Outcome>, {"How it ended"}},
    {"detail", kText, {"Why, in words"}},
    {"ratio",
     object_of(kInterval),
     {"The ratio here, the larger time over the smaller one as claimed"}},
    {"visible", kNumber, {"The least relative difference that would have been seen", "ratio"}},
    {"caveat", kText, {"That the two variants differ in several factors, and what each does"}},
});
inline constexpr Members kClaimVerdict{"claim_verdict", "How a claim ended", kClaimVerdictList};

inline constexpr auto kVerdictList = std::to_array<Member>({
    {"winner", kText, {"The fastest variant; \"\" if none is certainly the fastest"}},
    {"bound", kText, {"What bounds its time, like \"memory\", \"link\" or a stage; \"\": not known"}},
    {"cause", kText, {"Why a slow variant is slow, like \"page faults\"; \"\": not known"}},
    {"text", list_of(kText), {"All of it in sentences"}},
    {"claims", list_of(object_of(kClaimVerdict)), {"How each of the group's `claims` ended"}},
    {"visible",
     kNumber,
     {"Without a winner: the least relative difference that would have been seen", "ratio"}},
});
inline constexpr Members kVerdict{"verdict", "What the group answers", kVerdictList};

inline constexpr auto kHeadspaceList = std::to_array<Member>({
    {"variant", kText, {"The variant with your own loader"}},
    {"cached", kText, {"The same loop with batches that take no time"}},
    {"share",
     object_of(kInterval),
     {"The share of the loop's time that loading costs: 1 less the time of `cached` over its own"}},
});
inline constexpr Members kHeadspace{"headspace", "What loading costs a loop", kHeadspaceList};

inline constexpr auto kGroupList = std::to_array<Member>({
    {"pairs",
     list_of(object_of(kPair)),
     {"Derived: measured cases, compared: each two, or of many the pairs that a reader looks at"}},
    {"pairs_left_out", kWhole, {"Derived: the number of pairs that are not in `pairs`"}},
    {"gpu_states", object_of(kGpuStates), {"Derived: the states of the GPU in the turns"}},
    {"gpu_held_back", object_of(kHeldBack), {"Derived: how long it held its clocks back"}},
    {"host_states", object_of(kHostStates), {"Derived: whether the host's memory changed"}},
    {"busy", object_of(kBusy), {"Derived: cases that other programs held up too often"}},
    {"quality", kText, {"Derived: how quiet the machine was, in words"}},
    {"autocorrelation",
     kNumber,
     {"Derived: the largest `autocorrelation` of the cases", "correlation -1..1"}},
    {"headspaces", list_of(object_of(kHeadspace)), {"Derived: what your own loaders cost"}},
    {"verdict", object_of(kVerdict), {"Derived: what the group answers"}},
});
inline constexpr Members kGroup{"group", "", kGroupList};

inline constexpr auto kOvertakingList = std::to_array<Member>({
    {"from", kText, {"The variant that is certainly faster at `after`"}},
    {"to", kText, {"The variant that is certainly faster at `by`"}},
    {"after", kAny, {"A value of the axis"}},
    {"by", kAny, {"A larger value of the axis"}},
});
inline constexpr Members kOvertaking{"overtaking", "Where one variant overtakes another",
                                     kOvertakingList};

inline constexpr Member kAxis{"axis", kText, {"The axis of the sweep"}};
inline constexpr Member kAt{"at", kAnyObject, {"The values of the other axes"}};

inline constexpr auto kCrossingList = std::to_array<Member>({
    kAxis,
    kAt,
    {"a", kText, {"The baseline"}},
    {"b", kText, {"Another variant"}},
    {"points", kWhole, {"Points at which both were measured", "points"}},
    {"decided", kWhole, {"Points at which one is certainly faster", "points"}},
    {"leader", kText, {"The one that is, at all of these; \"\" if that changes"}},
    {"changes", list_of(object_of(kOvertaking)), {"Where one overtakes the other"}},
});
inline constexpr Members kCrossing{"crossover", "How two variants compare along an axis",
                                   kCrossingList};

inline constexpr auto kFitList = std::to_array<Member>({
    kAxis,
    kAt,
    {"variant", kText, {"The variant"}},
    {"points", kWhole, {"Points that the line is fitted to", "points"}},
    {"explains", kFlag, {"No point is more than 20 % off the line"}},
    {"worst_residual", kNumber, {"How far the farthest point is off the line", "ratio"}},
    {"fixed_ns", kNumber, {"The cost that does not depend on the bytes", "ns"}},
    {"gb_per_s", kNumber, {"The rate of the bytes", "GB/s"}},
    {"half_bytes", kNumber, {"The bytes at which half of that rate is reached", "bytes"}},
    {"amount_at_90_percent", kNumber, {"The value of the axis at which 90 % of it is reached"}},
});
inline constexpr Members kFit{
    "fit", "A fixed cost and a rate, fitted to the times of a variant along an axis", kFitList};

inline constexpr auto kUnscaledList = std::to_array<Member>({
    kAxis,
    kAt,
    {"variant", kText, {"The variant"}},
    {"small", kAny, {"The first value of the axis"}},
    {"large", kAny, {"The last value of the axis"}},
    {"work", kNumber, {"The bytes at `large` over those at `small`", "ratio"}},
    {"fixed_ns", kNumber, {"The median of the times", "ns"}},
});
inline constexpr Members kUnscaled{
    "unscaled", "A variant whose time hardly changes while its bytes grow", kUnscaledList};

inline constexpr auto kTrendList = std::to_array<Member>({
    {"text", kText, {"The claim in words"}},
    {"verdict", kWord<Judgement::Outcome>, {"How it ended"}},
    kAxis,
    kAt,
    {"from", kAny, {"The first value of the axis at which both sides were measured"}},
    {"first", object_of(kInterval), {"The ratio there"}},
    {"to", kAny, {"The last value of the axis at which both sides were measured"}},
    {"last", object_of(kInterval), {"The ratio there"}},
});
inline constexpr Members kTrend{"trend_verdict", "How a claim about an axis ended", kTrendList};

inline constexpr auto kExperimentList = std::to_array<Member>({
    {"experiment", kText, {"The experiment"}},
    {"crossovers",
     list_of(object_of(kCrossing)),
     {"How the baseline and each other variant compare along each axis"}},
    {"fits", list_of(object_of(kFit)), {"Fixed costs and rates along each axis"}},
    {"unscaled", list_of(object_of(kUnscaled)), {"Variants whose time does not grow"}},
    {"claims", list_of(object_of(kTrend)), {"How claims about an axis ended"}},
});
inline constexpr Members kExperiment{
    "experiment", "What the points of an experiment's sweep show together; all of it is derived",
    kExperimentList};

inline constexpr auto kResultsList = std::to_array<Member>({
    {"experiments",
     list_of(object_of(kExperiment)),
     {"Derived: one for each experiment, over its points"}},
});
inline constexpr Members kResults{"results", "", kResultsList};

}  // namespace normbench::members
