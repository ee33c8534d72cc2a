#include "analysis/why/causes.h"

#include <algorithm>

namespace normbench {
namespace {

// A resource is dominant if its stages take at least this share of the time. Extra passes over
// memory are a main cause if they take at least this share.
constexpr double kDominant = 0.5;
// A stage is a cause of its own if it takes at least this share of the time.
constexpr double kOneStage = 0.6;
// An image takes most of a batch if it takes at least this share of the batch's time.
constexpr double kWholeBatch = 0.8;
// Page faults or constants are a cause if they take at least this share of the time.
constexpr double kLeastShare = 0.2;
constexpr double kThreadShare = 0.2;  // another number of threads is a cause if it saves this share
// Passes over memory are a cause if they move at least this multiple of the fewest bytes.
constexpr double kExtraPasses = 1.5;

/// Finds page faults on fresh outputs as the cause.
Cause page_fault_cause(const Subject& subject) {
  const auto cost = fault_cost(subject.group, subject.index, subject.results);
  if (!cost || cost->share.value < kLeastShare) return {};
  return {*cost, cost->share.value, cost->twin.has_value()};
}

double part(std::int64_t own_ns, std::int64_t all_ns) {
  return all_ns > 0 ? static_cast<double>(own_ns) / static_cast<double>(all_ns) : 0;
}

/// Returns the share of the profiled time in which constants were prepared, on the host or on the
/// device, whichever is larger. Rows with `constants` are ranges that mark this preparation. The
/// host time of a range includes the calls inside it. Its device time lasts from the first to the
/// last work that the range submitted.
double profiled_constants(const Subject& subject) {
  const CaseProfile* const profile = find_profile(subject.group, subject.result().variant);
  if (profile == nullptr) return 0;
  std::int64_t total_ns = 0, host_ns = 0, device_ns = 0;
  for (const ProfileRow& row : profile->rows) {
    total_ns += row.self_cpu_ns;
    if (!row.constants) continue;
    host_ns += row.cpu_ns;
    if (row.place != Place::Cpu) device_ns += row.device_ns;
  }
  return std::max(part(host_ns, total_ns), part(device_ns, profile->times.wall_ns));
}

/// Returns the longest profiled image if it took most of the time of the longest batch. Then the
/// other threads had little to do.
std::optional<why::LongImage> long_image(const Subject& subject) {
  const CaseResult& result = subject.result();
  const CaseProfile* const profile = find_profile(subject.group, result.variant);
  if (profile == nullptr || result.threads == 1 || result.images == 1) return std::nullopt;
  const auto image = std::ranges::find_if(profile->rows, &ProfileRow::image);
  const auto batch =
      std::ranges::find(profile->rows, result.stages.front().label, &ProfileRow::name);
  if (image == profile->rows.end() || batch == profile->rows.end()) return std::nullopt;
  const auto image_ns = static_cast<double>(image->max_ns);
  const auto batch_ns = static_cast<double>(batch->max_ns);
  if (image_ns < kWholeBatch * batch_ns) return std::nullopt;
  return why::LongImage{image->longest, image_ns, batch_ns};
}

Cause load_cause(const Subject& subject) {
  for (const ResourceShare& part : parts(subject.result())) {
    if (part.share < kDominant) continue;
    if (part.resource == Resource::Decode) return {why::Decoding{long_image(subject)}, part.share};
    if (part.resource == Resource::Reading) return {why::Reading{}, part.share};
  }
  return {};
}

/// Finds a limit of memory or of launches that the case has reached. link_cause() covers the link.
Cause limit_cause(const Subject& subject) {
  const auto& of_limit = subject.analysis.of_limit;
  if (!of_limit || of_limit->value < at_limit) return {};
  const auto kind = limit_kind(subject.group, subject.analysis.limit);
  const CaseResult& result = subject.result();
  if (kind == LimitKind::Memory)
    return bytes_decide(subject) ? Cause{why::MemoryLimit{result.source_bytes + result.result_bytes,
                                                          only_bytes_are_slow(subject)},
                                         of_limit->value}
                                 : Cause{};
  if (kind != LimitKind::Launch || !busy_ns(subject)) return {};
  return {why::LaunchLimit{}, of_limit->value};
}

/// Finds passes over memory that fewer stages would avoid. The share is 0 (not known) without a
/// memory limit, or if it would exceed 1 because caches served some passes.
Cause extra_passes_cause(const Subject& subject) {
  const CaseResult& result = subject.result();
  // A case that uses the link has its source and its result in different memories, so its bytes are
  // not passes over one memory. The bytes that a peer moves are not known.
  if (link_bytes(result) > 0 || !result.peer.empty()) return {};
  const auto fewest = static_cast<double>(result.source_bytes + result.result_bytes);
  const auto moved = static_cast<double>(moved_bytes(result));
  if (fewest <= 0 || moved < kExtraPasses * fewest || !bytes_decide(subject)) return {};
  const auto& of_limit = subject.analysis.of_limit;
  const bool rated =
      of_limit && limit_kind(subject.group, subject.analysis.limit) == LimitKind::Memory;
  const double share = rated ? of_limit->value * moved / fewest : 0;
  return {why::ExtraPasses{moved, fewest}, share < 1 ? share : 0};
}

/// Finds that the limits of the stages add up to nearly all of the case's time.
Cause floors_cause(const Subject& subject) {
  const auto& floor_ns = subject.analysis.floor_ns;
  const double share = floor_ns ? *floor_ns / subject.time_ns() : 0;
  const auto kind = limit_kind(subject.group, subject.analysis.binding);
  if (share < at_limit || !kind) return {};
  if (kind == LimitKind::Memory && !bytes_decide(subject)) return {};
  if (kind == LimitKind::Launch && !busy_ns(subject)) return {};
  return {why::Floors{*kind, subject.analysis.binding}, share};
}

Cause dominant_part(const Subject& subject) {
  const std::vector<ResourceShare> list = parts(subject.result());
  if (list.empty() || list[0].share < kDominant) return {};
  const auto gain = gain_beside(subject.result(), list[0].resource);
  return gain ? Cause{*gain, list[0].share} : Cause{};
}

Cause dominant_stage(const Subject& subject) {
  const CaseResult& result = subject.result();
  if (result.stages.size() < 2) return {};
  for (const StageResult& stage : result.stages)
    if (const double share = stage_share(result, stage); share >= kOneStage)
      return {why::OneStage{stage.label}, share};
  return {};
}

Cause main_passes(const Subject& subject) {
  const Cause cause = extra_passes_cause(subject);
  return cause.share >= kDominant ? cause : Cause{};
}

/// Returns the cause with the largest share of the time. If that is the memory limit or extra
/// passes, and another number of threads is also a cause, returns the number of threads.
Cause largest_cause(const Subject& subject) {
  const Cause threads = threads_cause(subject, kThreadShare);
  Cause largest = threads;
  for (const auto cause : {page_fault_cause, constants_cause, load_cause, link_cause, sync_cause,
                           launch_cause, team_start_cause, limit_cause, main_passes})
    if (const Cause other = cause(subject); other && (!largest || other.share > largest.share))
      largest = other;
  // The memory limit was measured with as many threads as the case has. If any other number of
  // threads is faster, that number is the cause.
  if (std::holds_alternative<why::MemoryLimit>(largest.found))
    if (const Cause faster = threads_cause(subject, 0)) return faster;
  const bool passes = std::holds_alternative<why::ExtraPasses>(largest.found);
  return passes && threads ? threads : largest;
}

/// Returns the time per iteration in ns of the stages with these labels. A stage without times
/// counts as 0.
double stages_ns(const CaseResult& result, const std::vector<std::string>& labels) {
  double sum = 0;
  for (const StageResult& stage : result.stages)
    if (std::ranges::find(labels, stage.label) != labels.end())
      sum += per_iteration_ns(result, stage.rounds_ns);
  return sum;
}

/// Returns the labels of the stages that use a resource.
std::vector<std::string> stages_of(const CaseResult& result, Resource resource) {
  const std::vector<ResourceShare> list = parts(result);
  const auto part = std::ranges::find(list, resource, &ResourceShare::resource);
  return part == list.end() ? std::vector<std::string>() : part->stages;
}

bool has_label(const CaseResult& result, const std::string& label) {
  return std::ranges::find(result.stages, label, &StageResult::label) != result.stages.end();
}

/// Returns the labels of the stages of `result` that have this op and a label that no stage of
/// `other` has. Each label is returned once.
std::vector<std::string> unmatched(const CaseResult& result, const CaseResult& other,
                                   const std::string& op) {
  std::vector<std::string> labels;
  for (const StageResult& stage : result.stages)
    if (stage.op == op && !has_label(other, stage.label) &&
        std::ranges::find(labels, stage.label) == labels.end())
      labels.push_back(stage.label);
  return labels;
}

/// Compares the time of a stage of `result` with the stages of `other` that have the same label.
/// If `other` has no such stage, for example because it runs the op with another kernel, compares
/// the total times of two sets of stages with this op: the stages whose labels only `result` has,
/// and the stages whose labels only `other` has.
why::StageApart apart(const StageResult& stage, const CaseResult& result, const CaseResult& other) {
  if (has_label(other, stage.label)) {
    const std::vector<std::string> label{stage.label};
    return {.labels = label,
            .own_ns = stages_ns(result, label),
            .its_ns = stages_ns(other, label),
            .is_in_both = true};
  }
  const std::vector<std::string> own = unmatched(result, other, stage.op),
                                 its = unmatched(other, result, stage.op);
  return {.labels = own,
          .own_ns = stages_ns(result, own),
          .its_ns = stages_ns(other, its),
          .is_in_both = !its.empty()};
}

/// Returns the labels of the stages of `result` for which apart() finds no stage in `other`. Each
/// label is returned once.
std::vector<std::string> only_in(const CaseResult& result, const CaseResult& other) {
  std::vector<std::string> labels;
  for (const StageResult& stage : result.stages)
    if (!apart(stage, result, other).is_in_both &&
        std::ranges::find(labels, stage.label) == labels.end())
      labels.push_back(stage.label);
  return labels;
}

/// Returns the part of `result` that is slower than its counterpart in `other` by the longest time.
/// A part is either a stage that both cases have (apart), or all stages that only `result` has. The
/// counterpart of the latter is all stages that only `other` has. Returns no labels if no part is
/// slower, or if the stages of `other` have no times.
why::StageApart most_apart(const CaseResult& result, const CaseResult& other) {
  why::StageApart most;
  if (std::ranges::all_of(other.stages,
                          [](const StageResult& stage) { return stage.rounds_ns.empty(); }))
    return most;
  const auto compare = [&](const why::StageApart& one) {
    if (one.own_ns - one.its_ns > most.own_ns - most.its_ns) most = one;
  };
  for (const StageResult& stage : result.stages)
    if (const why::StageApart one = apart(stage, result, other); one.is_in_both) compare(one);
  const std::vector<std::string> own = only_in(result, other), its = only_in(other, result);
  if (!own.empty())
    compare({.labels = own,
             .own_ns = stages_ns(result, own),
             .its_ns = stages_ns(other, its),
             .instead = its});
  return most;
}

/// A visitor of Cause::found. Returns how much longer `own` takes than `other`, in ns, in the
/// stages that the cause is about. Returns nothing for a cause that names neither a stage nor a
/// resource.
struct LongerBy {
  const CaseResult &own, &other;

