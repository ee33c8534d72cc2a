/// Progress on stderr: a live line on a terminal, a line a group otherwise.
#pragma once

#include <chrono>
#include <string>

#include "measure/runner.h"

namespace normbench {

class Progress final : public Observer {
 public:
  Progress(std::size_t groups, double max_seconds_per_group, bool live);
  ~Progress() override;

  void group_started(std::size_t index, const Group& group) override;
  void round_done(int rounds, double seconds, double half_width) override;
  void group_finished(std::size_t index, const GroupResult& group) override;

 private:
  void show(const std::string& line);
  void clear();
  std::string left() const;

  std::size_t groups_;
  double max_seconds_;
  bool live_;
  bool shown_ = false;
  std::size_t done_ = 0;
  std::size_t index_ = 0;
  std::string name_;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace normbench
