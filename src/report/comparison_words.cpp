#include "report/comparison_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/compare/effect.h"
#include "core/units.h"
#include "report/document_text.h"
#include "report/words.h"

namespace normbench {

constexpr auto words(SetupFact) {
  using enum SetupFact;
  return std::to_array<Word<SetupFact>>({{Host, "host"},
                                         {Gpu, "GPU"},
                                         {GpuDriver, "GPU driver"},
                                         {Cpu, "CPU"},
                                         {CpuFeatures, "CPU features"},
                                         {CpuCores, "CPU cores"},
                                         {CpuCaches, "CPU caches"},
                                         {Threads, "threads"},
                                         {InstructionSet, "instruction set"},
                                         {BuildType, "build type"},
                                         {Compiler, "compiler"},
                                         {Sanitizers, "sanitizers"},
                                         {Clock, "clock"},
                                         {Cache, "cache"},
                                         {Quick, "quick"},
                                         {Traced, "traced"},
                                         {ScaledDown, "images a batch, scaled down to fit"},
                                         {Config, "config"},
                                         {CompilerFlags, "compiler flags"},
                                         {Kernel, "kernel"},
                                         {Microcode, "microcode"},
                                         {Governor, "governor"},
                                         {HugePages, "huge pages"},
                                         {Memory, "memory"},
                                         {CudaRuntime, "CUDA runtime"},
                                         {PcieGeneration, "PCIe generation"},
                                         {PcieWidth, "PCIe width"},
                                         {GpuPowerLimit, "GPU power limit"}});
}

namespace {

constexpr std::size_t kMostShown = 60;  // longer values are cut to this number of bytes

/// Returns a ratio as a change in percent: "+8.9" for 1.089, "-0.3" or "0.0".
std::string signed_percent(double ratio) {
  const double percent = (ratio - 1) * 100;
  if (std::abs(percent) < 0.05) return "0.0";
  return std::abs(percent) >= 9.95 ? fmt::format("{:+.0f}", percent)
                                   : fmt::format("{:+.1f}", percent);
}

/// Returns true if the case's median times in BASE and NEW contradict its `ratio`, which is a
/// median of ratios (see contradicts()).
bool has_unlike_times(const ComparedCase& one) {
  return one.ratio && contradicts(*one.now_ns / *one.base_ns, one.ratio->value);
}

/// Returns the change between the two median times, like " (by ms -12 %)", if has_unlike_times() is
/// true. Otherwise returns "".
std::string by_times_text(const ComparedCase& one) {
  if (!has_unlike_times(one)) return "";
  return fmt::format(" (by ms {} %)", signed_percent(*one.now_ns / *one.base_ns));
}

std::string side_text(const ComparedSide& side) {
  return fmt::format("{} of {} ({})", counted(static_cast<std::int64_t>(side.runs), "run"),
                     text_at(side.tool, "/version", "?"), text_at(side.tool, "/revision", "?"));
}

std::string times_text(const ComparedCase& one) {
  return fmt::format("from {} to {} ms", format_ms(*one.base_ns), format_ms(*one.now_ns));
}

/// Returns the reason why a case was skipped or failed. If that happened in only some of the runs,
/// the text begins with their number, like "in 2 of 10 runs: ...".
std::string ending_text(const Ending& ending) {
  return ending.such == ending.all
             ? ending.reason
             : fmt::format("in {} of {} runs: {}", ending.such, ending.all, ending.reason);
}

struct FindingValueText {
  CaseFinding::Kind kind;

