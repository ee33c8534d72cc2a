#include "analysis/compare/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "analysis/compare/effect.h"
#include "app/commands.h"
#include "app/documents.h"
#include "app/options.h"
#include "app/own_files.h"
#include "app/terminal.h"
#include "document/results.h"
#include "report/comparison.h"
#include "report/comparison_words.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

struct CompareOptions {
  std::string base, now, out;
  const ComparisonReport* report = &comparison_report_named("text");
  std::optional<double> margin;
  std::vector<std::string> only;
  bool force = false, quiet = false, strict = false;
};

bool same_path(const std::string& a, const std::string& b) {
  std::error_code unknown;
  return fs::equivalent(a, b, unknown);
}

/// Keeps only the cases that match --only. Throws Invalid if none matches.
void keep_only(const std::vector<std::string>& globs, std::vector<Results>& base,
               std::vector<Results>& now) {
  bool any = false;
  for (auto* side : {&base, &now})
    for (Results& results : *side)
      if (keep_cases(results, globs)) any = true;
  if (any) return;
  std::vector<std::string> given;
  for (const std::string& glob : globs) given.push_back("--only " + shell_word(glob));
  throw Invalid(fmt::format("{}: no case matches", fmt::join(given, " ")));
}

/// Reports why the two sides must not be compared: up to 8 differences, and how many more there
/// are.
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
    tell("normbench: nothing was compared (--force compares anyway)\n");
  const bool hosts = std::ranges::any_of(comparison.differences, [](const SetupDifference& one) {
    return one.fact == SetupFact::Host;
  });
  if (hosts)
    tell(
        "normbench: each host is a machine of its own; where several are to count as one, as "
        "containers with random names are, give all runs the same --machine NAME\n");
}

Exit exit_code(Gate gate, bool strict) {
  if (gate == Gate::Regressed) return Exit::Failed;
  return gate == Gate::Undecided && strict ? Exit::Inconclusive : Exit::Fine;
}

Exit compare_documents(const CompareOptions& options) {
  std::vector<BadInput> mistakes;
  std::vector<std::string> files = document_files(options.base, mistakes);
  const std::vector<std::string> new_files = document_files(options.now, mistakes);
  std::vector<std::string> inputs = files;
  inputs.insert(inputs.end(), new_files.begin(), new_files.end());
  check_output("--out", options.out, inputs);
  std::vector<Results> base = read_documents(files, mistakes);
  std::vector<Results> now = read_documents(new_files, mistakes);
  write_mistakes(mistakes);
  if (!mistakes.empty()) return Exit::BadInput;
  keep_only(options.only, base, now);
  Comparison comparison = compare(base, now, options.margin);
  if (same_path(options.base, options.now))
    comparison.cautions.insert(comparison.cautions.begin(), caution::SameDocument{});
  if (!comparable(comparison) && (!options.force || comparison.cases.empty())) {
    tell_incomparable(comparison);
    return Exit::Incomparable;
  }
  const bool is_text = options.report == &comparison_reports().front();
  deliver(options.report->render(comparison, screen_of(options.out)), options.out,
          is_text ? show : write_result);
  if (is_text && options.out.empty())
    suggest(options.quiet, fmt::format("normbench compare {} {} --format html --out page.html",
                                       shell_word(options.base), shell_word(options.now)));
  return exit_code(gate(comparison), options.strict);
}

}  // namespace

Subcommand make_compare() {
  const auto options = std::make_shared<CompareOptions>();
  const std::string sides = "results.json, a run's folder, or a folder of several runs";
  std::string formats;
  std::vector<std::string> names;
  for (const ComparisonReport& report : comparison_reports()) {
    names.emplace_back(report.name);
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : ", ", report.name, report.about);
  }
  const Take take_format{[options](const std::string&, const std::string& given) {
                           options->report = &comparison_report_named(given);
                         },
                         names};
  const Take take_margin{[options](const std::string& name, const std::string& given) {
    options->margin = read_number(name, given, 0);
    if (*options->margin >= 1)
      throw Invalid(fmt::format("{} {}: expected a fraction (0.02 is 2 %)", name, given));
  }};
  return {
      .options = {{"BASE", "", "Before: " + sides, &options->base, "", Option::Required},
                  {"NEW", "", "After: " + sides + "; run i is paired with BASE's", &options->now,
                   "", Option::Required},
                  {"--format", "NAME", formats, take_format},
                  out_option(options->out),
                  {"--margin", "X",
                   "Changes up to this count as equal: 0.02 is 2 % (default: from the documents)",
                   take_margin},
                  {"--only", "GLOB", "Only experiments or variants that match", &options->only},
                  {"--force", "", "Compare even if machine, build or config differ",
                   &options->force},
                  quiet_option(options->quiet),
                  {"--strict", "", "Exit 4 when a case could not be decided", &options->strict}},
      .run = [options] { return compare_documents(*options); },
      .help = fmt::format("{} pairs of runs decide, however many cases there are; with fewer, no "
                          "verdict is beyond doubt.",
                          kFewestPairs)};
}

}  // namespace normbench
