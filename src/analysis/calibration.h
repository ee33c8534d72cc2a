/// What pairs with a known answer say of a machine: pure arithmetic.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// A pair as a run would judge it: time of its second variant over the first.
struct JudgedPair {
  PairKind kind = PairKind::Identical;
  std::int64_t seed = 0;
  bool fresh_process = false;
  Interval ratio;          // as a run's tables show it
  bool different = false;  // beyond the margin
  double visible = 0;      // the smallest difference it would have called one: margin + half-width
  double median_ns = 0;    // of the first variant, per iteration
  int rounds = 0;
  std::optional<Stop> stop;
};

/// The variant that was not measured, or null.
const CaseResult* unmeasured(const MeasuredPair& pair);

/// Of a pair whose variants were both measured.
JudgedPair judge_pair(const MeasuredPair& pair, double precision);

/// Of pairs measured in this process, but for `between`.
struct CalibrationSummary {
  int pairs = 0, excluding_one = 0, false_alarms = 0;  // of identical code
  Interval false_alarm;                                // share, with Wilson's 95 % interval
  int slowed_pairs = 0, slowed_found = 0;
  double visible = 0;  // median over the pairs of identical code
  // 95th percentile of how much a fresh process differs from the one of its kind before it; nothing
  // when no kind had two.
  std::optional<double> between;
};

CalibrationSummary summarize(const std::vector<JudgedPair>& pairs);

/// The summary as documents keep it: "date", "machine", "seconds", "pairs", "excluding_one",
/// "false_alarms", "false_alarm_low", "false_alarm_high", "slowed_pairs", "slowed_found",
/// "visible", "between" (null when unknown).
Json to_json(const CalibrationSummary& summary, const std::string& date, const std::string& machine,
             double seconds);

/// {"calibration": as above, "pairs": every pair with its ratio and interval}.
Json calibration_document(const Json& calibration, const std::vector<JudgedPair>& pairs);

}  // namespace normbench
