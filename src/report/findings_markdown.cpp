#include "report/findings_markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "core/units.h"
#include "report/cause_text.h"
#include "report/document_text.h"
#include "report/markup_table.h"
#include "report/sweep_text.h"
#include "report/verdict_text.h"
#include "report/words.h"

namespace normbench {
namespace {

/// A publication, and the experiments in it that the user wants to see. lines() returns the claims
/// and figures of these experiments, with their results in the documents.
struct SourceFindings {
  Publication source;
  std::vector<const Reproduction*> experiments;

  std::vector<const Reproduced*> lines() const {
    std::vector<const Reproduced*> all;
    for (const Reproduction* const one : experiments)
      for (const Reproduced& line : one->lines) all.push_back(&line);
    return all;
  }
};

using JudgedLines = InOrder<std::vector<const Reproduced*>>;

std::string quoted_name(const std::string& variant) {
  return "\"" + escaped_markdown(variant) + "\"";
}

std::string outcome_phrase(Judgement::Outcome outcome) {
  const char* const verb = outcome == Judgement::Outcome::DirectionOnly  ? "holds in"
                           : outcome == Judgement::Outcome::Inconclusive ? "stays"
                                                                         : "is";
  return fmt::format("{} **{}**", verb, name_of(outcome));
}

/// Returns a text like " at threads=1", or "" if the point has no axes.
std::string at_text(const Json& point) { return point.empty() ? "" : " at " + point_text(point); }

/// The slower and the faster variant of a pair, and how many times as long the slower one takes.
struct SidesApart {
  std::string slower, faster, times;
};

SidesApart sides_apart(const GroupResult& group, const Pair& pair) {
  const bool reversed = pair.ratio.value < 1;
  return {.slower = quoted_name(group.cases[reversed ? pair.b : pair.a].variant),
          .faster = quoted_name(group.cases[reversed ? pair.a : pair.b].variant),
          .times = times_text(claimed_ratio(pair, reversed ? Relation::Less : Relation::More))};
}

/// Returns a text like "A takes 1.38x (1.37-1.41) as long as B". `said` holds the pair of the
/// previous call. If this call has the same pair, returns only the ratio. Sets `said` to the pair
/// of this call.
std::string pair_text(const GroupResult& group, const Judgement& judgement, std::string& said) {
  const Pair& pair = *judgement.pair;
  const auto [slower, faster, times] = sides_apart(group, pair);
  const bool again = said == slower + "\n" + faster;
  said = slower + "\n" + faster;
  const std::string text =
      again ? times : fmt::format("{} takes {} as long as {}", slower, times, faster);
  if (!pair.covered) return text + ", in too few rounds to be sure";
  if (pair.different || judgement.outcome == Judgement::Outcome::Inconclusive) return text;
  return text + ", so no difference larger than " + format_percent(widest_difference(pair));
}

/// Returns the text of a claim with its ids and its size, like "\"caching is faster\" (C1, claimed
/// 1.15x)".
std::string claim_text(const Claim& claim) {
  const std::string size = claim.across ? "" : claimed_text(claim);
  return fmt::format("\"{}\" ({}{}{})", escaped_markdown(claim.text), enumerate(claim.ids),
                     size.empty() ? "" : ", claimed ", size);
}

/// Returns a sentence about a claim, with the outcome at each point of `lines`.
std::string claim_sentence(const std::vector<const Reproduced*>& lines) {
  const Claim& claim = *std::get<ReproducedClaim>(lines.front()->found).claim;
  std::string text = claim_text(claim) + " ", said, caveat;
  const Judgement::Outcome* last = nullptr;
  for (const Reproduced* const line : lines) {
    const Judgement& judgement = std::get<ReproducedClaim>(line->found).judgement;
    const std::string at = at_text(line->group->point);
    if (last == nullptr || *last != judgement.outcome)
      text += fmt::format("{}{}{}: ", last ? "; it " : "", outcome_phrase(judgement.outcome), at);
    else
      text += fmt::format(";{}: ", at);
    text += pair_text(*line->group, judgement, said);
    if (caveat.empty() && judgement.caveat)
      caveat = fmt::format(" ({}{})", at.empty() ? "" : at.substr(1) + " ",
                           escaped_markdown(caveat_text(judgement.caveat)));
    last = &judgement.outcome;
  }
  return text + caveat + ".";
}

std::string trend_sentence(const TrendJudgement& trend) {
  const auto end = [&](const Interval& ratio, const Json& value) {
    return fmt::format("{} at {}={}", times_text(ratio), trend.claim.across->axis,
                       axis_value(value));
  };
  return fmt::format("{} {}{}: from {} to {}.", claim_text(trend.claim),
                     outcome_phrase(trend.outcome), at_text(trend.fixed),
                     end(trend.first, trend.from), end(trend.last, trend.to));
}

const Judgement* judgement_of(const Reproduced& line) {
  const auto* const claim = std::get_if<ReproducedClaim>(&line.found);
  return claim == nullptr ? nullptr : &claim->judgement;
}

/// Returns those of `lines` whose claim was judged by a pair of measured cases, grouped by
/// experiment and claim. A claim with several ids has a line for each id. Only the first of these
/// lines is returned.
JudgedLines judged_lines(const std::vector<const Reproduced*>& lines) {
  JudgedLines judged;
  std::set<std::pair<const GroupResult*, const Claim*>> seen;
  for (const Reproduced* const line : lines) {
    const Judgement* const judgement = judgement_of(*line);
    if (judgement == nullptr || !judgement->pair) continue;
    const Claim* const claim = std::get<ReproducedClaim>(line->found).claim;
    if (seen.emplace(line->group, claim).second)
      judged.under(line->group->experiment + "\n" + claim->text).push_back(line);
  }
  return judged;
}

/// Returns the shape and the dtypes of the sources (input tensors) of the measured cases, like
/// "128x3x256x256 float32". If the batch was scaled down, the number of images in the config
/// follows. Returns "" if the sources have different shapes.
std::string sources_text(const std::vector<const Reproduced*>& lines) {
  std::vector<std::string> dtypes;
  std::set<std::string> shapes;
  std::int64_t asked = 0;
  for (const Reproduced* const line : lines) {
    asked = std::max(asked, line->group->scaled_from);
    for (const CaseResult& one : line->group->cases) {
      if (!measured(one) || !one.source) continue;
      const auto [n, c, h, w] = one.source->shape.extents();
      shapes.insert(fmt::format("{}x{}x{}x{}", n, c, h, w));
      const std::string dtype(name_of(one.source->dtype));
      if (std::ranges::find(dtypes, dtype) == dtypes.end()) dtypes.push_back(dtype);
    }
  }
  if (shapes.size() != 1) return "";
  return fmt::format("{} {}{}", *shapes.begin(), enumerate(dtypes),
                     asked > 0 ? fmt::format(", scaled down from {} images to fit", asked) : "");
}

/// Adds a sentence for each judged claim. A sentence begins with the shape and the dtypes of the
/// source tensors if the previous claim was judged with others. Sentences about trends follow.
void add_claim_sentences(const std::vector<const Reproduced*>& lines,
                         std::vector<std::string>& text) {
  std::string sources;
  for (const auto& [key, of] : judged_lines(lines)) {
    const std::string now = sources_text(of);
    const bool is_new = !now.empty() && now != sources;
    sources = now;
    text.push_back((is_new ? "On " + now + ": " : "") + claim_sentence(of));
  }
  std::set<std::string> seen;
  for (const Reproduced* const line : lines)
    if (const auto* const trend = std::get_if<TrendJudgement>(&line->found))
      if (!trend->from.is_null())
        if (const std::string one = trend_sentence(*trend); seen.insert(one).second)
          text.push_back(one);
}

/// Returns a sentence that counts the outcomes of all judgements, like "Judged here, a claim at
/// each of its points: 6 confirmed, 1 contradicted.". A claim judged at two points is counted
/// twice. Returns "" if no claim was judged.
std::string tally_text(const std::vector<const Reproduced*>& lines) {
  std::map<Judgement::Outcome, int> counts;
  for (const auto& [key, of] : judged_lines(lines))
    for (const Reproduced* const line : of) ++counts[judgement_of(*line)->outcome];
  std::set<std::string> seen;
  for (const Reproduced* const line : lines)
    if (const auto* const trend = std::get_if<TrendJudgement>(&line->found))
      if (!trend->from.is_null() && seen.insert(trend_sentence(*trend)).second)
        ++counts[trend->outcome];
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : counts)
    parts.push_back(fmt::format("{} {}", count, name_of(outcome)));
  if (parts.empty()) return "";
  return fmt::format("Judged here, a claim at each of its points: {}.", fmt::join(parts, ", "));
}

/// Adds sentences on what determines the times of the cases. Each case is in one sentence at most.
/// A case is left out if the claim about it has a caveat (the compared cases differ in several
/// factors), because the sentence about the claim already has the caveat.
void add_causes(const std::vector<const Reproduced*>& lines, std::vector<std::string>& text) {
  std::set<std::string> seen;
  InOrder<std::string> by_cause;
  for (const Reproduced* const line : lines) {
    const Judgement* const judgement = judgement_of(*line);
    if (!line->cause || (judgement != nullptr && judgement->caveat) ||
        !seen.insert(line->case_name).second)
      continue;
    const CauseText cause = cause_text(line->cause);
    std::string shown = cause.evidence.substr(0, cause.evidence.find_last_not_of('.') + 1);
    shown[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(shown[0])));
    std::string& said = by_cause.under(cause.what);
    const std::string of = quoted_name(line->case_name) + at_text(line->group->point);
    said += said.empty() ? fmt::format("The time of {} is set by {}: ", of, cause.what)
                         : fmt::format("; that of {}: ", of);
    said += escaped_markdown(shown);
  }
  for (const auto& [what, said] : by_cause) text.push_back(said + ".");
}

