#include <algorithm>
#include <cmath>

#include "analysis/sweep/fit.h"
#include "analysis/sweep/trends.h"
#include "report/cause_text.h"
#include "report/derived_members.h"
#include "report/member_writer.h"
#include "report/report.h"
#include "report/verdict_text.h"
#include "report/words.h"

namespace normbench {
namespace members {
namespace {

void write(MemberWriter<kInterval> to, const Interval& ratio) {
  to("value", ratio.value);
  to("low", ratio.low);
  to("high", ratio.high);
}

void write_bound(MemberWriter<kPipelineBound> to, const PipelineBound& bound) {
  to("by", bound_name(bound));
  to("ns", bound.ns);
  write(to.object<kInterval>("of_bound"), bound.of_bound);
  if (bound.faster) to("faster_lane_gains", *bound.faster);
  if (bound.more) {
    auto more = to.object<kMoreServers>("more_servers");
    more("servers", bound.more->servers);
    more("in_flight", bound.more->in_flight);
    write(more.object<kInterval>("gain"), bound.more->gain);
    write(more.object<kInterval>("at_most"), bound.more->at_most);
  }
  if (bound.held) to("held_ns", bound.held_ns);
}

void add_pipeline(Json& json, const PipelineAnalysis& analysis) {
  MemberWriter<kPipeline> to(json);
  to("latency_p50_ns", analysis.p50_ns);
  to("latency_p99_ns", analysis.p99_ns);
  for (std::size_t i = 0; i < analysis.lanes.size(); ++i) {
    MemberWriter<kLane> lane(json["lanes"][i]);
    lane("alone_ns", analysis.lanes[i].alone_ns);
    lane("busy", analysis.lanes[i].busy);
  }
  if (analysis.headroom) write(to.object<kInterval>("headroom"), *analysis.headroom);
  if (analysis.bound) write_bound(to.object<kPipelineBound>("bound"), *analysis.bound);
}

void write_ratio(MemberWriter<kRatio> to, const CaseAnalysis& analysis,
                 const std::string& baseline) {
  to("to", baseline);
  to("value", analysis.ratio->value);
  to("low", analysis.ratio->low);
  to("high", analysis.ratio->high);
  to("of_medians", *analysis.of_medians);
  if (!analysis.states) return;
  auto states = to.list<kRatioState>("states");
  for (const auto& [log_ratio, rounds] :
       {std::pair(analysis.states->low, analysis.states->low_count),
        std::pair(analysis.states->high, analysis.states->high_count)}) {
    auto state = states.add();
    state("value", std::exp(log_ratio));
    state("rounds", rounds);
  }
}

void add_derived(Json& json, const CaseResult& result, const CaseAnalysis& analysis,
                 const std::string& baseline) {
  if (!analysis.time_ns) return;
  MemberWriter<kCase> to(json);
  auto summary = to.object<kSummary>("summary");
  summary("rounds", result.rounds.size());
  summary("median_ns", analysis.time_ns->value);
  summary("low_ns", analysis.time_ns->low);
  summary("high_ns", analysis.time_ns->high);
  if (analysis.ratio) write_ratio(to.object<kRatio>("ratio"), analysis, baseline);
  if (analysis.of_limit) {
    auto of_limit = to.object<kOfLimit>("of_limit");
    of_limit("limit", analysis.limit);
    of_limit("value", analysis.of_limit->value);
    of_limit("low", analysis.of_limit->low);
    of_limit("high", analysis.of_limit->high);
  }
  if (analysis.pipeline) add_pipeline(json["pipeline"], *analysis.pipeline);
  auto counters = to.object<kCaseCounters>("counters");
  counters("minor_faults", *analysis.faults);
  if (analysis.switches) counters("context_switches", *analysis.switches);
}

void add_limits(Json& json, const CaseAnalysis& analysis) {
  for (std::size_t s = 0; s < analysis.stages.size(); ++s) {
    const StageAnalysis& stage = analysis.stages[s];
    if (stage.limit.empty()) continue;
    MemberWriter<kStage> to(json["stages"][s]);
    to("limit", stage.limit);
    to("floor_ns", stage.floor_ns);
    if (stage.of_limit) write(to.object<kInterval>("of_limit"), *stage.of_limit);
  }
  MemberWriter<kCase> to(json);
  if (analysis.floor_ns) to("floor_ns", *analysis.floor_ns);
  if (!analysis.binding.empty()) to("binding", analysis.binding);
  if (analysis.bytes_moved) to("bytes_moved", *analysis.bytes_moved);
}

void add_per_image(Json& json, const CaseResult& result, const GroupResult& group) {
  const auto counters = [&] { return MemberWriter<kCase>(json).object<kCaseCounters>("counters"); };
  if (const auto seconds = cpu_seconds_per_image(result)) counters()("cpu_s_per_image", *seconds);
  const CaseProfile* const profile = find_profile(group, result.variant);
  const auto joules = profile ? counted_per_image(result, *profile).joules : std::nullopt;
  if (joules) counters()("joules_per_image", *joules);
}

void add_noise(Json& json, const CaseNoise& noise) {
  if (noise.rounds == 0) return;
  MemberWriter<kCase> to(json);
  auto out = to.object<kNoise>("noise");
  out("steal_share", noise.steal_share);
  out("throttled_share", noise.throttled_share);
  out("frequency_khz", noise.frequency_khz);
  out("frequency_spread", noise.frequency_spread);
  out("disturbed", noise.disturbed.size());
  out("autocorrelation", noise.autocorrelation);
  out("drifts", noise.drifts);
  out("sensitive", noise.sensitive);
  if (noise.drift) write(out.object<kInterval>("drift"), *noise.drift);
  if (noise.undisturbed) write(out.object<kInterval>("undisturbed_ratio"), *noise.undisturbed);
  Named<std::vector<int>> flags;
  for (const auto& [flag, rounds] : noise.flagged) flags.emplace_back(name_of(flag), rounds);
  to("flags", flags);
}

/// Adds to the group how long each throttle reason held the GPU's clocks back. Adds nothing if none
/// did.
void add_held_back(MemberWriter<kGroup> to, const DeviceStates& states) {
  if (states.held_back_ns.empty()) return;
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  Named<double> reasons;
  for (const auto& [reason, ns] : states.held_back_ns) reasons.emplace_back(reason, seconds(ns));
  auto held = to.object<kHeldBack>("gpu_held_back");
  held("seconds", reasons);
  held("of_seconds", seconds(states.rounds_ns));
}

/// Adds how far the GPU's clock varied while the group was measured and, if they were read, how far
/// its temperature varied and its throttle reasons.
void add_device_states(MemberWriter<kGroup> to, const DeviceStates& states) {
  if (states.read == 0 && !states.over_turns) return;
  const auto words = [](std::int64_t bits) {
    return throttle_words(static_cast<std::uint64_t>(bits));
  };
  auto out = to.object<kGpuStates>("gpu_states");
  out("turns", states.turns);
  out("read", states.read);
  out("sm_clock_of", states.over_turns ? ClockOf::Turns : ClockOf::Ends);
  auto clocks = out.object<kClockRange>("sm_clock_mhz");
  clocks("low", states.low_mhz);
  clocks("median", states.middle_mhz);
  clocks("high", states.high_mhz);
  out("changed", states.changed());
  if (states.read == 0) return;
  auto degrees = out.object<kTemperatureRange>("temperature_c");
  degrees("low", states.low_c);
  degrees("high", states.high_c);
  auto reasons = out.object<kThrottle>("throttle_reasons");
  reasons("always", words(states.always_bits));
  reasons("sometimes", words(states.sometimes_bits));
}

/// Adds how many levels ("states") the speed of the host's memory had while the group was measured:
/// 1, 2, or null if there were too few rounds to tell. Adds nothing if no memory streams (loops
/// that move the same bytes in different ways) were compared.
void add_host_states(MemberWriter<kGroup> to, const HostStates& states) {
  if (states.rounds == 0) return;
  auto out = to.object<kHostStates>("host_states");
  const std::optional<int> told = states.change       ? std::optional(2)
                                  : states.are_enough ? std::optional(1)
                                                      : std::nullopt;
  out("states", told);
  out("rounds", states.rounds);
  if (!states.change) return;
  auto change = out.object<kHostChange>("change");
  change("limit", states.change->limit);
  change("other", states.change->other);
  change("rounds", states.change->rounds);
  change("before", states.change->before);
  change("after", states.change->after);
  if (states.change->round) change("round", *states.change->round);
}

/// If `busy` is set, adds the cases in which other programs held up too many rounds.
void add_busy(MemberWriter<kGroup> to, const GroupResult& group, const std::optional<Busy>& busy) {
  if (!busy) return;
  auto out = to.object<kBusy>("busy");
  std::vector<std::string> cases;
  for (const int i : busy->cases) cases.push_back(group.cases[i].variant);
  out("cases", cases);
  std::vector<std::string> crowded;
  for (const int i : busy->crowded) crowded.push_back(group.cases[i].variant);
  if (!crowded.empty()) out("more_threads_than_cpus", crowded);
  out("share", busy->share);
  auto ratios = out.map<kInterval>("cpu_ratio");
  for (const Busy::CpuRatio& one : busy->by_cpu)
    write(ratios.at(group.cases[one.index].variant), one.ratio);
}

void write_judgement(MemberWriter<kClaimVerdict> to, const GroupResult& group, std::size_t index,
                     const Judgement& judgement, double precision) {
  const Claim& claim = group.claims[index];
  to("text", claim.text);
  to("verdict", judgement.outcome);
  to("detail", judgement_detail(group, claim, judgement, precision));
  if (judgement.size) write(to.object<kInterval>("ratio"), *judgement.size);
  if (judgement.pair) to("visible", visible_difference(*judgement.pair, precision));
  if (judgement.caveat) to("caveat", caveat_text(judgement.caveat));
}

void write_verdict(MemberWriter<kVerdict> to, const GroupResult& group,
                   const GroupAnalysis& analysis, const Results& results) {
  const Verdict& verdict = analysis.verdict;
  to("winner", verdict.winner);
  to("bound", cause_text(verdict.bound).name);
  to("cause", verdict.slow ? cause_text(verdict.slow->cause).name : std::string());
  to("text", verdict_text(group, analysis, results));
  auto claims = to.list<kClaimVerdict>("claims");
  for (std::size_t i = 0; i < verdict.claims.size(); ++i)
    write_judgement(claims.add(), group, i, verdict.claims[i], precision_of(group, results));
  if (verdict.outcome == Outcome::Tie || verdict.outcome == Outcome::Inconclusive)
    to("visible", verdict.visible);
}

template <const Members& kMembers>
void write_line(MemberWriter<kMembers> to, const AxisLine& line) {
  to("axis", line.axis);
  to.axes("at", line.fixed);
}

void write_crossing(MemberWriter<kCrossing> to, const AxisLine& line, const Crossing& crossing) {
  write_line(to, line);
  to("a", crossing.a);
  to("b", crossing.b);
  to("points", crossing.points);
  to("decided", crossing.decided);
  to("leader", crossing.leader);
  auto changes = to.list<kOvertaking>("changes");
  for (const Overtaking& one : crossing.changes) {
    auto change = changes.add();
    change("from", one.from);
    change("to", one.to);
    change("after", one.after);
    change("by", one.by);
  }
}

void write_fit(MemberWriter<kFit> to, const AxisLine& line, const AxisFit& fit) {
  write_line(to, line);
  to("variant", fit.variant);
  to("points", fit.points);
  to("explains", fit.explains);
  to("worst_residual", fit.fitted.worst);
  if (!fit.explains) return;
  to("fixed_ns", fit.fitted.fixed_ns);
  to("gb_per_s", fit.fitted.gb_per_s());
  to("half_bytes", fit.fitted.half_bytes());
  to("amount_at_90_percent", fit.amount90);
}

void write_unscaled(MemberWriter<kUnscaled> to, const AxisLine& line, const Unscaled& result) {
  write_line(to, line);
  to("variant", result.variant);
  to("small", result.small);
  to("large", result.large);
  to("work", result.work);
  to("fixed_ns", result.fixed_ns);
}

void write_trend(MemberWriter<kTrend> to, const TrendJudgement& judgement) {
  to("text", judgement.claim.text);
  to("verdict", judgement.outcome);
  to("axis", judgement.claim.across->axis);
  to.axes("at", judgement.fixed);
  if (judgement.from.is_null()) return;
  to("from", judgement.from);
  write(to.object<kInterval>("first"), judgement.first);
  to("to", judgement.to);
  write(to.object<kInterval>("last"), judgement.last);
}

/// Writes the summary of an experiment over its points. Each object in "crossovers", "fits" and
/// "unscaled" is about a variant along a numeric axis. If the experiment has only one point, these
/// lists are empty.
void write_experiment(MemberWriter<kExperiment> to, const Experiment& experiment,
                      const Results& results) {
  const std::vector<AxisLine> lines = axis_lines(experiment);
  to("experiment", experiment.groups[0]->experiment);
  auto crossovers = to.list<kCrossing>("crossovers");
  for (const AxisLine& line : lines)
    for (const Crossing& crossing : crossings(experiment, line))
      write_crossing(crossovers.add(), line, crossing);
  auto fitted = to.list<kFit>("fits");
  for (const AxisLine& line : lines)
    for (const AxisFit& fit : fits(experiment, line)) write_fit(fitted.add(), line, fit);
  auto flat = to.list<kUnscaled>("unscaled");
  for (const AxisLine& line : lines)
    for (const Unscaled& result : unscaled(experiment, line))
      write_unscaled(flat.add(), line, result);
  auto claims = to.list<kTrend>("claims");
  for (const TrendJudgement& judgement : judge_trends(experiment, results))
    write_trend(claims.add(), judgement);
}

/// Adds the pairs of cases that shown_pairs() returns, and the number of all other pairs.
void add_pairs(MemberWriter<kGroup> to, const GroupResult& group, const GroupAnalysis& analysis) {
  const std::vector<Pair> shown = shown_pairs(group, analysis);
  auto pairs = to.list<kPair>("pairs");
  for (const Pair& one : shown) {
    auto pair = pairs.add();
    pair("a", group.cases[one.a].variant);
    pair("b", group.cases[one.b].variant);
    write(pair.object<kInterval>("ratio"), one.ratio);
    pair("different", one.different);
  }
  if (const auto left_out = pairs_left_out(shown, analysis); left_out > 0)
    to("pairs_left_out", left_out);
}

/// Adds the headspaces, if there are any. A headspace tells which share of a loop's time loading
/// costs. It compares the loop (`loader`) with the same loop over batches that take no time
/// (`cached`).
void add_headspaces(MemberWriter<kGroup> to, const GroupResult& group,
                    const GroupAnalysis& analysis) {
  if (std::ranges::none_of(analysis.headspaces, &Headspace::covered)) return;
  auto all = to.list<kHeadspace>("headspaces");
  for (const Headspace& one : analysis.headspaces) {
    if (!one.covered) continue;
    auto headspace = all.add();
    headspace("variant", group.cases[one.loader].variant);
    headspace("cached", group.cases[one.cached].variant);
    write(headspace.object<kInterval>("share"), one.share);
  }
}

Json group_json(const GroupResult& group, const GroupAnalysis& analysis, const Results& results) {
  Json json = to_json(group);
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    add_derived(json["cases"][i], group.cases[i], analysis.cases[i], group.baseline);
    add_limits(json["cases"][i], analysis.cases[i]);
    add_per_image(json["cases"][i], group.cases[i], group);
    add_noise(json["cases"][i], analysis.noise[i]);
  }
  MemberWriter<kGroup> to(json);
  add_pairs(to, group, analysis);
  add_device_states(to, analysis.device);
  add_held_back(to, analysis.device);
  add_host_states(to, analysis.host);
  add_busy(to, group, analysis.busy);
  add_headspaces(to, group, analysis);
  to("quality", quality_text(analysis));
  to("autocorrelation", analysis.autocorrelation);
  write_verdict(to.object<kVerdict>("verdict"), group, analysis, results);
  return json;
}

/// Returns the JSON of the document with an empty list of groups.
Json without_groups(const Analysed& analysed) {
  Json head = head_json(analysed.results());
  auto all = MemberWriter<kResults>(head).list<kExperiment>("experiments");
  for (const Experiment& experiment : analysed.experiments())
    write_experiment(all.add(), experiment, analysed.results());
  return head;
}

/// The groups of a document. json() makes the JSON of one group.
class Groups {
 public:
  explicit Groups(const Analysed& analysed) : results_(analysed.results()) {
    for (const Experiment& experiment : analysed.experiments())
      for (std::size_t g = 0; g < experiment.groups.size(); ++g)
        groups_.emplace_back(experiment.groups[g], &experiment.analyses[g]);
  }

  std::size_t size() const { return groups_.size(); }
  Json json(std::size_t index) const {
    return group_json(*groups_[index].first, *groups_[index].second, results_);
  }

 private:
  const Results& results_;
  std::vector<std::pair<const GroupResult*, const GroupAnalysis*>> groups_;
};

}  // namespace
}  // namespace members

Json document(const Analysed& analysed) {
  Json document = members::without_groups(analysed);
  const members::Groups groups(analysed);
  for (std::size_t i = 0; i < groups.size(); ++i) document["groups"].push_back(groups.json(i));
  return document;
}

std::string document_json(const Analysed& analysed) {
  const members::Groups groups(analysed);
  const LateList list{.key = "groups", .count = groups.size(), .element = [&](std::size_t index) {
                        return groups.json(index);
                      }};
  return pretty(members::without_groups(analysed), 1, list) + "\n";
}

}  // namespace normbench
