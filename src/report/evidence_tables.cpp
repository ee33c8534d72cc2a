#include <fmt/format.h>

#include "analysis/case_analysis.h"
#include "analysis/pairs.h"
#include "analysis/words.h"
#include "core/units.h"
#include "report/document_text.h"
#include "report/group_tables.h"
#include "report/limits_text.h"
#include "report/profile_report.h"
#include "report/rows.h"

namespace normbench {

namespace {

std::string finding(const Pair& pair, double precision) {
  if (faster(pair)) return "faster";
  if (pair.different) return "slower";
  if (!pair.covered) return "too few rounds";
  if (is_tie(pair, precision))
    return "no difference larger than " + format_percent(widest_difference(pair));
  return "inconclusive: could have seen " + format_percent(visible_difference(pair, precision));
}

/// What the caches hold of a limit's bytes; "" for one that is not about moving them.
std::string cache_text(const CaseResult& limit, const Results& results) {
  if (has_op(limit, "first_touch") || bytes_per_second(limit, results) == 0) return "";
  return std::string(limit.resident ? "in cache" : name_of(results.cache));
}

}  // namespace

std::string ratio_text(const Interval& ratio) {
  return fmt::format("{} ({}-{})", format_significant(ratio.value, 4),
                     format_significant(ratio.low, 4), format_significant(ratio.high, 4));
}

std::string percents_text(const Interval& share) {
  return fmt::format("{} ({}-{})", format_percent(share.value), format_percent(share.low),
                     format_percent(share.high));
}

std::string limit_table(const GroupResult& group, const Results& results) {
  Rows rows({"limit", "threads", "cache", "reads", "writes", "ms", "GB/s", "faults", "rounds"});
  for (const CaseResult& limit : group.limits) {
    if (!measured(limit)) {
      rows.add({limit.variant, std::to_string(limit.threads), "", "not measured " + limit.reason});
      continue;
    }
    const double rate = bytes_per_second(limit, results);
    rows.add({limit.variant, std::to_string(limit.threads), cache_text(limit, results),
              format_bytes(static_cast<double>(limit.source_bytes)),
              format_bytes(static_cast<double>(limit.result_bytes)),
              format_ms(median_ns(limit, results)),
              rate > 0 ? format_significant(rate / 1e9, 3) : "",
              format_count(static_cast<std::int64_t>(faults_per_iteration(limit))),
              std::to_string(limit.rounds.size())});
  }
  return rows.text({0});
}

std::string pair_table(const GroupResult& group, const GroupAnalysis& analysis,
                       const Results& results) {
  Rows rows({"variant", "against", "time/time", "finding"});
  for (const Pair& pair : analysis.pairs)
    rows.add({group.cases[pair.a].variant, group.cases[pair.b].variant, ratio_text(pair.ratio),
              finding(pair, results.precision)});
  return rows.text({0, 1, 3});
}

std::string check_table(const GroupResult& group) {
  Rows rows({"variant", "output", "max error", "bound"});
  for (const CaseResult& result : group.cases)
    if (result.status != Status::Skipped)
      rows.add({result.variant, result.check.ok ? "correct" : "not correct",
                fmt::format("{:.2e}", result.check.max_abs_error),
                fmt::format("{:.2e}", result.check.bound)});
  return rows.text({0, 1});
}

std::string profile_tables(const GroupResult& group, const GroupAnalysis& analysis,
                           const Results& results) {
  const TableOptions options{.sort_by = sort_by(results), .row_limit = -1};
  std::string text;
  for (const CaseProfile& profile : group.profile) {
    text += fmt::format("\nProfile of {}: {} step{}\n", spoken(profile.variant), profile.steps,
                        profile.steps == 1 ? "" : "s");
    text += torch_table(profile.rows, options) + "\n";
    text += profile_table(profile, limit_shares(group, analysis, profile.variant), TableKind::Stats,
                          TableFormat::Text, options);
  }
  return text;
}

}  // namespace normbench
