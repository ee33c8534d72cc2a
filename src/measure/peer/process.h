/// The process of a peer (another program that runs cases). It gets one line (a request) at a time,
/// and answers each request with one line.
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
    Duration took;  // from just before the request was sent
  };

  /// Starts the peer called `name`. Throws std::runtime_error on failure, like "peer torch cannot
  /// be started: No such file or directory".
  PeerProcess(std::string name, const PeerCommand& command, const std::atomic<bool>& interrupted);

  /// Sends `line` and returns the answer. `request` is the name of the request, for the messages of
  /// exceptions. Throws std::runtime_error if there is no answer within `timeout`, if the peer
  /// ends, if the answer is too long, or if the peer has answered the previous request with more
  /// than one line. Throws CutShort when the run is interrupted.
  Answer ask(const std::string& request, const std::string& line, Duration timeout);

  /// Waits until the peer is idle, but at most for `timeout`. Without this wait, threads of OpenMP
  /// would take CPU time from the next turn, because they spin for a while after their work.
  void settle(Duration timeout);

  /// Sends a last line and closes the stdin of the peer. Returns when the peer has ended, but at
  /// the latest after `timeout`.
  void end(const std::string& line, Duration timeout);

  /// Returns a message: "peer", the name of the peer, `what`, and the last lines of the peer's
  /// stderr.
  std::string told(const std::string& what);

  /// Returns the folder in /proc that lists the threads of the peer.
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
  std::string request_;        // name of the latest request; "" before the first
  std::string said_, errors_;  // stdout that was not used yet; the end of stderr
};

/// Returns at most 80 bytes of `text` in quotation marks, on one line.
std::string quote(const std::string& text);

}  // namespace normbench
