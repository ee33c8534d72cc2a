#include "report/cause_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/units.h"
#include "report/words.h"

namespace normbench {

constexpr auto words(Factor::Kind) {
  using enum Factor::Kind;
  return std::to_array<Word<Factor::Kind>>({{SourceDType, "dtype of the source"},
                                            {SourceLayout, "layout of the source"},
                                            {SourcePixelFormat, "pixel format of the source"},
                                            {SourceShape, "size of the source"},
                                            {SourceMemory, "memory of the source"},
                                            {SourceBytes, "bytes of the source"},
                                            {Ops, "ops"},
                                            {Constants, "constants"},
                                            {Place, "place"},
                                            {Kernel, "kernel"},
                                            {Output, "output"},
                                            {Outputs, "outputs"},
                                            {Memory, "memory"},
                                            {DType, "dtype"},
                                            {Layout, "layout"},
                                            {ResultDType, "dtype of the result"},
                                            {ResultLayout, "layout of the result"},
                                            {Peer, "peer"},
                                            {Threads, "threads"},
                                            {InFlight, "items in flight"},
                                            {Submit, "submit"},
                                            {Servers, "servers"},
                                            {Wait, "wait"},
                                            {Graph, "graph"},
                                            {Parameter, "parameter"},
                                            {Axis, "axis"}});
}

namespace {

// The values of a factor (a difference between two cases) are not shown if one of them is longer
// than this number of bytes.
constexpr std::size_t kReadable = 32;

struct ValueText {
  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const Json& value) const {
    return value.is_null() ? "default" : axis_value(value);
  }
  std::string operator()(const SourceDType& value) const {
    return std::string(name_of(value.dtype)) + (value.cast ? " and its cast" : "");
  }
  std::string operator()(const Shape& s) const {
    return fmt::format("{}x{}x{}x{}", s.n, s.c, s.h, s.w);
  }
  std::string operator()(const std::vector<std::string>& ops) const {
    return fmt::format("{}", fmt::join(ops, ", "));
  }
  std::string operator()(const std::vector<OutputPolicy>& policies) const {
    std::vector<std::string> names;
    for (const OutputPolicy policy : policies) names.emplace_back(name_of(policy));
    std::ranges::sort(names);
    return enumerate(names);
  }
  template <class E>
  std::string operator()(E value) const {
    return std::string(name_of(value));
  }
};

std::string factor_value(const Factor& factor, const FactorValue& value) {
  const std::string text = std::visit(ValueText{}, value);
  return factor.kind == Factor::Kind::Peer && text.empty() ? "normbench" : text;
}

// A lower bound on the time of a pipeline explains this time only if the bound is at least this
// share of it.
constexpr double kExplained = 0.7;

/// Makes the sentences about what bounds a pipeline.
struct PipelineText {
  const PipelineAnalysis& pipeline;
  const PipelineBound& bound;

  std::string name() const {
    if (bound.held) return *bound.held == Held::InFlight ? "items in flight" : "one host thread";
    return bound_name(bound);
  }
  std::string what() const {
    if (bound.held == Held::InFlight) return counted(pipeline.in_flight, "item") + " in flight";
    return name();
  }
  std::string evidence() const {
    std::string text;
    if (bound.held == Held::InFlight)
      text = fmt::format(
          "Alone, its lanes add up to {} ms an item{}, and ", format_ms(bound.held_ns),
          pipeline.in_flight == 1 ? "" : fmt::format(" where {} overlap", pipeline.in_flight));
    if (bound.held == Held::OneThread)
      text = fmt::format("It does the host's work of all lanes, {} ms an item; ",
                         format_ms(bound.held_ns));
    text += bound.kind == BoundKind::Lane ? lane_alone() : shared();
    return text + (leaves_most() ? unexplained() : faster() + more()) + headroom();
  }