  std::optional<double> of(Resource resource) const {
    return stages_ns(own, stages_of(own, resource)) - stages_ns(other, stages_of(other, resource));
  }
  std::optional<double> operator()(const why::Decoding&) const { return of(Resource::Decode); }
  std::optional<double> operator()(const why::Reading&) const { return of(Resource::Reading); }
  std::optional<double> operator()(const why::LinkTime&) const { return of(Resource::Link); }
  std::optional<double> operator()(const Gain& gain) const {
    // The time of page-locking is in `calls_ns`, which stages_ns() does not read.
    return gain.part.resource == Resource::Pinning ? std::nullopt : of(gain.part.resource);
  }
  std::optional<double> operator()(const why::OneStage& found) const {
    const why::StageApart one =
        apart(*std::ranges::find(own.stages, found.label, &StageResult::label), own, other);
    return one.own_ns - one.its_ns;
  }
  std::optional<double> operator()(const auto&) const { return std::nullopt; }
};

struct LimitOf {
  std::optional<LimitKind> operator()(const FaultCost&) { return LimitKind::PageFaults; }
  std::optional<LimitKind> operator()(const why::Submitting&) { return LimitKind::Launch; }
  std::optional<LimitKind> operator()(const why::PricedLaunches&) { return LimitKind::Launch; }
  std::optional<LimitKind> operator()(const why::LaunchLimit&) { return LimitKind::Launch; }
  std::optional<LimitKind> operator()(const why::LinkLimit&) { return LimitKind::Link; }
  std::optional<LimitKind> operator()(const why::LinkTime&) { return LimitKind::Link; }
  std::optional<LimitKind> operator()(const why::MemoryLimit&) { return LimitKind::Memory; }
  std::optional<LimitKind> operator()(const why::Floors& floors) { return floors.kind; }
  std::optional<LimitKind> operator()(const Gain& gain) {
    if (gain.part.resource == Resource::Link) return LimitKind::Link;
    return std::nullopt;
  }
  std::optional<LimitKind> operator()(const auto&) { return std::nullopt; }
};

}  // namespace

Twin compared(const GroupResult& group, const CaseResult& own, const CaseResult& other,
              const Results& results) {
  const auto own_ns = times_ns(own, results), its_ns = times_ns(other, results);
  // As in Pairs, the probability of a false alarm in any pair of the group is at most 5 %.
  const auto k = static_cast<double>(std::ranges::count_if(group.cases, measured));
  const double level = 1 - 0.05 / std::max(1.0, k * (k - 1) / 2);
  const Interval ratio = paired_ratio(its_ns, own_ns, level);
  return {.result = &other,
          .time_ns = median_ns(other, results),
          .faster = enough_rounds(log_ratios(its_ns, own_ns), level) &&
                    ratio.high < 1 - precision_of(group, results),
          .saved = {.value = 1 - ratio.value, .low = 1 - ratio.high, .high = 1 - ratio.low}};
}

Cause explain(const GroupResult& group, const CaseAnalysis& analysis, int index,
              const MeasuredDocument& document) {
  if (analysis.pipeline && analysis.pipeline->bound)
    return {why::InFlight{*analysis.pipeline}, analysis.pipeline->bound->of_bound.value};
  const Subject subject{group, analysis, index, document};
  for (const auto cause : {largest_cause, fixed_part_cause, floors_cause, dominant_part,
                           dominant_stage, extra_passes_cause})
    if (const Cause found = cause(subject)) return found;
  return {};
}

Cause explain_slow(const GroupResult& group, const CaseAnalysis& analysis, int index, int fastest,
                   const MeasuredDocument& document) {
  Cause cause = explain(group, analysis, index, document);
  const CaseResult &own = group.cases[index], &other = group.cases[fastest];
  const auto longer_ns = std::visit(LongerBy{own, other}, cause.found);
  if (!longer_ns) return cause;
  const why::StageApart most = most_apart(own, other);
  if (most.labels.empty() || most.own_ns - most.its_ns <= *longer_ns) return cause;
  return {most, std::min(1.0, most.own_ns / median_ns(own, document.results()))};
}

std::optional<LimitKind> limit_of(const Cause& cause) { return std::visit(LimitOf{}, cause.found); }

Cause constants_cause(const Subject& subject) {
  const auto cached = twin(subject, Factor::Kind::Constants, [](const auto& own, const auto&) {
    return own == FactorValue(Constants::PerCall);
  });
  if (cached && (!cached->faster || cached->saved.value < kLeastShare)) return {};
  // `cached` is a case that differs only in that it prepares its constants once. If the subject has
  // more page faults than `cached`, these faults may be the reason for the difference instead of
  // the constants. For example, a peer's allocator may return memory to the system and then need
  // new memory again.
  if (cached &&
      faults_per_iteration(subject.result()) > 1.1 * faults_per_iteration(*cached->result) + 1)
    return {};
  if (cached) return {why::ConstantsEachCall{cached->time_ns}, cached->saved.value, true};
  const double share = profiled_constants(subject);
  return share < kLeastShare ? Cause{} : Cause{why::ConstantsEachCall{}, share};
}

std::optional<Twin> twin(const Subject& subject, Factor::Kind kind,
                         bool (*wanted)(const FactorValue& own, const FactorValue& its)) {
  std::optional<Twin> best;
  for (const CaseResult& other : subject.group.cases) {
    if (!measured(other)) continue;
    const std::vector<Factor> changed = factors(subject.result(), other);
    const Factor* factor = only_factor(changed, {kind});
    if (factor == nullptr || !wanted(factor->left, factor->right)) continue;
    const Twin found = compared(subject.group, subject.result(), other, subject.results);
    if (!best || found.time_ns < best->time_ns) best = found;
  }
  return best;
}

}  // namespace normbench
