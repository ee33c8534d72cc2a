#include "analysis/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/amdahl.h"
#include "analysis/case_analysis.h"
#include "analysis/cause.h"
#include "analysis/factors.h"
#include "analysis/limit_kind.h"
#include "analysis/pairs.h"
#include "analysis/pinning.h"
#include "analysis/rank.h"
#include "analysis/words.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kSlow = 1.1;  // times the fastest: from here on a reason is owed

/// "Bound by page faults: 54,002 a batch …" of a cause's sentence.
std::string bound_text(const std::string& sentence) {
  std::string text = "Bound by " + sentence;
  const std::size_t end = text.find(". ");
  if (end == text.npos) return text;
  text[end] = ':';
  text[end + 2] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[end + 2])));
  return text;
}

/// What bounds the winner; completes its sentence.
void add_bound(const GroupResult& group, const GroupAnalysis& analysis, const Results& results,
               Verdict& verdict, std::string& headline) {
  const int winner = verdict.fastest[0];
  const CaseAnalysis& fastest = analysis.cases[winner];
  const bool limited = fastest.of_limit && fastest.of_limit->value >= at_limit;
  const std::string kind = limit_kind(group, fastest.limit);
  const Cause cause = explain(group, fastest, winner, results);
  verdict.bound = cause.name;
  if (limited) {
    const std::string share =
        fmt::format(", at {} of the {} limit", format_percent(fastest.of_limit->value), kind);
    verdict.advantage += share;
    headline += share;
  }
  headline += ".";
  // That it is at its limit is said; what else bounds it is not.
  const bool said = limited && cause.name == kind && !gain_at_most(group.cases[winner], kind);
  if (!cause.sentence.empty() && !said) verdict.reasons.push_back(bound_text(cause.sentence));
}

/// The baseline if it is slow, else the slowest case; -1 when none is slow beyond doubt.
int slow_case(const GroupResult& group, const GroupAnalysis& analysis, const Verdict& verdict) {
  const std::vector<int> ranked = ranking(group, analysis);
  const auto slow = [&](int i) {
    const auto pair = pair_of(analysis.pairs, i, verdict.fastest[0]);
    return pair && pair->different && pair->ratio.value >= kSlow;
  };
  for (const int i : ranked)
    if (group.cases[i].variant == group.baseline && slow(i)) return i;
  return slow(ranked.back()) ? ranked.back() : -1;
}

/// What the slow case does otherwise than the fastest, where its cause was not shown by a case that
/// differs in that alone: " It differs from the fastest in 2 factors: ops, outputs."
std::string differences(const GroupResult& group, int slow, int fastest, const Cause& cause) {
  const std::vector<Factor> list = factors(group.cases[slow], group.cases[fastest]);
  if (cause.proven || list.empty()) return "";
  if (list.size() > 1)
    return fmt::format("It differs from the fastest in {} factors: {}.", list.size(),
                       factor_names(list));
  if (!cause.name.empty() && list[0].name == "ops") return "";
  return fmt::format("Only {} differs from the fastest.", factor_text(list[0]));
}

/// Why the slow case is slow.
void add_reason(const GroupResult& group, const GroupAnalysis& analysis, const Results& results,
                Verdict& verdict) {
  const int slow = slow_case(group, analysis, verdict);
  if (slow < 0) return;
  const Cause cause = explain(group, analysis.cases[slow], slow, results);
  verdict.cause = cause.name;
  const std::string beside = differences(group, slow, verdict.fastest[0], cause);
  if (cause.name.empty() && beside.empty()) return;
  verdict.reasons.push_back(
      fmt::format("Why {} is slow: {}{}{}", spoken(group.cases[slow].variant), cause.sentence,
                  cause.sentence.empty() || beside.empty() ? "" : " ", beside));
}

void add_limits_exceeded(const GroupResult& group, const GroupAnalysis& analysis,
                         Verdict& verdict) {
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    if (const CaseAnalysis& one = analysis.cases[i]; one.above_limit)
      verdict.reasons.push_back(
          fmt::format("Error: {} is faster than its limit ({}, at least {}): limit or case is "
                      "measured wrongly.",
                      spoken(group.cases[i].variant), format_percent(one.of_limit->value),
                      format_percent(one.of_limit->low)));
}

/// Device time has nothing of what a case does on the host.
void add_left_out_by_the_clock(const GroupResult& group, const Results& results, Verdict& verdict) {
  std::vector<std::string> mixed, host;
  for (const CaseResult& result : group.cases) {
    if (results.clock != DecidingClock::Device || !measured(result)) continue;
    if (!device_ns(result))
      host.push_back(spoken(result.variant));
    else if (std::ranges::any_of(
                 result.stages, [](const StageResult& stage) { return stage.place == Place::Cpu; }))
      mixed.push_back(spoken(result.variant));
  }
  if (!mixed.empty())
    verdict.reasons.push_back(
        fmt::format("Device time leaves out the host stages of {}: \"clock\": \"wall\" counts all.",
                    enumerate(mixed)));
  if (!host.empty())
    verdict.reasons.push_back(
        fmt::format("Of {} it is wall time: no device was used.", enumerate(host)));
}

}  // namespace

Verdict judge(const GroupResult& group, const GroupAnalysis& analysis, const Results& results) {
  Verdict verdict;
  std::string headline = rank(group, analysis, results, verdict);
  if (verdict.outcome == Outcome::Winner || verdict.outcome == Outcome::Alone)
    add_bound(group, analysis, results, verdict, headline);
  if (!verdict.fastest.empty()) add_reason(group, analysis, results, verdict);
  if (const std::string pinning = pinning_line(group, results); !pinning.empty() && !results.traced)
    verdict.reasons.push_back(pinning);
  add_limits_exceeded(group, analysis, verdict);
  add_left_out_by_the_clock(group, results, verdict);
  if (const std::string link = link_arithmetic(group); !link.empty())
    verdict.reasons.push_back(link);
  if (!results.traced) verdict.claims = judge_claims(group, analysis, results);

  verdict.text.push_back(headline);
  verdict.text.insert(verdict.text.end(), verdict.reasons.begin(), verdict.reasons.end());
  const auto claims = claim_lines(verdict.claims);
  verdict.text.insert(verdict.text.end(), claims.begin(), claims.end());
  return verdict;
}

}  // namespace normbench