 private:
  std::string busy_cores() const {
    if (pipeline.cores == 1) return "the only core is busy";
    return pipeline.cores == 2 ? "both cores are busy"
                               : fmt::format("all {} cores are busy", pipeline.cores);
  }
  std::string cores() const {
    if (pipeline.cores == 1) return "the only core";
    return pipeline.cores == 2 ? "both cores" : fmt::format("all {} cores", pipeline.cores);
  }
  /// Returns true if the bound is below kExplained of the pipeline's time, and no setting of the
  /// config (`held`) explains the difference.
  bool leaves_most() const { return !bound.held && bound.of_bound.value < kExplained; }
  std::string unexplained() const {
    return fmt::format(
        " The lanes do not explain the rest: on average {} of {} {} worked, so it waited, or other "
        "programs had them.",
        format_significant(bound.cores_used, 2), pipeline.cores,
        pipeline.cores == 1 ? "core" : "cores");
  }
  std::string lane_alone() const {
    const auto lane = std::ranges::find(pipeline.lanes, bound.lane, &LaneAnalysis::name);
    const std::string name = lane->servers == 1
                                 ? bound.lane
                                 : fmt::format("{} with {} servers", bound.lane, lane->servers);
    return fmt::format("{} takes {} ms, {} of its time.",
                       bound.held ? name + " alone" : "Alone, " + name, format_ms(bound.ns),
                       format_percent(bound.of_bound.value));
  }
  std::string shared() const {
    return fmt::format(
        "{}he work of all lanes takes {} {} ms, {} of its time: more servers gain "
        "nothing.",
        bound.held ? 't' : 'T', bound.kind == BoundKind::Cores ? cores() : "memory",
        format_ms(bound.ns), format_percent(bound.of_bound.value));
  }
  std::string faster() const {
    const bool is_loader = pipeline.headroom && bound.lane == pipeline.lanes.front().name;
    // The sentence of headroom() already tells the gain of a faster loader.
    if (!bound.faster || bound.held || is_loader) return "";
    return fmt::format(" A faster {} gains at most {}.", bound.lane, factor(*bound.faster));
  }
  std::string more() const {
    constexpr double kNoGain = 1.01;
    if (!bound.more || bound.held || bound.more->gain.value < kNoGain) return "";
    const MoreServers& more = *bound.more;
    const std::string busy = more.next == BoundKind::Cores    ? busy_cores()
                             : more.next == BoundKind::Memory ? "memory is busy"
                                                              : more.lane + " bounds";
    return fmt::format(" With {} servers of it{}{}: up to {} as fast.", more.servers,
                       more.in_flight == pipeline.in_flight
                           ? ""
                           : fmt::format(" and {}", counted(more.in_flight, "item") + " in flight"),
                       more.reaches_next ? " " + busy : "", factor(more.gain.value));
  }
  std::string headroom() const {
    if (!pipeline.headroom) return "";
    if (pipeline.headroom->value <= 1) return " Fed from memory it is no faster.";
    return fmt::format(" With images already in memory it is {} as fast: no loader can gain more.",
                       factor(pipeline.headroom->value));
  }
};

struct CauseWords {
  const Cause& cause;

  std::string share() const { return format_percent(cause.share); }
  std::string at_most_all() const { return format_percent(std::min(1.0, cause.share)); }
  static std::string us(double ns) { return format_significant(ns / 1000, 2); }
  /// Returns a text like "65 % (49-71 %)", or "88 %" if both ends of the interval have the same
  /// text.
  static std::string percent_text(const Interval& part) {
    const std::string low = format_percent(part.low), high = format_percent(part.high);
    if (low == high) return high;
    return fmt::format("{} ({}-{})", format_percent(part.value), low.substr(0, low.find(' ')),
                       high);
  }
  static std::string price(const FaultCost& cost) {
    if (!cost.cost_ns) return "";
    return fmt::format(" at {} us{}", us(*cost.cost_ns), cost.at_most ? " or less" : "");
  }
  static std::string without_faults(const Unfaulting& twin, const Interval& saved) {
    const std::string way = twin.is_peer
                                ? spoken(twin.variant) + ", which only allocates otherwise, takes"
                                : "output reused, the same ops take";
    return fmt::format("{} {} ms, {} less", way, format_ms(twin.time_ns), percent_text(saved));
  }

