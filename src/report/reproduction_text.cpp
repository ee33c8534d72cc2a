#include "report/reproduction_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "core/units.h"
#include "report/cause_text.h"
#include "report/document_text.h"
#include "report/html/page.h"
#include "report/markup_table.h"
#include "report/sweep_text.h"
#include "report/verdict_text.h"
#include "report/words.h"

namespace normbench {
namespace {

/// The cells of one line of reproduction_text(): a claim or a published figure, and its result
/// here.
struct Line {
  std::string id, claimed, at, published, here, verdict, why;
};

/// Returns the point of the sweep, like " (batch=8)", with a note if the batch was scaled down.
std::string at_point(const Reproduced& line) {
  const GroupResult& group = *line.group;
  std::vector<std::string> said;
  if (!group.point.empty()) said.push_back(point_text(group.point));
  if (group.scaled_from > 0)
    said.push_back(fmt::format("{} of {} images", images_of(group), group.scaled_from));
  return said.empty() ? "" : fmt::format(" ({})", fmt::join(said, ", "));
}

std::string cause_of(const Reproduced& line) {
  if (!line.cause) return "";
  return fmt::format("{}: {}", spoken(line.case_name), cause_text(line.cause).sentence());
}

/// Returns the measured ratio of the two variants that a claim compares: the time of the variant
/// that is slower according to the claim, over the time of the other one. A ratio below 1 means
/// that the claim has the wrong direction.
std::optional<Interval> ratio_here(const ReproducedClaim& found) {
  if (found.judgement.size || !found.judgement.pair) return found.judgement.size;
  return claimed_ratio(*found.judgement.pair, found.claim->relation);
}

/// Returns why a claim about a trend has no ratios at the ends of its axis. If a variant of the
/// claim was skipped or failed, returns the reason. Otherwise returns which measurements are
/// missing.
std::string missing_ends(const GroupResult& group, const TrendJudgement& trend) {
  const std::string skipped = judgement_detail(group, trend.claim, {}, 0);
  return skipped.empty() ? trend_needs(trend) : skipped;
}

/// Returns the outcome of a published figure whose case was not measured.
Judgement::Outcome why_without(const CaseResult& result) {
  return result.status == Status::Failed ? Judgement::Outcome::Failed : Judgement::Outcome::NotRun;
}

struct ToLine {
  const Reproduced& line;

