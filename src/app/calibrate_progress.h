/// Progress of a calibration on stderr: a live line on a terminal, a line every ten cycles
/// otherwise.
#pragma once

#include <chrono>
#include <string>

#include "analysis/calibration.h"
#include "measure/runner.h"

namespace normbench {

class CalibrateProgress final : public Observer {
 public:
  /// `pairs` of each kind, or 0 and at most `seconds`.
  CalibrateProgress(int pairs, double seconds, bool live);
  ~CalibrateProgress() override;

  void group_started(std::size_t, const Group&) override {}
  void round_done(int, double, double) override { show(); }
  void group_finished(std::size_t, const GroupResult&) override {}
  void pair_done(const JudgedPair& pair);

 private:
  void show();
  std::string line() const;

  int pairs_;
  double seconds_;
  bool live_;
  int done_ = 0, excluding_ = 0, found_ = 0;  // pairs of each kind; findings in them
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace normbench
