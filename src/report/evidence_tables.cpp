#include "report/evidence_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text.h"
#include "core/units.h"
#include "report/document_text.h"
#include "report/link_text.h"
#include "report/profile_report.h"
#include "report/verdict_text.h"
#include "report/words.h"

namespace normbench {
namespace {

/// Returns the bytes that a limit (a measurement of how fast the machine is) reads and writes per
/// second. For a limit over the link to the GPU, only the bytes that cross the link count. Returns
/// 0 if the limit was not measured, or moves no bytes.
double bytes_per_second(const CaseResult& limit, const Results& results) {
  const bool moves = std::ranges::any_of(
      limit.stages, [](const StageResult& stage) { return stage.bytes + stage.link_bytes > 0; });
  if (!measured(limit) || !moves) return 0;
  const std::int64_t crossed = link_bytes(limit);
  return static_cast<double>(crossed > 0 ? crossed : limit.source_bytes + limit.result_bytes) *
         1e9 / median_ns(limit, results);
}

std::string pair_finding(const Pair& pair, double precision) {
  if (faster(pair)) return "faster";
  if (pair.different) return "slower";
  if (!pair.covered) return "too few rounds";
  if (is_tie(pair, precision))
    return "no difference larger than " + format_percent(widest_difference(pair));
  return "inconclusive: " + hidden_text(visible_difference(pair, precision));
}

/// Returns "in cache" for a limit (a measurement of how fast the machine is) whose bytes stay in a
/// cache, else the group's cache setting, like "cold". Returns "" if the limit was not measured,
/// moves no bytes, or measures page faults.
std::string cache_text(const CaseResult& limit, const GroupResult& group, const Results& results) {
  if (has_limit_of(limit, LimitKind::PageFaults) || bytes_per_second(limit, results) == 0)
    return "";
  return std::string(limit.resident ? "in cache" : name_of(cache_of(group, results)));
}

/// A kind of limit (a measurement of how fast the machine is). All limits of a kind use the same
/// hardware in the same way. Kinds are sorted by their members, in the order below.
struct Kind {
  bool link = false, gpu = false;
  double written_per_read = 0;
  std::string op = {}, memory = {};  // set only if `link`

