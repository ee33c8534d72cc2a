#include <fmt/format.h>

#include <algorithm>

#include "analysis/causes.h"
#include "analysis/limit_kind.h"
#include "core/units.h"

namespace normbench {

namespace {

constexpr double kExtraPasses = 1.5;  // bytes moved over the fewest

/// Bytes that go through memory more than once: every stage's against source and result. `share`:
/// the part of the time that moving them at the limit's rate takes, where the limit is known.
struct Passes {
  double moved = 0, fewest = 0;
  std::optional<double> share;

  bool extra() const { return fewest > 0 && moved >= kExtraPasses * fewest; }
};

Passes passes(const Subject& subject) {
  const CaseResult& result = subject.result();
  Passes passes;
  if (link_bytes(result) > 0) return passes;  // source and result are in different memories
  if (!result.peer.empty()) return passes;    // nobody knows what it moves
  passes.fewest = static_cast<double>(result.source_bytes + result.result_bytes);
  for (const StageResult& stage : result.stages) passes.moved += static_cast<double>(stage.bytes);
  const bool rated = limit_kind(subject.group, subject.analysis.limit) == "memory";
  if (rated && subject.analysis.of_limit && passes.fewest > 0)
    passes.share = subject.analysis.of_limit->value * passes.moved / passes.fewest;
  return passes;
}

Cause extra_passes(const Passes& passes) {
  std::string sentence = fmt::format(
      "extra passes over memory. It moves {:.1f}x the fewest bytes ({} for {})",
      passes.moved / passes.fewest, format_bytes(passes.moved), format_bytes(passes.fewest));
  // Above 1 the caches carried some of it, and the share says nothing.
  if (passes.share && *passes.share < 1)
    sentence += fmt::format(", which at the limit's rate accounts for {} of its time",
                            format_percent(*passes.share));
  const bool known = passes.share.value_or(1) < 1;
  return {"extra passes", sentence + ".", known ? *passes.share : 0};
}

}  // namespace

Cause limit_cause(const Subject& subject) {
  const auto& of_limit = subject.analysis.of_limit;
  if (!of_limit || of_limit->value < at_limit) return {};
  const std::string kind = limit_kind(subject.group, subject.analysis.limit);
  const CaseResult& result = subject.result();
  if (kind == "memory")
    return {
        kind,
        fmt::format("memory. {} at {} of the limit: only fewer bytes would be faster.",
                    format_bytes(static_cast<double>(result.source_bytes + result.result_bytes)),
                    format_percent(of_limit->value)),
        of_limit->value};
  if (kind == "launch")
    return {kind,
            fmt::format("launches. Doing nothing that way takes {} of its time.",
                        format_percent(of_limit->value)),
            of_limit->value};
  return {};
}

Cause extra_passes_cause(const Subject& subject) {
  const Passes moved = passes(subject);
  return moved.extra() ? extra_passes(moved) : Cause{};
}

Cause floors_cause(const Subject& subject) {
  const auto& floor_ns = subject.analysis.floor_ns;
  const double share = floor_ns ? *floor_ns / subject.time_ns() : 0;
  if (share < at_limit) return {};
  const std::string kind = limit_kind(subject.group, subject.analysis.binding);
  if (kind.empty()) return {};
  return {kind,
          fmt::format("{}. The limits of its stages add up to {} of its time, most of it {}.", kind,
                      format_percent(std::min(1.0, share)), subject.analysis.binding),
          share};
}

}  // namespace normbench