  CauseText operator()(std::monostate) const { return {}; }
  CauseText operator()(const FaultCost& cost) const {
    return {"page faults", "page faults",
            fmt::format("{} a batch{}{}.", format_count(std::llround(cost.faults)), price(cost),
                        cost.twin ? "; " + without_faults(*cost.twin, cost.share)
                                  : " = at most " + share() + " of its time")};
  }
  CauseText operator()(const why::ConstantsEachCall& found) const {
    return {"constants", "constants",
            fmt::format("Preparing them on every call takes {} of its time{}.", share(),
                        found.cached_ns ? fmt::format("; cached, the same ops take {} ms",
                                                      format_ms(*found.cached_ns))
                                        : " (profiled)")};
  }
  CauseText operator()(const why::Decoding& found) const {
    std::string text = fmt::format("Loading the images takes {} of its time.", share());
    if (found.bounded_by)
      text +=
          fmt::format(" {} alone takes {} of the {} ms of its batch: more threads do not help it.",
                      spoken(found.bounded_by->name), format_ms(found.bounded_by->image_ns),
                      format_ms(found.bounded_by->batch_ns));
    return {"decode", "decode", text};
  }
  CauseText operator()(const why::Reading&) const {
    return {"reading", "reading files",
            fmt::format("Reading the images takes {} of its time.", share())};
  }
  CauseText operator()(const why::Waiting& found) const {
    return {"sync", "waiting",
            fmt::format("The host waits for the GPU after every {}: {} of its time; without, the "
                        "same stages take {} ms.",
                        found.after == Wait::Stage ? "stage" : "batch", share(),
                        format_ms(found.without_ns))};
  }
  CauseText operator()(const why::PricedWaiting& found) const {
    return {
        "sync", "waiting",
        fmt::format("{} a batch for the GPU at {} us, no more than after empty launches, = {} of "
                    "its time.",
                    format_significant(found.waits, 2), us(found.cost_ns), share())};
  }
  CauseText operator()(const why::Submitting& found) const {
    return {"launch", "launches",
            fmt::format("Submitting takes {} of its time, the GPU works for {} of it.", share(),
                        format_percent(found.busy))};
  }
  CauseText operator()(const why::PricedLaunches& found) const {
    return {"launch", "launches",
            fmt::format("{} at {} us, no more than an empty one takes, = {} of its time.",
                        found.count, us(found.cost_ns), share())};
  }
  CauseText operator()(const why::LaunchLimit&) const {
    return {"launch", "launches",
            fmt::format("Empty launches made the same way take {} of its time.", share())};
  }
  CauseText operator()(const why::FewerThreads& found) const {
    return {"one thread", "one thread",
            fmt::format("With {} the same stages take {} ms, {} of its time less.",
                        counted(found.more, "thread"), format_ms(found.with_ns), share())};
  }
  CauseText operator()(const why::SmallerTeam& found) const {
    return {"threads", "too many threads",
            fmt::format("With {} the same stages take {} ms, {} of its time less.",
                        counted(found.fewer, "thread"), format_ms(found.with_ns), share())};
  }
  CauseText operator()(const why::TeamStart& found) const {
    return {"team start", "the start of its threads",
            fmt::format("{} of {} at {} us, no more than an empty one takes, = {} of its time.",
                        counted(std::llround(found.teams), "team"), found.threads,
                        us(found.cost_ns), share())};
  }
  CauseText operator()(const why::FixedPart& found) const {
    return {"fixed cost", "a fixed cost a batch",
            fmt::format("{} us however few bytes it moves, by the fit of its points, = {} of its "
                        "time.",
                        us(found.fixed_ns), share())};
  }
  CauseText operator()(const why::LimitOfOneThread& found) const {
    return {"one thread", "one thread",
            fmt::format("It is at {} of what one moves; {} move {} as much.", share(),
                        counted(found.more, "thread"), factor(found.wider))};
  }
  CauseText operator()(const why::LinkLimit& found) const {
    return {"link", "the link",
            fmt::format("{} at {} of its limit{}.", format_bytes(static_cast<double>(found.bytes)),
                        format_percent(found.of_limit),
                        found.only_bytes ? ": only fewer bytes over it would be faster" : "")};
  }
  CauseText operator()(const why::LinkTime&) const {
    return {"link", "the link", fmt::format("Its copies take {} of the time.", share())};
  }
  CauseText operator()(const why::MemoryLimit& found) const {
    return {"memory", "memory",
            fmt::format("{} at {} of the limit{}.", format_bytes(static_cast<double>(found.bytes)),
                        share(), found.only_bytes ? ": only fewer bytes would be faster" : "")};
  }
  CauseText operator()(const why::ExtraPasses& found) const {
    return {"extra passes", "extra passes over memory",
            fmt::format("It moves {} the fewest bytes ({} for {}){}.",
                        factor(found.moved / found.fewest), format_bytes(found.moved),
                        format_bytes(found.fewest),
                        cause.share > 0 ? fmt::format(", which at the limit's rate accounts for "
                                                      "{} of its time",
                                                      share())
                                        : "")};
  }
  CauseText operator()(const why::Floors& found) const {
    const std::string kind(name_of(found.kind));
    return {kind, kind,
            fmt::format("The limits of its stages add up to {} of its time, most of it {}.",
                        at_most_all(), found.binding)};
  }
  CauseText operator()(const Gain& gain) const {
    const std::string name(name_of(gain.part.resource));
    const bool is_work = gain.part.resource == Resource::Decode ||
                         gain.part.resource == Resource::Reading ||
                         gain.part.resource == Resource::Pinning;
    return {name, is_work ? name : "the " + name, gain_text(gain)};
  }
  CauseText operator()(const why::InFlight& found) const {
    const PipelineText text{found.pipeline, *found.pipeline.bound};
    return {text.name(), text.what(), text.evidence()};
  }
  CauseText operator()(const why::StageApart& found) const {
    const std::string labels = enumerate(found.labels);
    const std::string own = fmt::format(
        "{} {} ms", found.labels.size() > 1 ? "They take" : "It takes", format_ms(found.own_ns));
    const std::string its = format_ms(found.its_ns);
    if (found.is_in_both)
      return {labels, labels,
              fmt::format("{}, in the fastest {} ms: nothing else differs more.", own, its)};
    if (found.instead.empty())
      return {labels, labels,
              fmt::format("{}, which the fastest has not: nothing else differs more.", own)};
    return {
        labels, labels,
        fmt::format("{}; the fastest has {} instead, which {} {} ms.", own,
                    enumerate(found.instead), found.instead.size() > 1 ? "take" : "takes", its)};
  }
  CauseText operator()(const why::OneStage& found) const {
    return {found.label, found.label, fmt::format("It takes {} of its time.", share())};
  }
};

std::string work_text(const ResourceShare& part) {
  if (part.resource == Resource::Link) return part.stages.size() == 1 ? "the copy" : "copies";
  if (part.resource == Resource::Decode) return "loading the images";
  if (part.resource == Resource::Reading) return "reading the images";
  return enumerate(part.stages);
}

/// The nouns for resources in the phrase "a faster ...".
constexpr auto faster_nouns = std::to_array<Word<Resource>>({{Resource::Link, "link"},
                                                             {Resource::Cpu, "stage on the CPU"},
                                                             {Resource::Gpu, "kernel"},
                                                             {Resource::Decode, "decoder"},
                                                             {Resource::Reading, "way to read"},
                                                             {Resource::Pinning, "way to pin"}});

/// Returns how many more fresh buffers and page faults one of two compared cases has, and which
/// share of the difference in time they explain, like ": 1 more fresh buffer, 24,577 more page
/// faults = 95 % of it". Returns "" if `added` is empty.
std::string added_text(const std::optional<FaultsAdded>& added) {
  if (!added) return "";
  return fmt::format(": {}, {}{}", counted(added->buffers, "more fresh buffer"),
                     counted(std::llround(added->faults), "more page fault"),
                     added->share ? fmt::format(" = {}{} of it", added->at_most ? "at most " : "",
                                                format_percent(*added->share))
                                  : "");
}

/// Returns the names of the factors (differences between two cases) of `part`, like "constants" or
/// "ops and outputs together".
std::string names_of_part(const Contribution& part) {
  std::vector<std::string> list;
  for (const Factor& factor : part.factors) list.push_back(factor_name(factor));
  return enumerate(list) + (list.size() > 1 ? " together" : "");
}

}  // namespace

