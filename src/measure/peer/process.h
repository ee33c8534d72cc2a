/// A peer's process. It gets one line at a time, and answers with one line.
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
    Duration took;  // time since just before the request was sent
  };

  /// Starts the peer called `name`. Throws std::runtime_error ("peer torch cannot be started: …").
  PeerProcess(std::string name, const PeerCommand& command, const std::atomic<bool>& interrupted);

  /// Sends `line` and returns the answer. `request` is the name of the request in the messages of
  /// exceptions. Throws std::runtime_error if there is no answer in time, the peer ends, or it
  /// sends a second line or too long a line. Throws CutShort when the run is interrupted.
  Answer ask(const std::string& request, const std::string& line, Duration timeout);

  /// Waits until the peer is idle, for at most `timeout`, because OpenMP's threads spin for a while
  /// after their work and take CPU time from the next turn.
  void settle(Duration timeout);

  /// Sends a last line and closes the peer's input. Returns when the peer has ended, or after
  /// `timeout`.
  void end(const std::string& line, Duration timeout);

  /// Returns "peer torch", followed by `what` and by the last lines of the peer's stderr.
  std::string told(const std::string& what);

  /// The folder in /proc that lists the peer's threads.
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
  std::string request_;  // the name of the last request
  std::string said_, errors_;
};

/// Returns `text` as a quotation for messages: on one line, at most 80 bytes.
std::string quote(const std::string& text);

}  // namespace normbench