/// Returns how much time would be saved if a stage overlapped with the other stages, computed from
/// the published times.
std::string overlap_sentence(const PublishedOverlap& overlap) {
  const auto ms = [](double value) { return format_ms(value * 1e6); };
  const double items = static_cast<double>(overlap.whole->items);
  std::string text = fmt::format(
      "Arithmetic of the published figures: {} is {} of {} ms an item, so overlapping it with the "
      "rest gains at most {} ({} ms for {})",
      escaped_markdown(overlap.stage->stage), ms(overlap.stage_ms), ms(overlap.whole_ms),
      format_percent(1 - overlap.overlapped_ms / overlap.whole_ms),
      format_count(std::llround(overlap.overlapped_ms * items)), overlap.whole->items);
  if (overlap.servers > 1)
    text += fmt::format(", and {} at a time are needed for {} ms", overlap.servers,
                        format_count(std::llround((overlap.whole_ms - overlap.stage_ms) * items)));
  if (overlap.faster != nullptr)
    text += fmt::format("; {} is published as {} ms, so more than overlap changed",
                        quoted_name(overlap.faster->variant),
                        format_count(std::llround(*overlap.faster->wall_ms)));
  return text + ".";
}

void add_arithmetic(const std::vector<const Reproduced*>& lines, std::vector<std::string>& text) {
  std::set<const GroupResult*> seen;
  for (const Reproduced* const line : lines)
    if (seen.insert(line->group).second)
      for (const PublishedOverlap& overlap : published_overlaps(*line->group))
        text.push_back(overlap_sentence(overlap));
}

