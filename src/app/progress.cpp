#include "app/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/process.h"
#include "app/terminal.h"
#include "core/units.h"
#include "report/document_text.h"
#include "report/words.h"

namespace normbench {

constexpr auto words(GroupStep::Kind) {
  using enum GroupStep::Kind;
  return std::to_array<Word<GroupStep::Kind>>({{Prepared, "preparing"},
                                               {Turn, "turn"},
                                               {Process, "process"},
                                               {StagedTurn, "stages"},
                                               {Checked, "checking"},
                                               {Profiled, "profiling"}});
}

namespace {

constexpr auto kRedraw = std::chrono::seconds(1);
constexpr int kCyclesPerLine = 10;

/// Returns how a group ended, like "40 rounds (precision)": the number of rounds and why there were
/// no more. If cases succeeded but no round was measured, as under a profiling tool, the text is
/// "checked". If cases failed, the text continues with how many failed and why. If no case
/// succeeded, it contains only the failures.
std::string done_text(const GroupResult& group) {
  std::size_t rounds = 0;
  bool any = false;
  for (const CaseResult& result : group.cases) {
    rounds = std::max(rounds, result.rounds.size());
    any = any || result.status == Status::Ok;
  }
  const std::string failures = failures_text({&group, 1});
  if (!any && !failures.empty()) return failures;
  const std::string done =
      any && rounds == 0 ? "checked"
                         : fmt::format("{} rounds ({})", rounds,
                                       group.stop ? name_of(*group.stop) : "nothing to run here");
  return failures.empty() ? done : done + ", " + failures;
}

}  // namespace

ProgressStyle progress_style(bool quiet) {
  if (quiet) return ProgressStyle::Nothing;
  return is_live() ? ProgressStyle::Live : ProgressStyle::Lines;
}

LiveLine::LiveLine(ProgressStyle style)
    : style_(style), start_(std::chrono::steady_clock::now()), last_(start_) {}

bool LiveLine::is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (style_ != ProgressStyle::Live || now - last_ < kRedraw) return false;
  last_ = now;
  return true;
}

void LiveLine::show(const std::string& line) {
  write_over(line);
  shown_ = true;
}

void LiveLine::clear() {
  if (shown_) write_over("");
  shown_ = false;
}

double LiveLine::spent() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Progress::Progress(const Plan& plan, ProgressStyle style)
    : plan_(plan), pace_(plan), line_(style) {}

std::string Progress::left() const {
  return fmt::format("about {:.0f} s left", std::ceil(pace_.seconds_left(line_.spent())));
}

void Progress::group_started(std::size_t index, const Group&, std::int64_t part) {
  pace_.group_started(index, part, line_.spent());
  rounds_.clear();
  started_ = true;
  if (line_.style() == ProgressStyle::Live)
    line_.show(fmt::format("{}: preparing · {}", name(index), left()));
}

void Progress::turns_fitted(std::size_t index, const GroupForecast& forecast) {
  if (pace_.turns_fitted(index, forecast)) tell_overrun(index, forecast);
}

void Progress::step_done(const GroupStep& step) {
  pace_.step_done(step, line_.spent());
  if (step.kind == GroupStep::Kind::Process && step.done < step.all) tell_process(step);
  if (line_.is_due())
    line_.show(fmt::format("{}: {}{} {} of {} · {}", name(step.group), rounds_, name_of(step.kind),
                           step.done, step.all, left()));
}

void Progress::round_done(int rounds, double seconds, double half_width) {
  const std::string width = half_width > 0 ? fmt::format(", ±{:.1f} %", half_width * 100) : "";
  rounds_ = fmt::format("{}, {:.0f} s{}, ", counted(rounds, "round"), seconds, width);
}

void Progress::group_finished(std::size_t index, const GroupResult& group) {
  pace_.group_finished(line_.spent());
  rounds_.clear();
  line_.clear();
  if (line_.style() != ProgressStyle::Lines) return;
  const bool is_last = index + 1 == plan_.groups.size();
  tell("{}: {}{}\n", name(index), done_text(group), is_last ? "" : " · " + left());
}

/// Clears the live line. If the style is Lines, also prints how many processes have finished, out
/// of those that share the group's rounds.
void Progress::tell_process(const GroupStep& step) {
  line_.clear();
  if (line_.style() == ProgressStyle::Lines)
    tell("{}: process {} of {} · {}\n", name(step.group), step.done, step.all, left());
}

/// Returns a group's name, like "[1/3] place batch=8, size=720x1280".
std::string Progress::name(std::size_t index) const {
  return fmt::format("[{}/{}] {}", index + 1, plan_.groups.size(), group_name(plan_.groups[index]));
}

/// Prints that a group will take longer than max_seconds_per_group: the expected time, and how it
/// is divided among preparation, rounds and checks.
void Progress::tell_overrun(std::size_t index, const GroupForecast& forecast) {
  line_.clear();
  tell("{}: {}\n", name(index),
       overrun_text(forecast, plan_.measure_of(plan_.groups[index]).max_seconds_per_group));
}

std::string group_name(const Group& group) {
  return fmt::format("{}{}{}", group.experiment, group.point.empty() ? "" : " ",
                     point_text(group.point));
}

std::string overrun_text(const GroupForecast& forecast, double limit) {
  const auto seconds = [](double value) { return format_significant(value, 2); };
  return fmt::format(
      "about {} s instead of {:g} s: {} s to prepare, at least {} rounds of {}, of which one takes "
      "{} s, and {} s for checks",
      seconds(forecast.seconds()), limit, seconds(forecast.preparing_seconds),
      forecast.fewest_rounds, counted(static_cast<std::int64_t>(forecast.turns), "turn"),
      seconds(forecast.round_seconds), seconds(forecast.after_seconds));
}

CalibrateProgress::CalibrateProgress(int pairs, double seconds, ProgressStyle style)
    : pairs_(pairs), seconds_(seconds), line_(style) {}

std::string CalibrateProgress::text() const {
  const double spent = line_.spent();
  const double left = pairs_ > 0 ? spent / std::max(done_, 1) * (pairs_ - done_) : seconds_ - spent;
  std::string text = fmt::format(
      "{} pairs of each kind: {} of {} intervals of identical code exclude 1, 5 % more "
      "work found in {} of {}",
      done_, excluding_, 2 * done_, found_, done_);
  if (done_ > 0 || pairs_ == 0) text += fmt::format(" · about {:.0f} s left", std::max(left, 0.0));
  return text;
}

void CalibrateProgress::round_done(int, double, double) {
  if (line_.is_due()) line_.show(text());
}

void CalibrateProgress::pair_done(const JudgedPair& pair) {
  if (pair.fresh_process) return;
  if (pair.kind != PairKind::Slowed) {
    if (pair.ratio.low > 1 || pair.ratio.high < 1) ++excluding_;
    return;
  }
  ++done_;  // the slowed pair is the last pair of a cycle
  if (pair.answer == Answer::Found) ++found_;
  if (line_.style() == ProgressStyle::Lines && done_ % kCyclesPerLine == 0) tell("{}\n", text());
}

}  // namespace normbench
