#include "report/verdict_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/units.h"
#include "report/cause_text.h"
#include "report/document_text.h"
#include "report/own_code_text.h"
#include "report/words.h"

namespace normbench {
namespace {

/// Returns at which share of its limit the winner runs, like ", at 97 % of the memory limit", or ""
/// if it reaches no limit.
std::string at_limit_text(const GroupAnalysis& analysis) {
  const Verdict& verdict = analysis.verdict;
  if (!verdict.at_limit) return "";
  return fmt::format(", at {} of the {} limit",
                     format_percent(analysis.cases[verdict.fastest[0]].of_limit->value),
                     name_of(*verdict.at_limit));
}

/// A kind of output, like "float32 nchw 32x3x224x224 on the host", which one or more cases have.
/// `max_error` is the largest error of the outputs of these cases.
struct End {
  std::string text;
  double bytes = 0, max_error = 0;
  bool has_error = false;  // the values of at least one of these outputs were compared
};

/// Returns the kinds of outputs of the measured cases, in order of first appearance.
std::vector<End> ends_of(const GroupResult& group) {
  std::vector<End> ends;
  for (const CaseResult& result : group.cases) {
    if (!measured(result) || result.stages.empty()) continue;
    const std::string text = output_text(outputs_of(result).front());
    auto end = std::ranges::find(ends, text, &End::text);
    if (end == ends.end()) {
      double bytes = 0;
      for (const TensorDesc& out : outputs_of(result)) bytes += static_cast<double>(out.bytes());
      end = ends.insert(ends.end(), {.text = text, .bytes = bytes});
    }
    if (!result.check.compared() || result.check.psnr_bound_db > 0) continue;
    end->has_error = true;
    end->max_error = std::max(end->max_error, result.check.max_abs_error);
  }
  return ends;
}

/// Returns a text like "Outputs differ, as the experiment allows: float32 ... 19.3 MB (max error
/// 0), float16 ... 9.63 MB (max error 4.9e-4)." Returns "" if all outputs are of one kind, or if
/// the experiment allows no difference.
std::string allowed_differences_text(const GroupResult& group) {
  const std::vector<End> ends = ends_of(group);
  if (group.may_differ.empty() || ends.size() < 2) return "";
  std::vector<std::string> texts;
  for (const End& end : ends)
    texts.push_back(fmt::format(
        "{}, {}{}", end.text, format_bytes(end.bytes),
        end.has_error ? fmt::format(" (max error {})", max_error_text(end.max_error)) : ""));
  return fmt::format("Outputs differ, as the experiment allows: {}.", fmt::join(texts, "; "));
}

std::string nothing_text(const GroupResult& group) {
  const std::string failed = failed_text(group);
  return failed.empty() ? "Nothing could be measured here."
                        : "Nothing was measured: " + failed + ".";
}

std::string traced_text(const GroupAnalysis& analysis, const Results& results) {
  if (analysis.quality.rounds > 0) return "A profiling tool was attached: nothing is ranked.";
  const Json tool = results.environment.value("attached_tool", Json());
  return fmt::format("Measured nothing: {} is attached (--measure measures all the same).",
                     tool.is_string() ? tool.get<std::string>() : "a profiling tool");
}

/// Returns why too few rounds are left to rank the cases: the share of the time in which other
/// programs had the processors. For cases with more threads than CPUs, it is the share in which
/// their threads waited for one another. If the speed-ups by CPU time are known, a second sentence
/// has them.
std::string busy_text(const GroupResult& group, const Busy& busy) {
  std::vector<int> others = busy.cases;
  std::erase_if(others, [&](int i) { return std::ranges::count(busy.crowded, i) > 0; });
  std::vector<std::string> why;
  if (!others.empty())
    why.push_back(fmt::format("other programs had the processors for {} of the time of {}",
                              format_percent(busy.share), spoken_cases(group, others)));
  if (!busy.crowded.empty())
    why.push_back(
        fmt::format("{} {} more threads than there are CPUs, which waited for one another for {} "
                    "of the time",
                    spoken_cases(group, busy.crowded), busy.crowded.size() == 1 ? "has" : "have",
                    format_percent(busy.crowded_share)));
  std::string text = fmt::format("Busy: {}; too few rounds are left to rank anything by.",
                                 fmt::join(why, ", and "));
  std::vector<std::string> ratios;
  for (const Busy::CpuRatio& one : busy.by_cpu)
    ratios.push_back(
        fmt::format("{} {}", spoken(group.cases[one.index].variant),
                    times_text({1 / one.ratio.value, 1 / one.ratio.high, 1 / one.ratio.low})));
  if (!ratios.empty())
    text += fmt::format(" By CPU time alone: {} the baseline.", fmt::join(ratios, ", "));
  return text;
}

/// Returns which cases may be the fastest. If one case was the fastest in all rounds, but there are
/// too few rounds for an interval, returns that this case is probably the fastest.
std::string inconclusive_text(const GroupResult& group, const Verdict& verdict) {
  const CaseResult& first = group.cases[verdict.fastest[0]];
  const std::string fastest = spoken_cases(group, verdict.fastest);
  if (verdict.covered && verdict.fastest.size() > Pairs::most_in_full)
    return fmt::format(
        "Inconclusive between {}: compared through {}, differences below {} "
        "cannot be ruled out.",
        fastest, spoken(first.variant), format_percent(verdict.visible));
  if (verdict.covered)
    return fmt::format("Inconclusive between {}: {}{}.", fastest, hidden_text(verdict.visible),
                       lead_text(verdict));
  if (verdict.always_first)
    return fmt::format("Probably fastest: {}, in each of {}; too few to be sure.",
                       spoken(first.variant), counted(verdict.rounds, "round"));
  return fmt::format("Inconclusive between {}: too few rounds ({}{}).", fastest, verdict.rounds,
                     group.stop == Stop::Time ? "; a longer max_seconds_per_group has more" : "");
}

/// Returns what bounds the time of the fastest case. Returns "" if that is unknown, or if the
/// headline tells it already.
std::string bound_text(const GroupResult& group, const Verdict& verdict) {
  const auto said = [&] {
    return verdict.at_limit && limit_of(verdict.bound) == verdict.at_limit &&
           !(verdict.at_limit == LimitKind::Link &&
             gain_beside(group.cases[verdict.fastest[0]], Resource::Link));
  };
  if (!verdict.bound || said()) return "";
  const bool is_one_of_several = verdict.fastest.size() > 1;
  return cause_text(verdict.bound)
      .bound(is_one_of_several ? group.cases[verdict.fastest[0]].variant : "");
}

/// Returns in which factors (like dtype or kernel) a slow case differs from the fastest one.
/// Returns "" in these cases:
/// - The cause is proven already, by a case that differs from the slow one only in the cause.
/// - There is no difference, or the only difference is in the ops.
std::string differences_text(const Slow& slow) {
  if (slow.cause.proven || slow.factors.empty()) return "";
  if (slow.factors.size() > 1)
    return fmt::format("It differs from the fastest in {} factors: {}.", slow.factors.size(),
                       factor_names(slow.factors));
  if (slow.factors[0].kind == Factor::Kind::Ops) return "";
  return fmt::format("Only {} differs from the fastest.", factor_text(slow.factors[0]));
}

std::string slow_text(const GroupResult& group, const Slow& slow) {
  if (!slow.cause) return "";
  const std::string beside = differences_text(slow);
  return fmt::format("Why {} is slow: {}{}{}", spoken(group.cases[slow.index].variant),
                     cause_text(slow.cause).sentence(), beside.empty() ? "" : " ", beside);
}

std::string carried_text(const LinkArithmetic& link) {
  return fmt::format(
      "The link would carry {} fewer bytes with {} than with {} ({} for {} a batch): "
      "arithmetic, not measured here.",
      factor(static_cast<double>(link.most) / static_cast<double>(link.least)), spoken(link.lean),
      spoken(link.rich), format_bytes(static_cast<double>(link.least)),
      format_bytes(static_cast<double>(link.most)));
}

/// Returns why a claim could not be judged:
/// - If one of its cases was skipped or failed, returns the reason.
/// - If one of them was not measured for another reason, returns "".
/// - If both were measured, returns that other programs had the processors.
std::string missing_text(const GroupResult& group, const Claim& claim) {
  for (const std::string& side : {claim.left, claim.right})
    if (const int i = index_of(group, side); i >= 0 && group.cases[i].status != Status::Ok)
      return reason_text(group.cases[i]);
  const int left = index_of(group, claim.left), right = index_of(group, claim.right);
  if (left < 0 || right < 0 || !measured(group.cases[left]) || !measured(group.cases[right]))
    return "";
  return "other programs had the processors";
}

/// Returns the outcomes of the claims as sentences. Consecutive claims with the same text share a
/// sentence.
std::vector<std::string> claim_lines(const GroupResult& group, const Verdict& verdict,
                                     double precision) {
  std::vector<std::string> lines;
  std::string last;  // text of the previous claim
  for (std::size_t i = 0; i < verdict.claims.size(); ++i) {
    const Claim& claim = group.claims[i];
    const Judgement& judgement = verdict.claims[i];
    if (judgement.outcome == Judgement::Outcome::NotJudged) continue;
    std::string said(name_of(judgement.outcome));
    const std::string detail = judgement_detail(group, claim, judgement, precision);
    if (!detail.empty()) said += fmt::format(" ({})", detail);
    if (judgement.caveat) said += ", but " + caveat_text(judgement.caveat);
    if (claim.text == last)
      lines.back().replace(lines.back().size() - 1, 1, "; " + said + ".");
    else
      lines.push_back(fmt::format("Claim \"{}\": {}.", claim.text, said));
    last = claim.text;
  }
  return lines;
}

}  // namespace

std::string unlike_text(const NamedOutput& a, const NamedOutput& b,
                        const std::vector<Difference>& differences) {
  std::vector<std::string> in;
  for (const Difference one : differences) in.push_back(fmt::format("\"{}\"", name_of(one)));
  return fmt::format(
      "No winner, the outputs are not alike: {} ends as {}, {} as {} (\"may_differ\": [{}] in the "
      "experiment ranks them all the same).",
      spoken(a.variant), output_text(a.desc), spoken(b.variant), output_text(b.desc),
      fmt::join(in, ", "));
}

std::string headline(const GroupResult& group, const GroupAnalysis& analysis,
                     const Results& results) {
  const Verdict& verdict = analysis.verdict;
  switch (verdict.outcome) {
    case Outcome::NothingRan:
      return nothing_text(group);
    case Outcome::Traced:
      return traced_text(analysis, results);
    case Outcome::Busy:
      return busy_text(group, *analysis.busy);
    case Outcome::Unfair: {
      const CaseResult &a = group.cases[verdict.unlike->a], &b = group.cases[verdict.unlike->b];
      return unlike_text({a.variant, outputs_of(a).front()}, {b.variant, outputs_of(b).front()},
                         verdict.unlike->differences);
    }
    case Outcome::Alone:
      return fmt::format("Only {} ran: {} ms a batch{}.", spoken_cases(group, verdict.fastest),
                         format_ms(analysis.cases[verdict.fastest[0]].time_ns->value),
                         at_limit_text(analysis));
    case Outcome::Winner:
      return fmt::format("Fastest: {}, {}.", spoken(verdict.winner),
                         advantage_text(group, analysis));
    case Outcome::Tie:
      return fmt::format("Fastest: {}, no difference larger than {}{}.",
                         spoken_cases(group, verdict.fastest), format_percent(verdict.widest),
                         lead_text(verdict));
    case Outcome::Inconclusive:
      return inconclusive_text(group, verdict);
    case Outcome::TooFast:
      return "No winner: what is faster than its limit is not ranked, and too little is left.";
  }
  return "";
}

std::string lead_text(const Verdict& verdict) {
  constexpr double least = 1.01;
  if (!verdict.covered || verdict.lead.value_or(0) < least) return "";
  const double unit = std::pow(10, std::floor(std::log10(*verdict.lead)) - 2);
  return fmt::format(
      "; {} at least {} the baseline", verdict.fastest.size() == 2 ? "both are" : "all of them are",
      factor(std::floor(*verdict.lead / unit) * unit));  // rounded down, for "at least"
}

std::string advantage_text(const GroupResult& group, const GroupAnalysis& analysis) {
  const auto& advantage = analysis.verdict.advantage;
  if (!advantage) return "";
  return fmt::format("{} {}{}", times_text({advantage->factor, advantage->low, advantage->high}),
                     advantage->of_baseline
                         ? "the baseline"
                         : "the next, " + spoken(group.cases[advantage->over].variant),
                     at_limit_text(analysis));
}

std::vector<std::string> reasons(const GroupResult& group, const GroupAnalysis& analysis) {
  const Verdict& verdict = analysis.verdict;
  std::vector<std::string> list;
  if (verdict.outcome != Outcome::Unfair) list.push_back(allowed_differences_text(group));
  list.push_back(bound_text(group, verdict));
  if (verdict.slow) list.push_back(slow_text(group, *verdict.slow));
  if (verdict.pinning) list.push_back(pinning_text(*verdict.pinning));
  if (verdict.preparing) list.push_back(preparing_text(group, *verdict.preparing));
  for (std::size_t i = 0; i < group.cases.size(); ++i)
    if (const CaseAnalysis& one = analysis.cases[i]; one.above_limit)
      list.push_back(
          fmt::format("Error: {} is faster than its limit ({}, at least {}): limit or case is "
                      "measured wrongly. It is not ranked.",
                      spoken(group.cases[i].variant), format_percent(one.of_limit->value),
                      format_percent(one.of_limit->low)));
  if (!verdict.host_left_out.empty())
    list.push_back(
        fmt::format("Device time leaves out the host stages of {}: \"clock\": \"wall\" counts all.",
                    spoken_cases(group, verdict.host_left_out)));
  if (!verdict.on_wall_clock.empty())
    list.push_back(fmt::format("The times of {} are wall times: no device was used.",
                               spoken_cases(group, verdict.on_wall_clock)));
  if (verdict.link) list.push_back(carried_text(*verdict.link));
  std::ranges::copy(own_code_texts(group, analysis), std::back_inserter(list));
  std::erase(list, "");
  return list;
}

std::vector<std::string> verdict_text(const GroupResult& group, const GroupAnalysis& analysis,
                                      const Results& results) {
  std::vector<std::string> text{headline(group, analysis, results)};
  for (const auto& lines : {reasons(group, analysis),
                            claim_lines(group, analysis.verdict, precision_of(group, results))})
    text.insert(text.end(), lines.begin(), lines.end());
  return text;
}

std::string claimed_text(const Claim& claim) {
  if (claim.across) return std::string(name_of(claim.across->trend));
  if (claim.within) return "within " + format_percent(*claim.within);
  if (!claim.ratio) return "";
  const auto& [low, high] = *claim.ratio;
  return low == high ? factor(low) : fmt::format("{}-{}x", ratio_number(low), ratio_number(high));
}

std::string times_text(const Interval& ratio) {
  return fmt::format("{} ({}-{})", factor(ratio.value), ratio_number(ratio.low),
                     ratio_number(ratio.high));
}

std::string judgement_detail(const GroupResult& group, const Claim& claim,
                             const Judgement& judgement, double precision) {
  if (!judgement.pair) return missing_text(group, claim);
  const Pair& pair = *judgement.pair;
  const double ratio = pair.ratio.value;
  if (judgement.size && pair.covered)
    return fmt::format("claimed {}, here {}", claimed_text(claim), times_text(*judgement.size));
  if (pair.different)
    return fmt::format("{} is {} {} than {}", spoken(claim.left),
                       factor(ratio < 1 ? 1 / ratio : ratio), ratio < 1 ? "faster" : "slower",
                       spoken(claim.right));
  if (is_tie(pair, precision))
    return "no difference larger than " + format_percent(widest_difference(pair));
  if (!pair.covered) return "too few rounds";
  return hidden_text(visible_difference(pair, precision));
}

std::string quality_text(const GroupAnalysis& analysis) {
  const Quality& quality = analysis.quality;
  if (quality.rounds == 0) return "";
  const std::string within = fmt::format("{} ±{}", quality.of_ratios ? "ratios" : "times",
                                         format_percent(quality.half_width));
  if (analysis.busy)
    return fmt::format(
        "machine busy: {} of {} rounds held up",
        quality.flagged.contains(Flag::HeldUp) ? quality.flagged.at(Flag::HeldUp) : 0,
        quality.rounds);
  if (quality.quick) return "quick run: intervals are wide (" + within + ")";
  if (!quality.noisy) return "machine quiet: " + within;
  std::string text = "machine noisy: " + within;
  if (quality.disturbed > 0)
    text += fmt::format(", {} of {} rounds disturbed ({})", quality.disturbed, quality.rounds,
                        flags_text(quality.flagged));
  if (quality.drift > 0) text += ", drift " + format_percent(quality.drift);
  if (quality.disturbed == 0 && quality.drift == 0)
    text += ", rounds spread by " + format_percent(quality.spread);
  return text;
}

}  // namespace normbench