/// Returns why a case was not measured.
std::string why_not_measured(const CaseResult& result) {
  return (result.status == Status::Failed ? "failed: " : "") + reason_text(result);
}

/// A visitor for `Reproduced::found`. Returns why nothing was measured for a claim or a figure, or
/// "" if something was measured.
struct WhyNot {
  const GroupResult& group;

  std::string operator()(const ReproducedClaim& found) const {
    if (found.judgement.pair) return "";
    const bool failed = found.judgement.outcome == Judgement::Outcome::Failed;
    return (failed ? "failed: " : "") + judgement_detail(group, *found.claim, found.judgement, 0);
  }
  std::string operator()(const TrendJudgement& trend) const {
    if (!trend.from.is_null()) return "";
    const std::string skipped = judgement_detail(group, trend.claim, {}, 0);
    return skipped.empty() ? trend_needs(trend) : skipped;
  }
  std::string operator()(const ReproducedFigure& found) const {
    if (found.figure.here) return "";
    const int index = index_of(group, found.published->variant);
    return index >= 0 && !measured(group.cases[index]) ? why_not_measured(group.cases[index])
                                                       : "not measured";
  }
};

/// Returns a sentence like "Not testable here: A4, A5 and parts of A6 (no GPU).", or "" if all
/// experiments are testable.
std::string not_testable_text(const SourceFindings& of) {
  InOrder<std::vector<std::string>> by_reason;
  for (const Reproduction* const one : of.experiments) {
    std::vector<std::string> reasons;
    for (const Reproduced& line : one->lines)
      reasons.push_back(std::visit(WhyNot{*line.group}, line.found));
    const bool is_part = std::ranges::find(reasons, "") != reasons.end();
    for (const std::string& reason : std::set(reasons.begin(), reasons.end()))
      if (!reason.empty())
        by_reason.under(reason).push_back(
            fmt::format("{}{}", is_part ? "parts of " : "", one->experiment.id));
  }
  std::vector<std::string> parts;
  for (const auto& [reason, ids] : by_reason)
    parts.push_back(fmt::format("{} ({})", enumerate(ids), escaped_markdown(reason)));
  return parts.empty() ? "" : fmt::format("Not testable here: {}.", fmt::join(parts, "; "));
}

