/// What the measurements mean: pure functions of Results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/noise.h"
#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// A stage against the limit of what it does.
struct StageAnalysis {
  std::optional<Interval> of_limit;  // the limit's time over the stage's
  std::string limit;                 // name of the limit used, or ""
  double floor_ns = 0;               // that limit's time per iteration; 0 without one
};

struct CaseAnalysis {
  std::vector<StageAnalysis> stages;  // as in the case
  std::optional<double> floor_ns;     // sum of the stages' floors; nothing when a stage has none
  std::string binding;                // name of the limit that is most of that sum, or ""
  std::optional<double> bytes_moved;  // over the fewest that go from source to result
  std::optional<Interval> time_ns;    // per iteration: median and 95 % interval
  std::optional<Interval> ratio;      // time over the baseline's; speed-up is its inverse
  std::optional<Interval> of_limit;   // limit's time over the case's time
  std::string limit;                  // name of the limit used
  std::optional<double> images_per_second;
  std::optional<double> faults;    // minor faults per iteration
  std::optional<double> switches;  // context switches per iteration; nothing of a peer
  std::optional<double> published_ms;
  bool above_limit = false;  // faster than its limit beyond interval and precision: a bug to show
};

struct Pair {
  int a = 0, b = 0;
  Interval ratio;  // time of a over time of b at the Bonferroni level
  bool different = false;
  bool covered = false;       // enough rounds for an interval at that level
  double process_effect = 0;  // that identical code may show in two processes
};

/// A claim held against the pairs: "confirmed", "contradicted", "inconclusive" or "not run here".
struct Judgement {
  std::string claim, verdict, detail;
  std::string caveat = {};  // "but they differ in 2 factors: …" when not one thing changed, or ""
};

enum class Outcome { NothingRan, Alone, Traced, Unfair, Winner, Tie, Inconclusive };

struct Verdict {
  Outcome outcome = Outcome::NothingRan;
  std::vector<int> fastest;  // cases that nothing beats: the winner alone, or those tied
  std::string winner;        // variant, or "" when there is none
  std::string advantage;     // of the winner: "34.0x (33.6-34.4) the baseline, at 97 % of …"
  std::string bound;         // "memory", "page faults", … of the winner, or ""
  std::string cause;         // of the slow case that is explained, or ""
  std::vector<Judgement> claims;
  std::vector<std::string> reasons;  // bound, cause, limits exceeded: sentences
  std::vector<std::string> text;     // all that a person reads, the outcome first
};

struct GroupAnalysis {
  std::vector<CaseAnalysis> cases;  // as in the group
  std::vector<CaseNoise> noise;     // as in the group
  std::vector<Pair> pairs;          // of measured cases, a < b
  double autocorrelation = 0;       // largest lag-1 of the log ratios
  double half_width = 0;            // widest of the ratios' (of the times' when there are none)
  double spread = 0;                // middle half of a case's rounds over their median, largest
  Verdict verdict;
  std::string quality;  // "machine quiet: ratios good to 1.1 %"
};

GroupAnalysis analyse(const GroupResult& group, const Results& results);

/// The document as written to results.json: measurements, and beside them what was derived.
Json document(const Results& results);

}  // namespace normbench
