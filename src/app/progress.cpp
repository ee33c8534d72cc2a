#include "app/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/process.h"

namespace normbench {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr int kCyclesPerLine = 10;

std::string point_text(const Json& point) {
  std::string text;
  for (const auto& [axis, value] : point.items()) text += fmt::format(" {}={}", axis, value.dump());
  return text;
}

/// "40 rounds (precision)"; "checked" where a profiling tool leaves no room for rounds.
std::string done_text(const GroupResult& group) {
  std::size_t rounds = 0;
  bool any = false;
  for (const CaseResult& result : group.cases) {
    rounds = std::max(rounds, result.rounds.size());
    any = any || result.status == Status::Ok;
  }
  if (any && rounds == 0) return "checked";
  return fmt::format("{} rounds ({})", rounds,
                     group.stop ? name_of(*group.stop) : "nothing to run here");
}

}  // namespace

LiveLine::LiveLine(bool live)
    : live_(live), start_(std::chrono::steady_clock::now()), last_(start_) {}

bool LiveLine::is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now - last_ < kRedraw) return false;
  last_ = now;
  return true;
}

void LiveLine::show(const std::string& line) {
  tell("\r\033[K{}", line);
  shown_ = true;
}

void LiveLine::clear() {
  if (shown_) tell("\r\033[K");
  shown_ = false;
}

double LiveLine::spent() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Progress::Progress(std::size_t groups, double max_seconds_per_group, bool live)
    : groups_(groups), max_seconds_(max_seconds_per_group), line_(live) {}

/// From the time the finished groups took; before the first, from the config's bound.
std::string Progress::left() const {
  const double per_group = done_ == 0 ? max_seconds_ : line_.spent() / static_cast<double>(done_);
  return fmt::format("about {:.0f} s left",
                     std::ceil(per_group * static_cast<double>(groups_ - done_)));
}

void Progress::group_started(std::size_t index, const Group& group) {
  index_ = index;
  started_ = true;
  name_ = group.experiment + point_text(group.point);
  if (line_.is_live())
    line_.show(fmt::format("[{}/{}] {}: preparing · {}", index + 1, groups_, name_, left()));
}

void Progress::round_done(int rounds, double seconds, double half_width) {
  if (!line_.is_due()) return;
  const std::string width = half_width > 0 ? fmt::format(", ±{:.1f} %", half_width * 100) : "";
  line_.show(fmt::format("[{}/{}] {}: {} rounds, {:.0f} s{} · {}", index_ + 1, groups_, name_,
                         rounds, seconds, width, left()));
}

void Progress::group_finished(std::size_t index, const GroupResult& group) {
  ++done_;
  line_.clear();
  if (line_.is_live()) return;
  tell("[{}/{}] {}: {} · {}\n", index + 1, groups_, name_, done_text(group), left());
}

CalibrateProgress::CalibrateProgress(int pairs, double seconds, bool live)
    : pairs_(pairs), seconds_(seconds), line_(live) {}

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
  ++done_;  // the last of a cycle
  if (pair.different && pair.ratio.value > 1) ++found_;
  if (!line_.is_live() && done_ % kCyclesPerLine == 0) tell("{}\n", text());
}

}  // namespace normbench