std::string factor_name(const Factor& factor) {
  const std::string what = factor.name.empty() ? std::string(name_of(factor.kind)) : factor.name;
  return factor.stages.empty() ? what : what + " of " + enumerate(factor.stages);
}

std::string factor_text(const Factor& factor) {
  const std::string left = factor_value(factor, factor.left);
  const std::string right = factor_value(factor, factor.right);
  if (std::max(left.size(), right.size()) > kReadable) return factor_name(factor);
  const bool lists = (left + right).find(',') != std::string::npos;
  return fmt::format("{} ({}{}{})", factor_name(factor), left, lists ? " | " : ", ", right);
}

std::string factor_names(std::span<const Factor> factors) {
  std::vector<std::string> names;
  for (const Factor& factor : factors) names.push_back(factor_name(factor));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string CauseText::sentence() const { return what.empty() ? "" : what + ". " + evidence; }

std::string CauseText::bound(std::string_view name) const {
  std::string shown = evidence;
  shown[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(shown[0])));
  return fmt::format("{} by {}: {}", name.empty() ? "Bound" : spoken(name) + " is bound", what,
                     shown);
}

CauseText cause_text(const Cause& cause) { return std::visit(CauseWords{cause}, cause.found); }

std::string bound_name(const PipelineBound& bound) {
  if (bound.kind == BoundKind::Lane) return bound.lane;
  return bound.kind == BoundKind::Cores ? "cores" : "memory";
}