/// Returns the list of the experiments that are in no results document, or "" if all are in
/// documents.
std::string not_run_text(const SourceFindings& of) {
  std::vector<std::string> parts;
  for (const Reproduction* const one : of.experiments)
    if (one->lines.empty())
      parts.push_back(fmt::format("- {}, {}: {}.", one->experiment.id, one->experiment.about,
                                  absence_text(*one)));
  return parts.empty() ? "" : fmt::format("Not run:\n\n{}\n", fmt::join(parts, "\n"));
}

/// A row of the table of figures, with the figures of a variant and of its stages.
struct FigureRow {
  const Reproduced* line = nullptr;
  std::string published, here;  // figures of the whole variant; "" if only stages have figures
  std::vector<std::string> stages_published, stages_here;
};

std::string stage_figure(const std::string& stage, const PublishedFigure& figure, double value) {
  return escaped_markdown(stage) + " " +
         (figure.kind == FigureKind::Wall ? format_ms(value * 1e6) + " ms"
                                          : figure_text(figure.kind, value));
}

/// Returns the rows for the published figures that were also measured here. The figures of a stage
/// are in the row of its variant.
std::vector<FigureRow> figure_rows(const std::vector<const Reproduced*>& lines) {
  std::vector<FigureRow> rows;
  const auto is_of = [](const FigureRow& row, const Reproduced& line, bool is_stage) {
    const Published &one = *std::get<ReproducedFigure>(row.line->found).published,
                    &other = *std::get<ReproducedFigure>(line.found).published;
    return row.line->group == line.group && row.line->id == line.id &&
           one.variant == other.variant && (is_stage || &one == &other);
  };
  for (const Reproduced* const line : lines) {
    const auto* const found = std::get_if<ReproducedFigure>(&line->found);
    if (found == nullptr || !found->figure.here) continue;
    const auto& [kind, published, here] = found->figure;
    const std::string& stage = found->published->stage;
    auto row = std::ranges::find_if(
        rows, [&](const FigureRow& one) { return is_of(one, *line, !stage.empty()); });
    if (row == rows.end())
      row = rows.insert(
          row,
          {.line = line, .published = {}, .here = {}, .stages_published = {}, .stages_here = {}});
    if (!stage.empty()) {
      row->stages_published.push_back(stage_figure(stage, found->figure, published));
      row->stages_here.push_back(stage_figure(stage, found->figure, *here));
      continue;
    }
    const char* const and_ = row->published.empty() ? "" : ", ";
    row->published += and_ + figure_text(kind, published);
    row->here += and_ + figure_text(kind, *here);
  }
  return rows;
}