  auto operator<=>(const Kind&) const = default;
};

/// Returns what moves the bytes of a limit over the link to the GPU: the op of a copy, like "h2d",
/// or "kernel from" for a kernel that reads host memory.
std::string over_link_text(const CaseResult& limit) {
  const StageResult& stage = limit.stages[0];
  return roles_of(stage).limit == LimitKind::Memory ? "kernel from" : stage.op;
}

Kind kind_of(const CaseResult& limit) {
  if (link_bytes(limit) > 0)
    return {.link = true,
            .op = over_link_text(limit),
            .memory = std::string(name_of(link_memory(limit, 0)))};
  return {.gpu = uses_gpu(limit),
          .written_per_read =
              static_cast<double>(limit.result_bytes) / static_cast<double>(limit.source_bytes)};
}

std::string kind_text(const Kind& kind) {
  if (kind.link) return kind.op + " " + kind.memory;
  return fmt::format("{}1:{:.3g}", kind.gpu ? "GPU " : "", kind.written_per_read);
}

/// Returns true for a limit over the link to the GPU, and for a limit that reads and writes as many
/// bytes as a whole case. All other limits belong to single stages. They are too many for the line
/// of limits_summary().
bool is_of_a_case(const CaseResult& limit, const GroupResult& group) {
  return link_bytes(limit) > 0 || std::ranges::any_of(group.cases, [&](const CaseResult& result) {
           return result.source_bytes == limit.source_bytes &&
                  result.result_bytes == limit.result_bytes;
         });
}

/// Returns a number like "12,345" or "0.25", or "" if there is no value.
std::string number_text(const std::optional<double>& value) {
  if (!value) return "";
  const bool whole = *value >= 100 || *value == std::round(*value);
  return whole ? format_count(std::llround(*value)) : format_significant(*value, 3);
}

std::string per_step(std::int64_t count, const CaseProfile& profile) {
  return number_text(static_cast<double>(count) / static_cast<double>(profile.steps));
}

std::vector<std::string> counter_row(const CaseResult& result, const CaseProfile& profile) {
  const Counters& software = profile.counters->software;
  const Counted counted = counted_per_image(result, profile);
  return {profile.variant,
          per_step(software.minor_faults, profile),
          per_step(software.major_faults, profile),
          per_step(software.voluntary_switches, profile),
          per_step(software.involuntary_switches, profile),
          number_text(counted.instructions_per_cycle),
          number_text(counted.cycles),
          number_text(counted.cache_misses),
          number_text(counted.joules)};
}

/// Returns the reasons why counters are missing, one on each line. A reason that several variants
/// share appears once.
std::string missing_lines(const GroupResult& group) {
  std::set<std::string> reasons;
  for (const CaseProfile& profile : group.profile) {
    if (!profile.counters) continue;
    if (const std::string& why = profile.counters->hardware_missing; !why.empty())
      reasons.insert("no cycles, instructions, LLC misses: " + why);
    if (const std::string& why = profile.counters->energy_missing; !why.empty())
      reasons.insert(
          (profile.counters->gpu_joules ? "joules are of the GPU alone: " : "no joules: ") + why);
  }
  std::string text;
  for (const std::string& reason : reasons) text += wrapped(reason, 2);
  return text;
}

/// Returns the number of disturbed rounds, and for each flag (kind of disturbance) the number of
/// rounds that have it, like "4 (stolen 3, preempted 2)".
std::string disturbed_text(const CaseNoise& noise) {
  std::map<Flag, std::size_t> counts;
  for (const auto& [flag, rounds] : noise.flagged) counts[flag] = rounds.size();
  if (counts.empty()) return "0";
  return fmt::format("{} ({})", noise.disturbed.size(), flags_text(counts));
}

std::string drift_text(const CaseNoise& noise) {
  return noise.drift ? ratio_text(*noise.drift) + (noise.drifts ? " drifts" : "") : "";
}

/// Returns the median frequency in MHz, and half of the spread over the rounds in percent of the
/// median, like "2,300 (+-1.5 %)". Returns "" if the frequency is unknown.
std::string frequency_text(const CaseNoise& noise) {
  if (noise.frequency_khz == 0) return "";
  return fmt::format("{} (±{})", format_count(noise.frequency_khz / 1000),
                     format_percent(noise.frequency_spread / 2));
}

/// Returns the result of a check: "correct" or "not correct". If some values were not checked, ",
/// 12 values not checked" follows. If the output was compared with that of another variant, ",
/// compared with eager" follows.
std::string output_text(const CheckResult& check) {
  std::string text = check.ok ? "correct" : "not correct";
  if (check.unchecked_values > 0)
    text += fmt::format(", {} not checked", counted(check.unchecked_values, "value"));
  return check.held_to == HeldTo::Variant
             ? fmt::format("{}, compared with {}", text, spoken(check.variant))
             : text;
}

/// Returns the largest error in percent of its bound, like "31 %", or "beyond it" if the error
/// exceeds the bound. Returns "" if the error is unknown.
std::string bound_share_text(const CheckResult& check) {
  const bool is_known =
      check.psnr_bound_db == 0 && (check.bound_share > 0 || check.max_abs_error == 0);
  if (!is_known) return "";
  return check.bound_share > 1 ? "beyond it" : format_percent(check.bound_share);
}

std::string verdict_table(const GroupResult& group, const GroupAnalysis& analysis,
                          const Results& results) {
  std::string text;
  for (const std::string& line : verdict_text(group, analysis, results)) text += "  " + line + "\n";
  if (const std::string line = quality_text(analysis); !line.empty()) text += "  " + line + "\n";
  if (group.stop) text += fmt::format("  stopped by: {}\n", name_of(*group.stop));
  return text + fmt::format("  largest lag-1 autocorrelation of the log ratios: {:.2f}\n",
                            analysis.autocorrelation);
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
      const std::string reason = limit.reason.empty() ? "" : ": " + limit.reason;
      rows.add({limit.variant, std::to_string(limit.threads), "", "not measured" + reason});
      continue;
    }
    // A limit with `pipeline` runs only a part of a pipeline, but its bytes are those of the whole
    // pipeline. So its bytes and its rate are not shown.
    const double rate = limit.pipeline ? 0 : bytes_per_second(limit, results);
    rows.add({limit.variant, std::to_string(limit.threads), cache_text(limit, group, results),
              limit.pipeline ? "" : format_bytes(static_cast<double>(limit.source_bytes)),
              limit.pipeline ? "" : format_bytes(static_cast<double>(limit.result_bytes)),
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
  const std::vector<Pair> pairs = shown_pairs(group, analysis);
  for (const Pair& pair : pairs)
    rows.add({group.cases[pair.a].variant, group.cases[pair.b].variant, ratio_text(pair.ratio),
              pair_finding(pair, precision_of(group, results))});
  const auto left_out = pairs_left_out(pairs, analysis);
  const std::string others =
      left_out == 0
          ? ""
          : fmt::format("  (left out: {} pairs without any of {})\n", format_count(left_out),
                        spoken_cases(group, cases_of_shown_pairs(group, analysis)));
  return rows.text({0, 1, 3}) + others;
}

std::string dataset_table(const GroupResult& group) {
  Rows rows({"variant", "images", "files", "size", "KB/image", "dB", "made in s"});
  for (const CaseResult& result : group.cases) {
    if (!result.dataset) continue;
    const DatasetResult& dataset = *result.dataset;
    const double per_image =
        static_cast<double>(dataset.bytes) / static_cast<double>(dataset.images);
    rows.add({result.variant, format_count(dataset.images), format_count(dataset.files),
              format_bytes(static_cast<double>(dataset.bytes)),
              format_significant(per_image / 1000, 3),
              dataset.psnr_db > 0 ? format_significant(dataset.psnr_db, 3) : "",
              dataset.prepare_seconds > 0 ? format_significant(dataset.prepare_seconds, 3) : ""});
  }
  return rows.text({0});
}

std::string check_table(const GroupResult& group) {
  Rows rows({"variant", "output", "max error", "its bound", "of a bound"});
  for (const CaseResult& result : group.cases) {
    if (result.status == Status::Skipped) continue;
    const CheckResult& check = result.check;
    if (!check.compared())
      rows.add({result.variant, "not checked"});
    else
      rows.add({result.variant, output_text(check), fmt::format("{:.2e}", check.max_abs_error),
                check.psnr_bound_db > 0 ? likeness_text(check) : fmt::format("{:.2e}", check.bound),
                bound_share_text(check)});
  }
  return rows.text({0, 1});
}

std::string profile_tables(const GroupResult& group, const GroupAnalysis& analysis,
                           const Results& results) {
  const TableOptions options{.sort_by = table_options(results).sort_by, .row_limit = -1};
  std::string text;
  for (const CaseProfile& profile : group.profile) {
    text += fmt::format("\nProfile of {}: {}\n", spoken(profile.variant),
                        counted(profile.steps, "step"));
    text += torch_table(profile.rows, options) + "\n";
    text += profile_table(profile, limit_shares(group, analysis, profile.variant), TableKind::Stats,
                          TableFormat::Text, options);
  }
  return text;
}

std::vector<BestLimit> best_limits(const GroupResult& group, const Results& results) {
  std::map<Kind, double> best;  // highest rate of each kind, in bytes per second
  for (const CaseResult& limit : group.limits) {
    if (!measured(limit) || limit.resident || limit.pipeline ||
        has_limit_of(limit, LimitKind::PageFaults) || limit.source_bytes <= 0 ||
        !is_of_a_case(limit, group))
      continue;
    double& rate = best[kind_of(limit)];
    rate = std::max(rate, bytes_per_second(limit, results));
  }
  std::vector<BestLimit> limits;
  for (const auto& [kind, rate] : best)
    if (rate > 0) limits.push_back({kind_text(kind), kind.link, rate});
  return limits;
}

std::string limits_summary(const GroupResult& group, const Results& results) {
  const std::vector<BestLimit> limits = best_limits(group, results);
  if (limits.empty()) return "";
  std::string text;
  for (const BestLimit& limit : limits)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", limit.name,
                        format_significant(limit.bytes_per_second / 1e9, 3));
  return fmt::format(" · limits{}: {} GB/s", limits.front().link ? "" : " (read:write)", text);
}

std::string counter_table(const GroupResult& group) {
  Rows rows({"variant", "faults/step", "major", "switches/step", "forced", "IPC", "cycles/image",
             "LLC misses/image", "J/image"});
  for (const CaseProfile& profile : group.profile) {
    const int i = index_of(group, profile.variant);
    if (profile.counters && profile.steps > 0 && i >= 0)
      rows.add(counter_row(group.cases[i], profile));
  }
  return rows.text({0}) + missing_lines(group);
}

std::string noise_table(const GroupResult& group, const GroupAnalysis& analysis) {
  Rows rows({"variant", "rounds", "disturbed", "voluntary", "involuntary", "major faults",
             "MHz (span)", "stolen", "throttled", "lag-1", "last/first third"});
  std::string notes;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseNoise& noise = analysis.noise[i];
    const std::string& variant = group.cases[i].variant;
    if (noise.rounds == 0) continue;
    const bool counted = group.cases[i].peer.empty();  // peers report no context switches
    rows.add({variant, std::to_string(noise.rounds), disturbed_text(noise),
              counted ? format_count(noise.counters.voluntary_switches) : "",
              counted ? format_count(noise.counters.involuntary_switches) : "",
              format_count(noise.counters.major_faults), frequency_text(noise),
              format_percent(noise.steal_share), format_percent(noise.throttled_share),
              fmt::format("{:.2f}", noise.autocorrelation), drift_text(noise)});
    if (noise.sensitive)
      notes += fmt::format("  {}: without disturbed rounds its time/baseline is {}\n",
                           spoken(variant), ratio_text(*noise.undisturbed));
  }
  if (!group.cut_order.empty())
    notes += fmt::format("  The time was over within a block: {} of it {} kept and not used.\n",
                         counted(static_cast<std::int64_t>(group.cut_order.size()), "round"),
                         group.cut_order.size() == 1 ? "is" : "are");
  return rows.text({0, 2}) + notes;
}

std::vector<TitledTable> titled_tables(const GroupResult& group, const GroupAnalysis& analysis,
                                       const Results& results) {
  const std::string states = device_states_text(analysis.device);
  std::string host = host_states_text(analysis.host);
  if (!host.empty()) host = "  Host: " + host + "\n";
  const GroupResult* const only[] = {&group};
  std::string link;
  if (const auto speed = link_speed(results, only))
    link = "  Link: " + link_speed_text(*speed) + "\n";
  std::vector<TitledTable> tables{
      {"Cases (per iteration; baseline: " + group.baseline + ")",
       case_table(group, analysis, results)},
      {"Verdict", verdict_table(group, analysis, results)},
      {"Stages", stage_table(group, analysis)},
      {"Lanes (per item)", lane_table(group, analysis)},
      {"GPU before and after the rounds", condition_table(group, analysis.device)},
      {analysis.device.over_turns ? "GPU over the turns" : "GPU at the turns' ends",
       states.empty() ? "" : "  " + states + "\n"},
      {"Limits", limit_table(group, results) + link + host},
      {"Pairs (level 1 - 0.05/number of pairs)", pair_table(group, analysis, results)},
      {"Noise (context switches and faults over all rounds)", noise_table(group, analysis)},
      {"Files that are loaded", dataset_table(group)},
      {"Outputs against the reference in double", check_table(group)},
      {"Counters of the profiled steps (cycles and instructions: user space only)",
       counter_table(group)}};
  std::erase_if(tables, [](const TitledTable& table) { return table.body.empty(); });
  return tables;
}

}  // namespace normbench
