/// Progress on stderr. On a terminal, one line is overwritten again and again. Elsewhere, each
/// report is a new line.
#pragma once

#include <chrono>
#include <string>

#include "analysis/calibration.h"
#include "measure/pace.h"
#include "measure/run_context.h"

namespace normbench {

/// An Observer that shows nothing, for example in a process whose parent process shows the
/// progress.
class Silent : public Observer {
 public:
  void group_started(std::size_t, const Group&, std::int64_t) override {}
  void turns_fitted(std::size_t, const GroupForecast&) override {}
  void step_done(const GroupStep&) override {}
  void round_done(int, double, double) override {}
  void group_finished(std::size_t, const GroupResult&) override {}
};

/// How a command shows progress: not at all, by a new line now and then, or in one line that is
/// overwritten.
enum class ProgressStyle { Nothing, Lines, Live };

/// Returns Nothing if `quiet`. Otherwise returns Live on a terminal and Lines elsewhere.
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

/// Shows the progress of a run: in one line that is overwritten, or by a line for each finished
/// group. Also prints which groups will take longer than max_seconds_per_group, and why.
class Progress final : public Observer {
 public:
  Progress(const Plan& plan, ProgressStyle style);

  void group_started(std::size_t index, const Group& group, std::int64_t part) override;
  void turns_fitted(std::size_t index, const GroupForecast& forecast) override;
  void step_done(const GroupStep& step) override;
  void round_done(int rounds, double seconds, double half_width) override;
  void group_finished(std::size_t index, const GroupResult& group) override;
  /// Returns true once this process has begun to measure a group. It stays false if a resumed run
  /// finds all groups finished.
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
  std::string rounds_;  // rounds, time and half-width so far; "" before a group's first round
};

/// Returns the name of a group: "place batch=8, size=720x1280".
std::string group_name(const Group& group);

/// Returns a text about a group that will take longer than its limit of `limit` seconds: the
/// expected time, and how it is divided: "about 12 s instead of 1.5 s: ...".
std::string overrun_text(const GroupForecast& forecast, double limit);

/// Shows the progress of `normbench calibrate`, which measures cycles of three pairs of variants,
/// one pair of each PairKind. Shows it in one line that is overwritten, or by a line after every
/// ten cycles.
class CalibrateProgress final : public Silent {
 public:
  /// `pairs` is the number of pairs of each PairKind to measure. If it is 0, cycles are measured
  /// for `seconds` seconds.
  CalibrateProgress(int pairs, double seconds, ProgressStyle style);

  void round_done(int, double, double) override;
  void pair_done(const JudgedPair& pair);

 private:
  std::string text() const;

  int pairs_;
  double seconds_;
  LiveLine line_;
  // done_: the number of finished cycles. excluding_: the number of pairs of identical code for
  // which the confidence interval of the ratio of times does not contain 1. found_: the number of
  // pairs of PairKind::Slowed whose slowdown was found.
  int done_ = 0, excluding_ = 0, found_ = 0;
};

}  // namespace normbench
