/// Two versions of the same measurements: what became slower, by how much, and how sure that is.
///
/// A side is the documents of its runs. With 6 paired runs a side or more, the run is the
/// replicate: the effect is the median over the pairs of ln(new time / base time), with its exact
/// interval. With fewer, the rounds are the replicates, and differences between runs stay unknown.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare_match.h"
#include "analysis/compare_setup.h"
#include "core/enums.h"
#include "core/json.h"
#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// What became of a case, the worst first.
enum class Change { Failed, Regressed, Inconclusive, NotCompared, Improved, Same };
constexpr auto words(Change) {
  return std::to_array<Word<Change>>({{Change::Failed, "failed"},
                                      {Change::Regressed, "regressed"},
                                      {Change::Inconclusive, "inconclusive"},
                                      {Change::NotCompared, "not_compared"},
                                      {Change::Improved, "improved"},
                                      {Change::Same, "same"}});
}

/// Something of a case that changed whatever its time did: "link_bytes", "bytes", "max_error",
/// "kernels", "faults", "threads", "status".
struct CaseFinding {
  std::string kind;
  Json base, now;
  std::string text;  // a sentence's part: "59.0 MB over the link, was 14.7 MB"

  bool operator==(const CaseFinding&) const = default;
};

struct ComparedCase {
  CaseName name;
  Change change = Change::NotCompared;
  bool certain = false;  // failed, or regressed beyond doubt over all cases: this fails the gate
  std::optional<double> base_ns, now_ns;  // median per iteration on the clock that decides
  std::optional<Interval> ratio;          // new time over base time, at 95 %
  std::optional<double> visible;          // the smallest relative change that would have been seen
  double p_value = 1;                     // one-sided, of "slower by no more than the margin"
  int replicates = 0;                     // pairs of runs, or rounds of the side that has fewer
  std::string why;                        // why it failed, or why there is no interval
  std::vector<CaseFinding> findings;
};

struct ComparedSide {
  std::size_t runs = 0;
  Json tool = Json::object();         // of the first run
  Json environment = Json::object();  // of the first run
};

struct Comparison {
  std::string name;  // of the config
  DecidingClock clock = DecidingClock::Wall;
  ComparedSide base, now;
  int pairs = 0;           // runs of either side that have a partner
  bool run_pairs = false;  // the replicates are pairs of runs; else rounds
  double margin = 0;       // a relative change within this is none
  std::string margin_reason;
  std::vector<SetupDifference> differences;
  std::vector<std::string> warnings;
  std::vector<ComparedCase> cases;  // the worst first
  std::vector<CaseName> base_only, new_only;
};

/// Compares the runs of two sides, neither empty; run i of `base` is the partner of run i of `now`.
/// `margin` overrides the one found in the documents.
Comparison compare(const std::vector<Results>& base, const std::vector<Results>& now,
                   std::optional<double> margin);

}  // namespace normbench