std::string gain_text(const Gain& gain) {
  const double share = std::min(1.0, gain.part.share);
  const auto noun = std::ranges::find(faster_nouns, gain.other, &Word<Resource>::value);
  return fmt::format("{} of its time is {}, so a faster {} gains at most {}.",
                     format_percent(share), work_text(gain.part), noun->name,
                     format_percent(1 - share));
}

std::string caveat_text(const std::optional<Caveat>& caveat) {
  if (!caveat) return "";
  std::vector<std::string> seen, unseen;
  for (const Contribution& part : caveat->parts)
    if (part.pair.different)
      seen.push_back(fmt::format("{} ({}{})", names_of_part(part), factor(part.pair.ratio.value),
                                 added_text(part.added)));
    else
      unseen.push_back(fmt::format("{}{} at most {}", names_of_part(part),
                                   part.factors.size() > 1 ? "" : " alone",
                                   format_percent(widest_difference(part.pair))));
  std::string text = fmt::format("they differ in {} factors: {}", caveat->factors.size(),
                                 factor_names(caveat->factors));
  if (!seen.empty()) text += "; it comes from " + enumerate(seen);
  if (!unseen.empty()) text += (seen.empty() ? "; of it " : ", ") + enumerate(unseen);
  return text;
}

std::string pinning_text(const PinningCost& cost) {
  const char* const doing = cost.registers ? "Registering" : "Pinning";
  if (cost.saved_ns.low <= 0)
    return fmt::format("{} does not pay here: it costs {} ms and saves nothing beyond the noise.",
                       doing, format_ms(cost.once_ns));
  return fmt::format(
      "{} pays from {} reuses of a buffer on ({} {} ms, saves {} ms a batch).", doing,
      format_count(std::llround(std::ceil(cost.once_ns / cost.saved_ns.value))),
      cost.registers ? "register" : "pin", format_ms(cost.once_ns), format_ms(cost.saved_ns.value));
}

std::string preparing_text(const GroupResult& group, const PreparingCost& cost) {
  return fmt::format(
      "Making the files of {} took {} s{}: that pays from epoch {} on ({} s saved in each).",
      spoken(group.cases[static_cast<std::size_t>(cost.index)].variant),
      format_significant(cost.once_seconds, 3),
      cost.baseline_seconds > 0
          ? fmt::format(" (the baseline's, {} s); where the baseline's are there",
                        format_significant(cost.baseline_seconds, 3))
          : "",
      format_count(static_cast<std::int64_t>(cost.once_seconds / cost.saved_seconds) + 1),
      format_significant(cost.saved_seconds, 2));
}

}  // namespace normbench
