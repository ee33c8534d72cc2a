/// A peer's process: it is asked a line at a time and answers with a line.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "core/child_process.h"
#include "plan/options.h"

namespace normbench {

class PeerProcess {
 public:
  using Duration = std::chrono::nanoseconds;

  struct Answer {
    std::string line;
    Duration took;  // from before the request was sent
  };

  /// Starts the peer called `name`. Throws std::runtime_error ("peer torch cannot be started: …").
  PeerProcess(std::string name, const PeerCommand& command, const std::atomic<bool>& interrupted);

  /// Sends `line`; messages call it `request`. Throws std::runtime_error for no answer in time, the
  /// peer's end, a second line or too long a line; CutShort when the run is interrupted.
  Answer ask(const std::string& request, const std::string& line, Duration timeout);

  /// Waits until the peer is idle, at most `timeout`: OpenMP's threads spin after their work, on a
  /// CPU that the next turn needs.
  void settle(Duration timeout);

  /// Sends a last line and the end of its input; returns when the peer has ended, or the time is
  /// over.
  void end(const std::string& line, Duration timeout);

  /// "peer torch" followed by `what`, and by the last lines of its stderr.
  std::string told(const std::string& what);

  /// The folder that lists its threads.
  std::filesystem::path tasks() const { return process_.tasks(); }

 private:
  using Time = std::chrono::steady_clock::time_point;

  void read();
  std::string take_line();
  bool has_line() const { return said_.find('\n') != std::string::npos; }
  [[noreturn]] void fail(const std::string& what);
  void check(bool has_ended, Time silent_until);
  std::string last_words() const;

  std::string name_;
  const std::atomic<bool>& interrupted_;
  ChildProcess process_;
  std::string request_;  // the last one
  std::string said_, errors_;
};

/// `text` as messages quote it: one line, at most 80 bytes.
std::string quote(const std::string& text);

}  // namespace normbench
