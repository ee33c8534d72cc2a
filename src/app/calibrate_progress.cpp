#include "app/calibrate_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/say.h"

namespace normbench {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr int kCyclesPerLine = 10;

}  // namespace

CalibrateProgress::CalibrateProgress(int pairs, double seconds, bool live)
    : pairs_(pairs),
      seconds_(seconds),
      live_(live),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

CalibrateProgress::~CalibrateProgress() {
  if (shown_) tell("\r\033[K");
}

std::string CalibrateProgress::line() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  double left = seconds_ - spent.count();
  if (pairs_ > 0) left = spent.count() / std::max(done_, 1) * (pairs_ - done_);
  std::string text = fmt::format(
      "{} pairs of each kind: {} of {} intervals of identical code exclude 1, 5 % more "
      "work found in {} of {}",
      done_, excluding_, 2 * done_, found_, done_);
  if (done_ > 0 || pairs_ == 0) text += fmt::format(" · about {:.0f} s left", std::max(left, 0.0));
  return text;
}

void CalibrateProgress::show() {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now - last_ < kRedraw) return;
  last_ = now;
  shown_ = true;
  tell("\r\033[K{}", line());
}

void CalibrateProgress::pair_done(const JudgedPair& pair) {
  if (pair.fresh_process) return;
  if (pair.kind != PairKind::Slowed) {
    if (pair.ratio.low > 1 || pair.ratio.high < 1) ++excluding_;
    return;
  }
  ++done_;  // the last of a cycle
  if (pair.different && pair.ratio.value > 1) ++found_;
  if (!live_ && done_ % kCyclesPerLine == 0) tell("{}\n", line());
}

}  // namespace normbench