  Line operator()(const ReproducedClaim& found) const {
    const Claim& claim = *found.claim;
    const Judgement& judgement = found.judgement;
    Line words{.id = line.id,
               .claimed = claim.text,
               .at = at_point(line),
               .published = claimed_text(claim),
               .here = ratio_here(found) ? times_text(*ratio_here(found)) : "",
               .verdict = std::string(name_of(judgement.outcome)),
               .why = judgement.caveat ? caveat_text(judgement.caveat) : cause_of(line)};
    if (!judgement.pair) words.why = judgement_detail(*line.group, claim, judgement, 0);
    return words;
  }
  Line operator()(const TrendJudgement& trend) const {
    const bool has_ends = !trend.from.is_null();
    const auto end = [&](const Interval& ratio, const Json& value) {
      return fmt::format("{} ({}={})", factor(ratio.value), trend.claim.across->axis,
                         axis_value(value));
    };
    return {.id = line.id,
            .claimed = trend.claim.text,
            .at = trend.fixed.empty() ? "" : fmt::format(" ({})", point_text(trend.fixed)),
            .published = claimed_text(trend.claim),
            .here = has_ends ? fmt::format("{} to {}", end(trend.first, trend.from),
                                           end(trend.last, trend.to))
                             : "",
            .verdict = std::string(name_of(trend.outcome)),
            .why = has_ends ? "" : missing_ends(*line.group, trend)};
  }
  Line operator()(const ReproducedFigure& found) const {
    const PublishedFigure& figure = found.figure;
    const std::string& stage = found.published->stage;
    const int index = index_of(*line.group, found.published->variant);
    const bool skipped = index >= 0 && !measured(line.group->cases[index]);
    return {.id = line.id,
            .claimed =
                fmt::format("{}{}{}", found.published->variant, stage.empty() ? "" : ": ", stage),
            .at = at_point(line),
            .published = figure_text(figure.kind, figure.published),
            .here = figure.here ? figure_text(figure.kind, *figure.here) : "",
            .verdict = !skipped ? "" : std::string(name_of(why_without(line.group->cases[index]))),
            .why = skipped ? reason_text(line.group->cases[index]) : cause_of(line)};
  }
};

Json interval_json(const Interval& ratio) {
  return {{"value", finite(ratio.value)}, {"low", finite(ratio.low)}, {"high", finite(ratio.high)}};
}

/// Returns the published values and the values measured here as numbers in JSON. Missing values are
/// null.
struct ToJson {
  Json operator()(const ReproducedClaim& found) const {
    const Claim& claim = *found.claim;
    Json published;
    if (claim.ratio) published = {{"low", claim.ratio->low}, {"high", claim.ratio->high}};
    if (claim.within) published = {{"within", *claim.within}};
    const auto ratio = ratio_here(found);
    return {{"unit", "ratio"},
            {"published", published},
            {"here", ratio ? interval_json(*ratio) : Json()}};
  }
  Json operator()(const TrendJudgement& trend) const {
    const auto end = [](const Json& value, const Interval& ratio) -> Json {
      return {{"at", value}, {"ratio", interval_json(ratio)}};
    };
    Json here;
    if (!trend.from.is_null())
      here = Json::array({end(trend.from, trend.first), end(trend.to, trend.last)});
    return {{"point", trend.fixed},
            {"unit", "ratio"},
            {"published", name_of(trend.claim.across->trend)},
            {"here", here}};
  }
  Json operator()(const ReproducedFigure& found) const {
    const PublishedFigure& figure = found.figure;
    return {{"stage", found.published->stage},
            {"unit", figure.kind == FigureKind::SpeedUp ? "x" : "ms"},
            {"of", name_of(figure.kind)},
            {"published", finite(figure.published)},
            {"here", finite(figure.here)}};
  }
};

std::vector<Line> lines_of(const std::vector<Reproduction>& all) {
  std::vector<Line> lines;
  for (const Reproduction& one : all) {
    const auto& [experiment, found, absence] = one;
    for (const Reproduced& line : found) lines.push_back(std::visit(ToLine{line}, line.found));
    if (found.empty())
      lines.push_back({.id = std::string(experiment.id),
                       .claimed = std::string(experiment.about),
                       .at = "",
                       .published = "",
                       .here = "",
                       .verdict = "not run",
                       .why = absence_text(one)});
  }
  return lines;
}

/// Returns a line with the claim, and a line with its outcome.
std::string block_of(const Line& line, std::size_t width) {
  std::vector<std::string> parts;
  if (!line.published.empty()) parts.push_back("published " + line.published);
  if (!line.here.empty()) parts.push_back("here " + line.here);
  const std::string found = fmt::format("{}", fmt::join(parts, ", "));
  const bool both = !line.verdict.empty() && !found.empty();
  return wrapped(fmt::format("{:<3} {}{}", line.id, line.claimed, line.at), 2, width) +
         wrapped(line.verdict + (both ? ": " : "") + found, 6, width);
}

constexpr std::size_t columns_before_why = 5;

MarkupTable line_table(const std::vector<Line>& lines) {
  MarkupTable table{.columns = {{"id", Align::Unsaid},
                                {"claimed", Align::Unsaid},
                                {"published", Align::Right, true},
                                {"here", Align::Right, true},
                                {"verdict", Align::Unsaid},
                                {"why", Align::Unsaid}}};
  for (const Line& line : lines)
    table.rows.push_back({{line.id},
                          {line.claimed + line.at},
                          {line.published},
                          {line.here},
                          {line.verdict},
                          {line.why}});
  return table;
}

/// Returns a table without the column "why". reasons_below() makes the text that replaces this
/// column. If the screen is too narrow for the other columns, returns a block of lines for each
/// claim instead, because the text of a claim must not be cut.
std::string table_or_blocks(const std::vector<Line>& lines, const Screen& screen) {
  const std::vector<Column> columns = line_table(lines).text_columns(screen, columns_before_why);
  if (table_width(columns, 2) <= screen.width) return columns_text(columns, 2, screen.width);
  std::string blocks;
  for (const Line& line : lines) blocks += block_of(line, prose_width(screen));
  return blocks;
}

/// Returns the texts of the column "why", to be shown below the table. Each text appears once,
/// after the ids of all lines that it explains.
std::string reasons_below(const std::vector<Line>& lines, std::size_t width) {
  InOrder<std::vector<std::string>> ids;
  for (const Line& line : lines) {
    if (line.why.empty()) continue;
    std::vector<std::string>& of = ids.under(line.why);
    if (std::string what = line.id + line.at; std::ranges::find(of, what) == of.end())
      of.push_back(std::move(what));
  }
  std::string text;
  for (const auto& [why, of] : ids)
    text += wrapped(fmt::format("{}: {}", fmt::join(of, ", "), why), 2, width);
  return text;
}

/// Returns true if a published figure was measured here. For a claim, returns true if both variants
/// that it compares were measured, even if the claim was not decided.
struct RanHere {
  static bool is_of_measured(Judgement::Outcome outcome) {
    using enum Judgement::Outcome;
    return outcome != Failed && outcome != NotRun && outcome != Interrupted;
  }
  bool operator()(const ReproducedClaim& found) const {
    return is_of_measured(found.judgement.outcome);
  }
  bool operator()(const TrendJudgement& trend) const { return is_of_measured(trend.outcome); }
  bool operator()(const ReproducedFigure& found) const { return found.figure.here.has_value(); }
};

/// Returns a text like "5 of 8 experiments ran here.". `all` has all 8 published experiments.
std::string count_text(const std::vector<Reproduction>& all) {
  const auto here = std::ranges::count_if(all, [](const Reproduction& one) {
    return std::ranges::any_of(
        one.lines, [](const Reproduced& line) { return std::visit(RanHere(), line.found); });
  });
  return fmt::format("{} of {} ran here.", here, counted(std::ssize(all), "experiment"));
}

}  // namespace

std::string absence_text(const Reproduction& of) {
  if (!of.experiment.missing.empty()) return of.experiment.missing;
  switch (of.absence) {
    case Absence::NoDocument:
      return "no document has it";
    case Absence::NoConfig:
      return "no config has it";
    case Absence::Interrupted:
      return "the run was interrupted before it";
  }
  return "";
}

std::string reproduction_text(const std::vector<Reproduction>& all, const Screen& screen) {
  const std::vector<Line> lines = lines_of(all);
  const std::size_t width = prose_width(screen);
  return table_or_blocks(lines, screen) + reasons_below(lines, width) +
         wrapped(count_text(all), 2, width);
}

std::string reproduction_markdown(const std::vector<Reproduction>& all) {
  return fmt::format("{}\n{}\n", line_table(lines_of(all)).markdown(), count_text(all));
}

std::string reproduction_html(const std::vector<Reproduction>& all) {
  const html::Markup table = line_table(lines_of(all)).html_table("Claims and figures");
  const html::Markup lead = html::Element{"p", {{"class", "lead"}}}(html::words(count_text(all)));
  return html::page({.title = "Published experiments, and the results here",
                     .about = "",
                     .body = html::section("findings", "The result of each",
                                           lead + html::block("reasons", table))});
}

Json reproduction_json(const std::vector<Reproduction>& all) {
  Json list = Json::array();
  for (const Reproduction& one : all) {
    const auto& [experiment, lines, absence] = one;
    if (lines.empty())
      list.push_back({{"id", experiment.id}, {"verdict", "not run"}, {"why", absence_text(one)}});
    for (const Reproduced& line : lines) {
      const Line words = std::visit(ToLine{line}, line.found);
      Json json{{"id", line.id},
                {"experiment", line.group->experiment},
                {"point", line.group->point},
                {"claimed", words.claimed}};
      json.update(std::visit(ToJson{}, line.found));
      json.update({{"verdict", words.verdict}, {"why", words.why}});
      list.push_back(std::move(json));
    }
  }
  return {{"reproduction", list}};
}

}  // namespace normbench
