#include "report/calibration_text.h"

#include <fmt/format.h>

#include <array>

#include "core/text.h"
#include "core/units.h"
#include "report/document_text.h"

namespace normbench {
namespace {

constexpr auto pair_kinds =
    std::to_array<Word<PairKind>>({{PairKind::Identical, "identical, 16x3x480x640"},
                                   {PairKind::Cached, "identical, 1x3x256x256 in cache"},
                                   {PairKind::Slowed, "5 % more work, 80x3x96x640"}});

/// Adds a table row that sums up the pairs of variants of one kind. Leaves out the pairs that were
/// measured in a fresh process, because they only serve to compare processes.
void add_pairs(const std::vector<JudgedPair>& pairs, const Word<PairKind>& kind, Rows& rows) {
  std::vector<double> widths, ratios, rounds;
  int excluding = 0, different = 0;
  for (const JudgedPair& pair : pairs) {
    if (pair.fresh_process || pair.kind != kind.value) continue;
    widths.push_back(half_width(pair.ratio));
    ratios.push_back(pair.ratio.value);
    rounds.push_back(pair.rounds);
    excluding += pair.ratio.low > 1 || pair.ratio.high < 1;
    different += pair.different;
  }
  if (ratios.empty()) return;
  rows.add({std::string(kind.name), std::to_string(ratios.size()),
            fmt::format("{:.0f}", median(rounds)), fmt::format("{:.4f}", median(ratios)),
            format_percent(median(widths)), std::to_string(excluding), std::to_string(different)});
}

/// Returns the number at `key` as a percentage, or "?" if it is missing.
std::string percent_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? format_percent(found->get<double>()) : "?";
}

std::string k_of_n(const Json& json, const std::string& k, const std::string& n) {
  return fmt::format("{} of {}", integer_at(json, "/" + k, 0), integer_at(json, "/" + n, 0));
}

/// In some pairs, one variant has 5 % more work. Returns in how many of these pairs the measurement
/// showed that this variant is slower, in how many it called the variant faster, and in how many
/// it showed a difference of a wrong size. Returns "" for documents of older versions, which lack
/// the last two counts.
std::string planted(const Json& calibration) {
  if (!calibration.contains("slowed_wrong_way")) return "";
  return fmt::format("5 % more work found in {}, called faster in {}, of a wrong size in {}; ",
                     k_of_n(calibration, "slowed_found", "slowed_pairs"),
                     integer_at(calibration, "/slowed_wrong_way", 0),
                     integer_at(calibration, "/slowed_wrong_size", 0));
}

}  // namespace

std::string calibration_text(const Json& calibration, const std::vector<JudgedPair>& pairs,
                             const Screen& screen) {
  // If the table is too wide, first the column "rounds" is left out, then "n".
  static constexpr auto spare = std::to_array<std::size_t>({2, 1});
  Rows rows({"pairs", "n", "rounds", "ratio", "±", "exclude 1", "called different"});
  for (const auto& kind : pair_kinds) add_pairs(pairs, kind, rows);
  const std::size_t width = prose_width(screen);
  std::string text =
      wrapped(fmt::format("{}: {} pairs in {:.0f} s", text_at(calibration, "/machine", "?"),
                          pairs.size(), calibration.at("seconds").get<double>()),
              0, width);
  text += rows.text({0}, screen.width, spare);
  const auto add = [&](const std::string& line) { text += wrapped(line, 2, width); };
  add(fmt::format("Identical code called different: {} (Wilson 95 %: {}-{}).",
                  k_of_n(calibration, "false_alarms", "pairs"),
                  percent_at(calibration, "false_alarm_low"),
                  percent_at(calibration, "false_alarm_high")));
  add(fmt::format("Intervals of identical code that exclude 1: {} (at most 5 % expected).",
                  k_of_n(calibration, "excluding_one", "pairs")));
  add(fmt::format("5 % more work: found {}, called faster {}, of a wrong size {}.",
                  k_of_n(calibration, "slowed_found", "slowed_pairs"),
                  integer_at(calibration, "/slowed_wrong_way", 0),
                  integer_at(calibration, "/slowed_wrong_size", 0)));
  add(fmt::format("Smallest difference that one such run shows here: {}.",
                  percent_at(calibration, "visible")));
  add(calibration.at("between").is_null()
          ? "Too few pairs to say how much fresh processes differ."
          : fmt::format("Identical code differed by up to {} between fresh processes, of {}{}.",
                        percent_at(calibration, "between"),
                        counted(integer_at(calibration, "/between_differences", 0), "difference"),
                        knows_between(calibration)
                            ? ""
                            : fmt::format(": too few to lower a margin, which takes {}",
                                          kFewestDifferences)));
  return text;
}

std::string calibration_line(const Json& calibration) {
  if (!calibration.is_object()) return "";
  return fmt::format(
      "calibrated {}: identical code called different in {} pairs; {}visible in one run {}, "
      "between processes {}{}\n",
      text_at(calibration, "/date", "?"), k_of_n(calibration, "false_alarms", "pairs"),
      planted(calibration), percent_at(calibration, "visible"), percent_at(calibration, "between"),
      knows_between(calibration) ? "" : " (not known well enough to lower a margin)");
}

std::string unmeasured_text(const MeasuredPair& pair) {
  const CaseResult* const one = unmeasured(pair);
  if (one == nullptr) return "";
  return fmt::format("\"{}\" of the {} pair was not measured: {}", one->variant, name_of(pair.kind),
                     one->reason);
}

}  // namespace normbench
