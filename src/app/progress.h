/// Progress on stderr: one line that is overwritten on a terminal, a new line for each step
/// elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "analysis/calibration.h"
#include "measure/pace.h"
#include "measure/run_context.h"

namespace normbench {

/// An Observer that shows nothing, for a process whose caller shows the progress.
class Silent : public Observer {
 public:
  void group_started(std::size_t, const Group&, std::int64_t) override {}
  void turns_fitted(std::size_t, const GroupForecast&) override {}
  void step_done(const GroupStep&) override {}
  void round_done(int, double, double) override {}
  void group_finished(std::size_t, const GroupResult&) override {}
};

/// How a command shows progress: Nothing, a new line now and then, or one line that is overwritten.
enum class ProgressStyle { Nothing, Lines, Live };

/// Returns Live on a terminal and Lines elsewhere, but Nothing if `quiet`.
ProgressStyle progress_style(bool quiet);

/// A line on a terminal that each show() overwrites. It is cut to the width of the terminal.
class LiveLine {
 public:
  explicit LiveLine(ProgressStyle style);
  ~LiveLine() { clear(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  ProgressStyle style() const { return style_; }
  /// Returns true if the line should be updated: at most once a second, and only if the style is
  /// Live.
  bool is_due();
  void show(const std::string& line);
  void clear();
  /// Returns the seconds since this object was made.
  double spent() const;

 private:
  ProgressStyle style_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

/// Shows the progress of a run: in one line that is overwritten, or by a line for each group. Also
/// reports groups that take longer than max_seconds_per_group, and why.
class Progress final : public Observer {
 public:
  Progress(const Plan& plan, ProgressStyle style);

  void group_started(std::size_t index, const Group& group, std::int64_t part) override;
  void turns_fitted(std::size_t index, const GroupForecast& forecast) override;
  void step_done(const GroupStep& step) override;
  void round_done(int rounds, double seconds, double half_width) override;
  void group_finished(std::size_t index, const GroupResult& group) override;
  /// Returns false as long as no group had to be measured.
  bool started() const { return started_; }
  /// Clears the line. Call this before anything else is printed.
  void clear() { line_.clear(); }

 private:
  std::string left() const;
  std::string name(std::size_t index) const;
  void tell_process(const GroupStep& step);
  void tell_overrun(std::size_t index, const GroupForecast& forecast);

  const Plan& plan_;
  Pace pace_;
  LiveLine line_;
  bool started_ = false;
  std::string rounds_;  // "12 rounds, 31 s, ±2.1 %, ", or "" before the first round
};

/// Returns the name of a group: "place batch=8, size=720x1280".
std::string group_name(const Group& group);

/// Returns how long a group takes instead of its time limit `limit`, in seconds, and what takes so
/// long: "about 12 s instead of 1.5 s: …".
std::string overrun_text(const GroupForecast& forecast, double limit);

/// Shows the progress of a calibration: in one line that is overwritten, or by a line every ten
/// cycles.
class CalibrateProgress final : public Silent {
 public:
  /// `pairs` is the number of pairs of each kind: identical and slowed. 0: as many as `seconds`
  /// allow.
  CalibrateProgress(int pairs, double seconds, ProgressStyle style);

  void round_done(int, double, double) override;
  void pair_done(const JudgedPair& pair);

 private:
  std::string text() const;

  int pairs_;
  double seconds_;
  LiveLine line_;
  // done_: the pairs of each kind. excluding_: the intervals of identical code that exclude 1.
  // found_: the slowed pairs whose slowdown was found.
  int done_ = 0, excluding_ = 0, found_ = 0;
};

}  // namespace normbench
