#include "analysis/compare/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/documents.h"
#include "app/say.h"
#include "core/file.h"
#include "report/comparison.h"
#include "report/comparison_words.h"

namespace normbench {
namespace {

struct Said {
  std::string base, now, format = "text", out;
  std::optional<double> margin;
  std::vector<std::string> only;
  bool force = false, strict = false;
};

std::string formats() {
  std::string text;
  for (const ComparisonReport& report : comparison_reports())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", report.name, report.about);
  return text;
}

void check_margin(const std::optional<double>& margin) {
  if (margin && !(*margin >= 0 && *margin < 1))
    throw Invalid(fmt::format(
        "--margin {}: expected a fraction of at least 0 and below 1 (0.02 is 2 %)", *margin));
}

bool same_path(const std::string& a, const std::string& b) {
  std::error_code unknown;
  return std::filesystem::equivalent(a, b, unknown);
}

/// Leaves out what --only does not name. Throws Invalid when that is everything.
void keep_only(const std::vector<std::string>& globs, std::vector<Results>& base,
               std::vector<Results>& now) {
  bool any = false;
  for (auto* side : {&base, &now})
    for (Results& results : *side)
      if (keep_cases(results, globs)) any = true;
  if (!any) throw Invalid(fmt::format("--only {}: no case matches", fmt::join(globs, ", ")));
}

/// Says why the two must not be compared; of many differences of the configs the first few.
void tell_incomparable(const Comparison& comparison) {
  constexpr int most = 8;
  int more = -most;
  for (const SetupDifference& difference : comparison.differences)
    if (difference.forbids() && ++more <= 0)
      tell("normbench: not comparable: {}\n", difference_text(difference).sentence());
  if (more > 0) tell("normbench: not comparable: {} more differences\n", more);
  if (comparison.cases.empty())
    tell("normbench: not comparable: BASE and NEW have no case in common\n");
  else
    tell("normbench: nothing was compared (--force does it all the same)\n");
}

Exit exit_code(const Comparison& comparison, bool strict) {
  switch (gate(comparison)) {
    case Gate::Passed:
      return Exit::Fine;
    case Gate::Regressed:
      return Exit::Failed;
    case Gate::Undecided:
      return strict ? Exit::Inconclusive : Exit::Fine;
  }
  return Exit::Fine;
}

Exit compare_said(const Said& said) {
  const ComparisonReport& report = comparison_report_named(said.format);
  check_margin(said.margin);
  std::vector<BadInput> mistakes;
  std::vector<Results> base = read_documents(said.base, mistakes);
  std::vector<Results> now = read_documents(said.now, mistakes);
  for (const BadInput& bad : mistakes) tell("{}\n", bad.what());
  if (!mistakes.empty()) return Exit::BadInput;
  keep_only(said.only, base, now);
  Comparison comparison = compare(base, now, said.margin);
  if (same_path(said.base, said.now))
    comparison.warnings.insert(comparison.warnings.begin(), "BASE and NEW are the same document");
  if (!comparable(comparison) && (!said.force || comparison.cases.empty())) {
    tell_incomparable(comparison);
    return Exit::Incomparable;
  }
  const std::string text = report.render(comparison);
  if (said.out.empty())
    say("{}", text);
  else
    write_file(said.out, text);
  return exit_code(comparison, said.strict);
}

}  // namespace

std::function<Exit()> declare_compare(CLI::App& app) {
  const auto said = std::make_shared<Said>();
  const char* sides = "results.json, a run's folder, or a folder of several runs";
  app.add_option("BASE", said->base, fmt::format("Before: {}", sides))->required();
  app.add_option("NEW", said->now, fmt::format("After: {}; run i is paired with BASE's", sides))
      ->required();
  app.add_option("--format", said->format, formats())->type_name("NAME");
  app.add_option("--out", said->out, "Write here instead of to stdout")->type_name("FILE");
  app.add_option("--margin", said->margin,
                 "A change within this is none: 0.02 is 2 % (default: from the documents)")
      ->type_name("X");
  app.add_option("--only", said->only, "Only experiments or variants that match")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_flag("--force", said->force, "Compare although machine, build or config differ");
  app.add_flag("--strict", said->strict, "Exit 4 when a case could not be decided");
  return [said] { return compare_said(*said); };
}

}  // namespace normbench
