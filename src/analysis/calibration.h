/// What pairs with a known answer say of a machine: pure arithmetic.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// Elements of a Slowed pair's second variant over those of the first, and so its time but for
/// noise: the loop is the same.
constexpr double kMoreWork = 1.05;

/// What a run says of that pair. Each is one of these, the first that holds.
/// WrongWay: what has more work is called faster. WrongSize: the interval does not come within the
/// precision of kMoreWork. Found: called slower.
enum class Answer { WrongWay, WrongSize, Found, NotFound };
constexpr auto words(Answer) {
  return std::to_array<Word<Answer>>({{Answer::WrongWay, "wrong_way"},
                                      {Answer::WrongSize, "wrong_size"},
                                      {Answer::Found, "found"},
                                      {Answer::NotFound, "not_found"}});
}

/// A pair as a run would judge it: time of its second variant over the first.
struct JudgedPair {
  PairKind kind = PairKind::Identical;
  std::int64_t seed = 0;
  bool fresh_process = false;
  Interval ratio;                     // as a run's tables show it
  bool different = false;             // beyond the margin
  std::optional<Answer> answer = {};  // of Slowed
  double visible = 0;    // the smallest difference it would have called one: margin + half-width
  double median_ns = 0;  // of the first variant, per iteration
  int rounds = 0;
  std::optional<Stop> stop;
};

/// The variant that was not measured, or null.
const CaseResult* unmeasured(const MeasuredPair& pair);

/// True where others held up too many rounds of a variant, or of both at once, to judge the pair.
bool is_too_busy(const MeasuredPair& pair);

/// Of a pair whose variants were both measured, and which is not too busy.
JudgedPair judge_pair(const MeasuredPair& pair, double precision);

/// Of pairs measured in this process, but for `between`.
struct CalibrationSummary {
  int pairs = 0, excluding_one = 0, false_alarms = 0;  // of identical code
  Interval false_alarm;                                // share, with Wilson's 95 % interval
  int slowed_pairs = 0, slowed_found = 0, slowed_wrong_way = 0, slowed_wrong_size = 0;
  double visible = 0;  // median over the pairs of identical code
  // 95th percentile of how much a fresh process differs from the one of its kind before it, over so
  // many such differences; nothing when no kind had two.
  std::optional<double> between;
  int between_differences = 0;
};

/// Of fewer differences between processes, "between" lowers no margin.
constexpr int kFewestDifferences = 6;

CalibrationSummary summarize(const std::vector<JudgedPair>& pairs);

/// The summary as documents keep it: "date", "machine", "seconds", "pairs", "excluding_one",
/// "false_alarms", "false_alarm_low", "false_alarm_high", "slowed_pairs", "slowed_found",
/// "slowed_wrong_way", "slowed_wrong_size", "visible", "between" (null when unknown),
/// "between_differences". The two of wrong answers and the last are absent in older ones.
Json to_json(const CalibrationSummary& summary, const std::string& date, const std::string& machine,
             double seconds);

/// True where a document's calibration says "between" of kFewestDifferences or more.
bool knows_between(const Json& calibration);

/// {"calibration": as above, "pairs": every pair with its ratio and interval}.
Json calibration_document(const Json& calibration, const std::vector<JudgedPair>& pairs);

}  // namespace normbench
