#include "app/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/say.h"

namespace normbench {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);

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

Progress::Progress(std::size_t groups, double max_seconds_per_group, bool live)
    : groups_(groups),
      max_seconds_(max_seconds_per_group),
      live_(live),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& line) {
  tell("\r\033[K{}", line);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  tell("\r\033[K");
  shown_ = false;
}

/// From the time the finished groups took; before the first, from the config's bound.
std::string Progress::left() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  const double per_group = done_ == 0 ? max_seconds_ : spent.count() / static_cast<double>(done_);
  return fmt::format("about {:.0f} s left",
                     std::ceil(per_group * static_cast<double>(groups_ - done_)));
}

void Progress::group_started(std::size_t index, const Group& group) {
  index_ = index;
  name_ = group.experiment + point_text(group.point);
  if (live_) show(fmt::format("[{}/{}] {}: preparing · {}", index + 1, groups_, name_, left()));
}

void Progress::round_done(int rounds, double seconds, double half_width) {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now - last_ < kRedraw) return;
  last_ = now;
  const std::string width = half_width > 0 ? fmt::format(", ±{:.1f} %", half_width * 100) : "";
  show(fmt::format("[{}/{}] {}: {} rounds, {:.0f} s{} · {}", index_ + 1, groups_, name_, rounds,
                   seconds, width, left()));
}

void Progress::group_finished(std::size_t index, const GroupResult& group) {
  ++done_;
  clear();
  if (live_) return;
  tell("[{}/{}] {}: {} · {}\n", index + 1, groups_, name_, done_text(group), left());
}

}  // namespace normbench