  std::string operator()(std::int64_t value) const {
    return kind == CaseFinding::Kind::Threads ? std::to_string(value)
                                              : format_bytes(static_cast<double>(value));
  }
  std::string operator()(double value) const {
    return kind == CaseFinding::Kind::Faults ? format_count(std::llround(value))
                                             : fmt::format("{:.2g}", value);
  }
  std::string operator()(const RunBy& by) const { return run_by_text(by); }
  std::string operator()(Status status) const { return std::string(name_of(status)); }
};

/// Returns a text like "L1d 32 KiB, L2 2 MiB, L3 260 MiB", with the number of each cache if
/// `counts` is true.
std::string caches_text(const Json& caches, bool counts) {
  std::vector<std::string> texts;
  for (const Json& cache : caches) {
    const auto level = integer_at(cache, "/level", 0), count = integer_at(cache, "/count", 1);
    texts.push_back(fmt::format("L{}{} {}{}", level, level == 1 ? "d" : "",
                                counts ? fmt::format("{} x ", count) : "",
                                format_binary_bytes(integer_at(cache, "/bytes", 0))));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Returns a text with the items of `list` that are not in `other`, like "also avx512f, amx_tile",
/// or "no more" if there are none.
std::string more_than(const Json& list, const Json& other) {
  std::vector<std::string> items;
  for (const Json& item : list)
    if (std::ranges::find(other, item) == other.end()) items.push_back(value_text(item));
  return items.empty() ? "no more" : fmt::format("also {}", fmt::join(items, ", "));
}

/// Returns the value of a fact in BASE or NEW as text. Sizes of caches and memory get units.
std::string fact_text(SetupFact fact, const Json& value) {
  if (fact == SetupFact::CpuCaches && value.is_array()) return caches_text(value, false);
  if (fact == SetupFact::Memory && value.is_number()) return format_bytes(value.get<double>());
  return value_text(value);
}

/// Returns the values as "a or b". `absent` replaces a missing value.
std::string joined(const SetupDifference& difference, const std::vector<Json>& values,
                   const std::string& absent) {
  std::vector<std::string> texts;
  for (const Json& value : values)
    texts.push_back(value.is_null() ? absent : fact_text(difference.fact, value));
  return fmt::format("{}", fmt::join(texts, " or "));
}

struct CautionText {
  std::string operator()(caution::SameDocument) const {
    return "BASE and NEW are the same document";
  }
  std::string operator()(const caution::UnpairedRuns& runs) const {
    return fmt::format("BASE has {} runs and NEW {}: those beyond {} have no partner", runs.base,
                       runs.now, std::min(runs.base, runs.now));
  }
  std::string operator()(const caution::Interrupted& of) const {
    return fmt::format("{} of {} runs of {} ended early: cases may be missing", of.interrupted,
                       of.runs, of.of_base ? "BASE" : "NEW");
  }
  std::string operator()(const caution::NoTurns&) const {
    return "the runs of BASE and NEW did not take turns: a drift of the machine looks like a "
           "change "
           "(scripts/ci-regression runs them in alternation)";
  }
  std::string operator()(const caution::Busier& load) const {
    return fmt::format(
        "the machine was busier for {}: {:.1f} tasks a thread for BASE, {:.1f} for NEW",
        load.base > load.now ? "BASE" : "NEW", load.base, load.now);
  }
  std::string operator()(const caution::FewRuns& few) const {
    return fmt::format(
        "{}: what runs of the same code differ by is not known, so no verdict is beyond doubt ({} "
        "pairs of runs would tell, however many cases there are)",
        few.pairs == 1 ? "one run a side" : fmt::format("{} pairs of runs", few.pairs),
        kFewestPairs);
  }
};

}  // namespace

std::string run_by_text(const RunBy& by) {
  std::vector<std::string> names;
  for (const auto& [op, kernel] : by.stages)
    names.push_back(kernel.empty() ? op : op + " " + kernel);
  return fmt::format("{}{}{}", by.peer, by.peer.empty() ? "" : ": ", fmt::join(names, ", "));
}

std::string comparison_summary(const Comparison& comparison) {
  const int failed = count(comparison, Change::Failed);
  const int left_out = count(comparison, Change::NotCompared);
  std::string text = failed > 0 ? fmt::format("{} failed, ", failed) : "";
  for (const Change change : {Change::Regressed, Change::Improved, Change::Same}) {
    const auto doubtful = std::ranges::count_if(comparison.cases, [&](const ComparedCase& one) {
      return one.change == change && !one.certain;
    });
    text += fmt::format("{} {}", count(comparison, change), name_of(change));
    text += doubtful > 0 ? fmt::format(" ({} not beyond doubt), ", doubtful) : ", ";
  }
  text += fmt::format("{} inconclusive", count(comparison, Change::Inconclusive));
  if (left_out > 0) text += fmt::format(", {} not compared", left_out);
  return text + fmt::format(" of {} case{}; margin {}", comparison.cases.size(),
                            comparison.cases.size() == 1 ? "" : "s",
                            format_percent(comparison.margin.value));
}

std::string comparison_setting(const Comparison& comparison) {
  const std::string base = machine_text(comparison.base.environment);
  const std::string now = machine_text(comparison.now.environment);
  return on_one_line(fmt::format("{} · BASE: {}{} · NEW: {}{}{}{} · margin: {}", comparison.name,
                                 side_text(comparison.base), base == now ? "" : " on " + base,
                                 side_text(comparison.now), base == now ? " · " : " on ", now,
                                 comparison.clock == DecidingClock::Device ? " · device times" : "",
                                 margin_reason(comparison.margin)));
}

std::string variant_text(const CaseName& name) {
  const std::string point = point_text(name.point);
  return on_one_line(name.variant + (point.empty() ? "" : " (" + point + ")"));
}

std::string case_text(const CaseName& name) {
  return on_one_line(name.experiment) + " / " + variant_text(name);
}

std::string verdict_text(const ComparedCase& one) {
  if (one.change == Change::NotCompared) return "not compared";
  std::string text(name_of(one.change));
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool is_verdict = one.change == Change::Regressed || one.change == Change::Improved ||
                          one.change == Change::Same;
  return is_verdict && !one.certain ? text + "?" : text;
}

std::string change_text(const ComparedCase& one) {
  if (!one.ratio) return "";
  return signed_percent(one.deciding().value) + (one.over_limits ? " %*" : " %") +
         by_times_text(one);
}

std::string interval_text(const ComparedCase& one) {
  return one.visible ? fmt::format("{} to {} %", signed_percent(one.deciding().low),
                                   signed_percent(one.deciding().high))
                     : "";
}

std::string case_sentence(const ComparedCase& one) {
  if (!one.visible) return on_one_line(why_text(one));
  std::string text = fmt::format("{} %{} (95 %: {}), {}", signed_percent(one.deciding().value),
                                 one.over_limits ? " over the limits of the same rounds" : "",
                                 interval_text(one), times_text(one));
  if (one.over_limits) text += fmt::format(" ({} %)", signed_percent(one.ratio->value));
  text += by_times_text(one);
  text += fmt::format("; could have seen {}", format_percent(*one.visible));
  if (one.change == Change::Regressed)
    text += fmt::format("; p = {:.2g}{}", one.p_value, one.certain ? "" : ", not beyond doubt");
  return one.why == NoVerdict::None ? text : text + "; " + why_text(one);
}

std::string why_text(const ComparedCase& one) {
  switch (one.why) {
    case NoVerdict::None:
      return "";
    case NoVerdict::Ended:
      return ending_text(one.ending);
    case NoVerdict::NotMeasured:
      return "measured in no pair of runs, or other programs had the processors in it";
    case NoVerdict::ClocksDiffer:
      return "device times on one side only";
    case NoVerdict::NoTime:
      return "a round took no time";
    case NoVerdict::TooFewRuns:
      return fmt::format("{} pairs of runs: too few for an interval ({} would do)", one.replicates,
                         kFewestPairs);
    case NoVerdict::TooFewRounds:
      return fmt::format("{} rounds: too few for an interval", one.replicates);
    case NoVerdict::LimitsChanged:
      return fmt::format("the limits beside it changed by up to {}: this may be the machine",
                         format_percent(one.drift.value_or(0)));
    case NoVerdict::Preempted:
      return fmt::format(
          "other work had the processor in a typical turn of {}: this may be the machine",
          one.ratio->value > 1 ? "NEW" : "BASE");
    case NoVerdict::AboveLimit:
      return fmt::format("{} is faster than its own limit: limit or case is measured wrongly",
                         one.change == Change::Failed ? "NEW" : "BASE");
  }
  return "";
}

std::string finding_text(const CaseFinding& finding) {
  const std::string now = std::visit(FindingValueText{finding.kind}, finding.now);
  const std::string base = std::visit(FindingValueText{finding.kind}, finding.base);
  switch (finding.kind) {
    case CaseFinding::Kind::LinkBytes:
      return fmt::format("{} over the link, was {}", now, base);
    case CaseFinding::Kind::Bytes:
      return fmt::format("{} moved, was {}", now, base);
    case CaseFinding::Kind::MaxError:
      return fmt::format("max error {}, was {} (bound {:.2g})", now, base, finding.bound);
    case CaseFinding::Kind::Kernels:
      return fmt::format("runs {}, was {}", now, base);
    case CaseFinding::Kind::Faults:
      return fmt::format("{} page faults a batch, was {}", now, base);
    case CaseFinding::Kind::Threads:
      return fmt::format("{} threads, was {}", now, base);
    case CaseFinding::Kind::Status: {
      const std::string reason = ending_text(finding.ending);
      return fmt::format("{}, was {}{}", now, base, reason.empty() ? "" : " (" + reason + ")");
    }
  }
  return "";
}

std::string DifferenceText::sentence() const {
  return on_one_line(fmt::format("{}: {} in BASE, {} in NEW", what, base, now));
}

DifferenceText difference_text(const SetupDifference& difference) {
  const auto &base = difference.base, &now = difference.now;
  if (difference.fact == SetupFact::Config)
    return {"config " + difference.pointer, joined(difference, base, "absent"),
            joined(difference, now, "absent")};
  std::string what(name_of(difference.fact));
  const bool lists = base.size() == 1 && now.size() == 1 && base[0].is_array() && now[0].is_array();
  if (lists && difference.fact != SetupFact::CpuCaches)
    return {what, more_than(base[0], now[0]), more_than(now[0], base[0])};
  DifferenceText text{what, joined(difference, base, "none"), joined(difference, now, "none")};
  if (lists && text.base == text.now)
    return {what, caches_text(base[0], true), caches_text(now[0], true)};
  return text;
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "absent";
  return cut_utf8(value.is_string() ? value.get<std::string>()
                                    : value.dump(-1, ' ', false, Json::error_handler_t::replace),
                  kMostShown);
}

std::string margin_reason(const Margin& margin) {
  switch (margin.reason) {
    case Margin::Reason::Least:
      return "the least that counts";
    case Margin::Reason::Precision:
      return "measure.precision of the config";
    case Margin::Reason::Calibrated:
      return "what identical code differs by between processes here (calibrated)";
    case Margin::Reason::TooFewRuns:
      return "too few runs to know what runs differ by, and no calibration that knows it";
    case Margin::Reason::NoTurns:
      return "the runs did not take turns";
    case Margin::Reason::Asked:
      return "--margin";
  }
  return "";
}

std::string caution_text(const Caution& caution) { return std::visit(CautionText{}, caution); }

std::vector<std::string> caution_lines(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const bool forbids : {true, false})
    for (const SetupDifference& difference : comparison.differences)
      if (difference.forbids() == forbids)
        texts.push_back((forbids ? "Not comparable, compared by force: " : "Not the same: ") +
                        difference_text(difference).sentence());
  for (const Caution& caution : comparison.cautions)
    texts.push_back("Caution: " + caution_text(caution));
  if (std::ranges::any_of(comparison.cases,
                          [](const ComparedCase& one) { return one.over_limits.has_value(); }))
    texts.emplace_back(
        "* over the limits of the same rounds: what these changed by, from run to run, is divided "
        "out");
  if (std::ranges::any_of(comparison.cases, has_unlike_times))
    texts.emplace_back(
        "by ms: what the two medians say. A change is the median of the changes of pairs of runs, "
        "which are neighbours in time; each median is over all runs. The machine changed its speed "
        "between runs, so the two differ");
  return texts;
}

}  // namespace normbench
