/// What pairs with a known answer say of a machine: pure arithmetic.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// How much more work a Slowed pair's second variant does than the first, in elements. Without
/// noise its time is larger by as much: the loop is the same.
constexpr double kMoreWork = 1.05;

/// What a run says of a Slowed pair; the first that holds. WrongWay: calls the variant with more
/// work faster. WrongSize: its interval does not come within the precision of kMoreWork. Found:
/// calls it slower.
enum class Answer { WrongWay, WrongSize, Found, NotFound };
constexpr auto words(Answer) {
  return std::to_array<Word<Answer>>({{Answer::WrongWay, "wrong_way"},
                                      {Answer::WrongSize, "wrong_size"},
                                      {Answer::Found, "found"},
                                      {Answer::NotFound, "not_found"}});
}

/// A pair as a run would judge it: the time of its second variant over the first's.
struct JudgedPair {
  PairKind kind = PairKind::Identical;
  std::int64_t seed = 0;
  bool fresh_process = false;
  Interval ratio;                     // as a run's tables show it
  bool different = false;             // beyond the margin
  std::optional<Answer> answer = {};  // only for Slowed
  double visible = 0;    // the smallest difference it would have called one: margin + half-width
  double median_ns = 0;  // the first variant's, per iteration
  int rounds = 0;
  std::optional<Stop> stop;
};

/// The variant that was not measured, or null.
const CaseResult* unmeasured(const MeasuredPair& pair);

/// True where others held up too many rounds of one variant, or of both, to judge the pair.
bool is_too_busy(const MeasuredPair& pair);

/// Judges a pair with two measured variants that is not too busy.
JudgedPair judge_pair(const MeasuredPair& pair, double precision);

/// Sums up pairs that were measured in this process; only `between` compares processes.
struct CalibrationSummary {
  int pairs = 0, excluding_one = 0, false_alarms = 0;  // pairs of identical code
  Interval false_alarm;                                // share, with Wilson's 95 % interval
  int slowed_pairs = 0, slowed_found = 0, slowed_wrong_way = 0, slowed_wrong_size = 0;
  double visible = 0;  // median over pairs of identical code
  // The 95th percentile of the differences between a fresh process and the previous one of its
  // kind, and the number of such differences; nothing when no kind had two processes.
  std::optional<double> between;
  int between_differences = 0;
};

/// The fewest differences between processes with which "between" can lower a margin.
constexpr int kFewestDifferences = 6;

CalibrationSummary summarize(const std::vector<JudgedPair>& pairs);

/// The summary as documents keep it: "date", "machine", "seconds", "pairs", "excluding_one",
/// "false_alarms", "false_alarm_low", "false_alarm_high", "slowed_pairs", "slowed_found",
/// "slowed_wrong_way", "slowed_wrong_size", "visible", "between" (null when unknown),
/// "between_differences". The two of wrong answers and the last are absent in older ones.
Json to_json(const CalibrationSummary& summary, const std::string& date, const std::string& machine,
             double seconds);

/// True where a document's calibration has "between" from kFewestDifferences differences or more.
bool knows_between(const Json& calibration);

/// {"calibration": as to_json() makes it, "pairs": every pair with its ratio and interval}.
Json calibration_document(const Json& calibration, const std::vector<JudgedPair>& pairs);

}  // namespace normbench
