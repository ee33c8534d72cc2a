#include "analysis/reproduction.h"

#include <algorithm>

namespace normbench {
namespace {

bool has_id(const std::vector<std::string>& ids, const std::string& id) {
  return std::ranges::find(ids, id) != ids.end();
}

/// Sets `cause` and `case_name` in `line`: the cause of the time and the variant of the case with
/// this index. Sets nothing if the case was not measured.
void add_cause(const GroupAnalysis& analysis, int index, const MeasuredDocument& document,
               Reproduced& line) {
  if (index < 0 || !measured(line.group->cases[index])) return;
  line.cause = explain(*line.group, analysis.cases[index], index, document);
  line.case_name = line.group->cases[index].variant;
}

/// Returns the index of the case on the slower side of a claim; -1 if the sides do not differ.
int slower_side(const Judgement& judgement) {
  if (!judgement.pair || !judgement.pair->different) return -1;
  return judgement.pair->ratio.value > 1 ? judgement.pair->a : judgement.pair->b;
}

void add_claims(const Experiment& experiment, const MeasuredDocument& document,
                const std::string& id, std::vector<Reproduced>& lines) {
  for (std::size_t g = 0; g < experiment.groups.size(); ++g) {
    const GroupResult& group = *experiment.groups[g];
    const GroupAnalysis& analysis = experiment.analyses[g];
    for (std::size_t c = 0; c < group.claims.size(); ++c) {
      const Judgement& judgement = analysis.verdict.claims[c];
      if (!has_id(group.claims[c].ids, id) || judgement.outcome == Judgement::Outcome::NotJudged)
        continue;
      Reproduced line{.id = id,
                      .group = &group,
                      .found = ReproducedClaim{&group.claims[c], judgement},
                      .cause = {},
                      .case_name = {}};
      add_cause(analysis, slower_side(judgement), document, line);
      lines.push_back(std::move(line));
    }
  }
  for (TrendJudgement& trend : judge_trends(experiment, document.results()))
    if (has_id(trend.claim.ids, id))
      lines.push_back({.id = id,
                       .group = experiment.groups.front(),
                       .found = std::move(trend),
                       .cause = {},
                       .case_name = {}});
}

void add_figures(const Experiment& experiment, const MeasuredDocument& document,
                 const std::string& id, std::vector<Reproduced>& lines) {
  for (std::size_t g = 0; g < experiment.groups.size(); ++g) {
    const GroupResult& group = *experiment.groups[g];
    for (const Published& published : group.published) {
      if (!has_id(published.ids, id)) continue;
      for (const PublishedFigure& figure :
           published_figures(group, experiment.analyses[g], published)) {
        Reproduced line{.id = id,
                        .group = &group,
                        .found = ReproducedFigure{&published, figure},
                        .cause = {},
                        .case_name = {}};
        if (published.stage.empty())
          add_cause(experiment.analyses[g], index_of(group, published.variant), document, line);
        lines.push_back(std::move(line));
      }
    }
  }
}

}  // namespace

std::vector<Reproduced> reproduced(const Analysed& analysed, const std::string& id) {
  std::vector<Reproduced> lines;
  const MeasuredDocument document(analysed.results());
  for (const Experiment& experiment : analysed.experiments())
    add_claims(experiment, document, id, lines);
  for (const Experiment& experiment : analysed.experiments())
    add_figures(experiment, document, id, lines);
  return lines;
}

}  // namespace normbench
