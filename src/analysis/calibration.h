/// Judges pairs of variants with a known answer, to show how often this machine is wrong.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// The number of elements of a Slowed pair's second variant over that of the first. Both variants
/// run the same loop, so without noise this is also the ratio of their times.
constexpr double kMoreWork = 1.05;

/// How a run judges a Slowed pair. The first that fits is taken. WrongWay: the variant with more
/// work is called faster. WrongSize: the interval does not come within the precision of kMoreWork.
/// Found: the variant with more work is called slower. NotFound: no variant is called slower.
enum class Answer { WrongWay, WrongSize, Found, NotFound };
constexpr auto words(Answer) {
  return std::to_array<Word<Answer>>({{Answer::WrongWay, "wrong_way"},
                                      {Answer::WrongSize, "wrong_size"},
                                      {Answer::Found, "found"},
                                      {Answer::NotFound, "not_found"}});
}

/// A pair as a run judges it. Its ratio is the time of the second variant over that of the first.
struct JudgedPair {
  PairKind kind = PairKind::Identical;
  std::int64_t seed = 0;
  bool fresh_process = false;
  Interval ratio;                     // the ratio that a run's tables show
  bool different = false;             // `ratio` certainly differs from 1 by more than the margin
  std::optional<Answer> answer = {};  // only for PairKind::Slowed
  double visible = 0;    // smallest difference that would be found: margin + half-width
  double median_ns = 0;  // median time of the first variant per iteration
  int rounds = 0;
  std::optional<Stop> stop;
};

/// Returns the first variant that was not measured; null if all were.
const CaseResult* unmeasured(const MeasuredPair& pair);

/// Returns true if other programs held up too many rounds of a variant to judge the pair.
bool is_too_busy(const MeasuredPair& pair);

/// Judges a pair. Both variants must be measured, and the pair must not be too busy.
JudgedPair judge_pair(const MeasuredPair& pair, double precision);

/// Counts over pairs that were measured in this process. Only `between` and `between_differences`
/// are of fresh processes.
struct CalibrationSummary {
  // Pairs of identical code: all, those whose interval excludes 1, and those judged different.
  int pairs = 0, excluding_one = 0, false_alarms = 0;
  Interval false_alarm;  // share of false alarms, with Wilson's 95 % interval
  int slowed_pairs = 0, slowed_found = 0, slowed_wrong_way = 0, slowed_wrong_size = 0;
  double visible = 0;  // median of JudgedPair::visible over pairs of identical code
  // The 95th percentile of the relative differences between a fresh process and the one before it
  // with the same kind of pair. Nothing if no kind had two processes.
  std::optional<double> between;
  int between_differences = 0;
};

/// The fewest differences from which `between` is known well enough for a margin below 5 %
/// (margin_of).
constexpr int kFewestDifferences = 6;

CalibrationSummary summarize(const std::vector<JudgedPair>& pairs);

/// Returns the summary as documents keep it: "date", "machine", "seconds", "pairs",
/// "excluding_one", "false_alarms", "false_alarm_low", "false_alarm_high", "slowed_pairs",
/// "slowed_found", "slowed_wrong_way", "slowed_wrong_size", "visible", "between" (null when
/// unknown), "between_differences". Older documents lack "slowed_wrong_way", "slowed_wrong_size"
/// and "between_differences".
Json to_json(const CalibrationSummary& summary, const std::string& date, const std::string& machine,
             double seconds);

/// Returns true if a document's calibration has at least kFewestDifferences differences between
/// processes.
bool knows_between(const Json& calibration);

/// Returns {"calibration": `calibration`, "pairs": every pair with its ratio and interval}.
Json calibration_document(const Json& calibration, const std::vector<JudgedPair>& pairs);

}  // namespace normbench
