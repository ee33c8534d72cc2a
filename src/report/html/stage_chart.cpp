#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/units.h"
#include "report/html/charts.h"
#include "report/html/scale.h"

namespace normbench::html {
namespace {

constexpr double bar_height = 16, floor_height = 6;

/// The time of a stage and the least time that the machine needs for it, both in ns per iteration.
struct StagePart {
  std::string label;
  double ns = 0, floor_ns = 0;
};

std::vector<StagePart> parts_of(const CaseResult& result, const CaseAnalysis& analysis) {
  std::vector<StagePart> parts;
  for (std::size_t s = 0; s < result.stages.size(); ++s) {
    const StageResult& stage = result.stages[s];
    if (stage.rounds_ns.empty()) return {};
    const double floor = s < analysis.stages.size() ? analysis.stages[s].floor_ns : 0;
    parts.push_back({stage.label, per_iteration_ns(result, stage.rounds_ns), floor});
  }
  return parts;
}

double sum(const std::vector<StagePart>& parts, double StagePart::*ns) {
  double sum = 0;
  for (const StagePart& part : parts) sum += part.*ns;
  return sum;
}

class Colours {
 public:
  std::string of(const std::string& label) {
    const auto at = std::ranges::find(labels_, label);
    if (at != labels_.end()) return colour(static_cast<std::size_t>(at - labels_.begin()));
    labels_.push_back(label);
    return colour(labels_.size() - 1);
  }
  Markup legend() const {
    Markup items;
    for (std::size_t i = 0; i < labels_.size(); ++i)
      items += Element{"li", {{"class", colour(i)}}}(name(labels_[i]));
    items += Element{"li", {{"class", "floor"}}}(words("what the machine needs for it at least"));
    return Element{"ul", {{"class", "legend"}}}(items);
  }

 private:
  std::vector<std::string> labels_;
};

Markup bars(const std::vector<StagePart>& parts, const Scale& scale, Colours& colours) {
  Markup shapes;
  double from = 0;
  for (const StagePart& part : parts) {
    const double x = scale.at(from), width = scale.at(from + part.ns) - x;
    shapes += rectangle(x, 2, width, bar_height, "part " + colours.of(part.label),
                        fmt::format("{}: {} ms", part.label, format_ms(part.ns)));
    if (part.floor_ns > 0)
      shapes +=
          rectangle(x, bar_height + 4, scale.at(from + part.floor_ns) - x, floor_height, "floor",
                    fmt::format("{}: at least {} ms", part.label, format_ms(part.floor_ns)));
    from += part.ns;
  }
  return drawing(bar_height + floor_height + 6, shapes);
}

/// Returns the times of the stages, and the least time that the machine needs for all of them, like
/// "sub 50.0, div 47.1 ms; at least 4.2 ms".
std::string parts_text(const std::vector<StagePart>& parts) {
  std::vector<std::string> texts;
  for (const StagePart& part : parts)
    texts.push_back(fmt::format("{} {}", part.label, format_ms(part.ns)));
  const double floor = sum(parts, &StagePart::floor_ns);
  return fmt::format("{} ms{}", fmt::join(texts, ", "),
                     floor > 0 ? fmt::format("; at least {} ms", format_ms(floor)) : "");
}

}  // namespace

Markup stage_chart(const GroupResult& group, const GroupAnalysis& analysis) {
  std::vector<std::pair<std::size_t, std::vector<StagePart>>> cases;
  double most = 0;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    if (!measured(group.cases[i])) continue;
    std::vector<StagePart> parts = parts_of(group.cases[i], analysis.cases[i]);
    if (parts.empty()) continue;
    most = std::max(most, sum(parts, &StagePart::ns));
    cases.emplace_back(i, std::move(parts));
  }
  const bool says_something = std::ranges::any_of(cases, [](const auto& one) {
    return one.second.size() > 1 || one.second.front().floor_ns > 0;
  });
  if (!says_something) return {};
  const Scale scale = Scale::linear(most);
  Colours colours;
  std::vector<TableRow> rows;
  for (const auto& [index, parts] : cases)
    rows.push_back(
        {.heading = name(group.cases[index].variant),
         .cells = {{bars(parts, scale, colours) + Element{"small"}(words(parts_text(parts)))}}});
  const std::vector<Column> columns{{"variant"}, {"stages, one after the other"}};
  return block("stages", table("Where the time goes", columns, rows) + colours.legend());
}

}  // namespace normbench::html
