#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "report/experiment_lines.h"
#include "report/profile_report.h"
#include "report/report.h"
#include "report/sweep_text.h"

namespace normbench {
namespace {

constexpr std::ptrdiff_t kMostLines = 40;

/// Returns the lines below an experiment's table. The first line of the verdict is always coloured,
/// the last line of the text only if an output is wrong or the machine was noisy.
std::string lines_below(const ExperimentLines& lines, const Screen& screen) {
  const std::size_t width = prose_width(screen);
  std::string text;
  for (const std::string& line : lines.beside) text += wrapped(line, 2, width);
  for (std::size_t i = 0; i < lines.verdict.size(); ++i) {
    const std::string line = wrapped(lines.verdict[i], 2, width);
    text += i == 0 ? painted(line, Ink::Answer, screen) : line;
  }
  for (std::size_t i = 0; i < lines.trust.size(); ++i) {
    const std::string line = wrapped(lines.trust[i], 2, width);
    const bool is_last = i + 1 == lines.trust.size();
    text += !is_last         ? line
            : lines.is_wrong ? painted(line, Ink::Bad, screen)
            : lines.is_noisy ? painted(line, Ink::Doubt, screen)
                             : line;
  }
  return text;
}

std::string section(const Experiment& experiment, const Results& results, const Screen& screen) {
  const GroupResult& first = *experiment.groups[0];
  return "\n" +
         wrapped(first.question.empty() ? first.experiment : first.question, 0,
                 prose_width(screen)) +
         experiment_table(experiment, results, screen) +
         lines_below(experiment_lines(experiment, results), screen);
}

}  // namespace

std::string terminal(const Analysed& analysed, const Screen& screen) {
  return terminal(analysed, TableKind::Torch, screen);
}

std::string terminal(const Analysed& analysed, TableKind profile_kind, const Screen& screen) {
  const Results& results = analysed.visible().results();
  const std::vector<Experiment>& list = analysed.visible().experiments();
  const std::size_t width = prose_width(screen);
  std::string text =
      wrapped(machine_line(results), 0, width) + wrapped(run_line(results, list), 0, width);
  for (const Experiment& experiment : list) text += section(experiment, results, screen);
  // `room` leaves 3 further lines free: for a blank line, for a line that the app prints after the
  // text, and for a line about an interruption.
  const auto room = kMostLines - std::ranges::count(text, '\n') - 3;
  for (const Experiment& experiment : list)
    if (const std::string profile = shown_profile(experiment, results, profile_kind, room, screen);
        !profile.empty()) {
      text += "\n" + profile;
      break;
    }
  if (results.interrupted)
    text += wrapped(fmt::format("{}: {}.",
                                results.unkept ? "Ended early, its journal could not be written"
                                               : "Interrupted",
                                missing_text(results)),
                    0, width);
  return text;
}

}  // namespace normbench