/// Returns a text like "175.5 ms wall (cast 54.4 ms, sub 64.4 ms, div 56.6 ms)".
std::string with_stages(const std::string& whole, const std::vector<std::string>& stages) {
  if (stages.empty()) return whole;
  const std::string list = fmt::format("{}", fmt::join(stages, ", "));
  return whole.empty() ? list : fmt::format("{} ({})", whole, list);
}

std::string figure_table(const std::vector<const Reproduced*>& lines) {
  const std::vector<FigureRow> rows = figure_rows(lines);
  if (rows.empty()) return "";
  MarkupTable table{.columns = {{""},
                                {""},
                                {"published", Align::Right, true},
                                {"here", Align::Right, true},
                                {"published where"}}};
  for (const FigureRow& row : rows) {
    const Published& published = *std::get<ReproducedFigure>(row.line->found).published;
    table.rows.push_back({{row.line->id},
                          {published.variant + at_text(row.line->group->point)},
                          {with_stages(row.published, row.stages_published)},
                          {with_stages(row.here, row.stages_here)},
                          {published.where}});
  }
  return table.markdown() + "\n";
}

/// Returns a link relative to docs/, like "[blog-cpu](../results/blog-cpu.json)".
std::string link_to(const KeptDocument& document) {
  const std::string target = (document.file.starts_with('/') ? "" : "../") + document.file;
  const bool plain = target.find_first_of(" ()<>") == target.npos;
  return fmt::format("[{}]({})", escaped_markdown(document.analysed.results().name),
                     plain ? target : "<" + target + ">");
}

bool has_any(const Results& results, const std::vector<const Reproduced*>& lines) {
  return std::ranges::any_of(results.groups, [&](const GroupResult& group) {
    return std::ranges::find(lines, &group, &Reproduced::group) != lines.end();
  });
}

/// Returns the command that runs the experiments of a publication again, and links to the
/// documents, like "Again: `normbench reproduce blog --allow-peers`" and "kept: [blog-cpu](...)".
std::string again_text(const SourceFindings& of, std::span<const KeptDocument> documents) {
  std::vector<std::string> links;
  for (const KeptDocument& one : documents)
    if (has_any(one.analysed.results(), of.lines())) links.push_back(link_to(one));
  return fmt::format("Again: `normbench reproduce {} --allow-peers`{}{}\n", of.source.name,
                     links.empty() ? "" : " · kept: ", fmt::join(links, ", "));
}

/// Joins the sentences that are not empty.
std::string paragraph(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& one : sentences)
    if (!one.empty()) text += (text.empty() ? "" : " ") + one;
  return text;
}

