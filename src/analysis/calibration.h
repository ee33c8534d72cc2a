/// Judges pairs of variants whose true ratio of times is known, to show how often this machine's
/// measurements give a wrong verdict.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// In a PairKind::Slowed pair, the second variant does this many times the work of the first. Both
/// run the same loop, the second over more elements. Without noise, their times have this ratio.
constexpr double kMoreWork = 1.05;

/// How a PairKind::Slowed pair is judged. The first line that applies is taken:
/// - WrongWay: the verdict is that the second variant, which has more work, is faster.
/// - WrongSize: the interval of the ratio lies entirely outside kMoreWork * (1 - precision) to
///   kMoreWork * (1 + precision).
/// - Found: the verdict is that the second variant is slower.
/// - NotFound: no difference was found.
enum class Answer { WrongWay, WrongSize, Found, NotFound };
constexpr auto words(Answer) {
  return std::to_array<Word<Answer>>({{Answer::WrongWay, "wrong_way"},
                                      {Answer::WrongSize, "wrong_size"},
                                      {Answer::Found, "found"},
                                      {Answer::NotFound, "not_found"}});
}

/// A pair and its verdict.
struct JudgedPair {
  PairKind kind = PairKind::Identical;
  std::int64_t seed = 0;
  bool fresh_process = false;
  Interval ratio;                     // the second variant's time over the first's
  bool different = false;             // the two times certainly differ (Pair::different)
  std::optional<Answer> answer = {};  // only for PairKind::Slowed
  double visible = 0;                 // smallest relative difference that would be found
  double median_ns = 0;               // median time of the first variant per iteration
  int rounds = 0;
  std::optional<Stop> stop;
};

/// Returns the first variant that was not measured; null if all were.
const CaseResult* unmeasured(const MeasuredPair& pair);

/// Returns true if the pair cannot be judged, because other programs used the processors in too
/// many rounds of a variant.
bool is_too_busy(const MeasuredPair& pair);

/// Judges a pair. Both variants must be measured, and the pair must not be too busy.
JudgedPair judge_pair(const MeasuredPair& pair, double precision);

/// Counts over judged pairs. `between` and `between_differences` are from pairs that were measured
/// in fresh processes, all other members from pairs that were measured in this process.
struct CalibrationSummary {
  // Numbers of pairs of identical code: all, those whose interval of the ratio does not contain 1,
  // and those judged different.
  int pairs = 0, excluding_one = 0, false_alarms = 0;
  Interval false_alarm;  // `false_alarms` / `pairs`, with Wilson's 95 % interval
  int slowed_pairs = 0, slowed_found = 0, slowed_wrong_way = 0, slowed_wrong_size = 0;
  double visible = 0;  // median of JudgedPair::visible over pairs of identical code
  // The 95th percentile of the relative differences in time between two consecutive fresh processes
  // with the same kind of pair. Nothing if there are no differences.
  std::optional<double> between;
  int between_differences = 0;
};

/// A calibration with fewer `between_differences` than this is not usable. If two versions have too
/// few runs to be compared by pairs of runs, and no run has a usable calibration, differences of up
/// to 5 % count as no change (margin_of).
constexpr int kFewestDifferences = 6;

CalibrationSummary summarize(const std::vector<JudgedPair>& pairs);

/// Returns the summary as it is stored in documents, with the members "date", "machine", "seconds",
/// "pairs", "excluding_one", "false_alarms", "false_alarm_low", "false_alarm_high", "slowed_pairs",
/// "slowed_found", "slowed_wrong_way", "slowed_wrong_size", "visible", "between" (null if unknown)
/// and "between_differences". Older documents lack "slowed_wrong_way", "slowed_wrong_size" and
/// "between_differences".
Json to_json(const CalibrationSummary& summary, const std::string& date, const std::string& machine,
             double seconds);

/// Returns true if a document's calibration has at least kFewestDifferences differences between
/// processes.
bool knows_between(const Json& calibration);

/// Returns {"calibration": `calibration`, "pairs": every pair with its ratio and interval}.
Json calibration_document(const Json& calibration, const std::vector<JudgedPair>& pairs);

}  // namespace normbench