std::string source_section(const SourceFindings& of, std::span<const KeptDocument> documents) {
  const std::vector<const Reproduced*> lines = of.lines();
  std::vector<std::string> details;
  add_claim_sentences(lines, details);
  add_causes(lines, details);
  add_arithmetic(lines, details);
  std::string text =
      fmt::format("## {}: {}\n\n{}\n\n", of.source.name, of.source.origin,
                  paragraph({std::string(of.source.says), tally_text(lines),
                             details.empty() ? "Nothing of it was measured here." : "",
                             not_testable_text(of)}));
  for (const std::string& one : details) text += "- " + one + "\n";
  if (!details.empty()) text += "\n";
  text += figure_table(lines);
  if (const std::string missing = not_run_text(of); !missing.empty()) text += missing + "\n";
  return text + again_text(of, documents);
}

/// Facts from the documents of one machine: its GPU, the dates of the runs, and the versions of
/// normbench.
struct MachineDays {
  std::string gpu;
  std::set<std::string> days, versions;
  bool quick = false, interrupted = false, uses_gpu = false;
};

/// Returns a version like "0.1.0 (34e4670)".
std::string version_of(const Json& tool) {
  const std::string revision = text_at(tool, "/revision", "");
  return text_at(tool, "/version", "?") + (revision.empty() ? "" : " (" + revision + ")");
}

std::string machine_sentence(const std::string& machine, const MachineDays& of) {
  std::string text = fmt::format("Measured on {}, {}, on {} by normbench {}.", machine, of.gpu,
                                 fmt::join(of.days, " and "), fmt::join(of.versions, " and "));
  if (of.quick) text += " These were quick runs: their intervals are wide.";
  if (of.interrupted) text += " A run of them was interrupted: parts are missing.";
  return text;
}

std::string machine_sentences(std::span<const KeptDocument> documents) {
  InOrder<MachineDays> machines;
  for (const KeptDocument& one : documents) {
    const Results& results = one.analysed.results();
    const Json& environment = results.environment;
    MachineDays& machine = machines.under(fmt::format(
        "{} ({})", text_at(environment, "/host", "a machine"), machine_text(environment)));
    if (machine.gpu.empty() || (needs_gpu(results) && !machine.uses_gpu))
      machine.gpu = gpu_text(results);
    machine.uses_gpu = machine.uses_gpu || needs_gpu(results);
    machine.days.insert(text_at(environment, "/date", "a day not known").substr(0, 10));
    machine.versions.insert(version_of(results.tool));
    machine.quick = machine.quick || results.quick;
    machine.interrupted = machine.interrupted || results.interrupted;
  }
  std::vector<std::string> sentences;
  for (const auto& [name, of] : machines) sentences.push_back(machine_sentence(name, of));
  return sentences.empty() ? "No document was given." : paragraph(sentences);
}

std::string introduction(std::span<const KeptDocument> documents, const std::string& command) {
  return fmt::format(
      "# Findings\n\n"
      "Others have measured how images should be cast, normalised and moved to the GPU. normbench "
      "runs what they published, all variants by turns in the same rounds and every output "
      "checked, and this page has of each what was claimed, what was measured here, and why. "
      "`{}` renders it from the documents linked below: every figure, verdict and cause is theirs."
      "\n\n{}\n\n"
      "A ratio has its 95 % interval behind it, corrected for the number of pairs. A claim with a "
      "size is *confirmed* where the interval here lies within 10 % of it, and holds in *direction "
      "only* where another size is certain. Times are of one batch. `--format markdown` in place "
      "of `findings` shows every line of it.\n",
      command, machine_sentences(documents));
}

}  // namespace

std::string findings_markdown(const std::vector<Reproduction>& all,
                              std::span<const KeptDocument> documents, const std::string& command) {
  std::vector<SourceFindings> sources;
  for (const Reproduction& one : all) {
    const Publication source = one.experiment.source;
    if (sources.empty() || sources.back().source != source)
      sources.push_back({.source = source, .experiments = {}});
    sources.back().experiments.push_back(&one);
  }
  std::string text = introduction(documents, command);
  for (const SourceFindings& of : sources) text += "\n" + source_section(of, documents);
  return text;
}

}  // namespace normbench
