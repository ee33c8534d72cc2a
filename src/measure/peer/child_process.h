/// A program that is started, with pipes to its standard streams.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "plan/options.h"

namespace normbench {

/// A file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();
  /// Closes it and holds `number` from now on.
  void hold(int number);

 private:
  int number_;
};

enum class ChildKind {
  Peer,  // in a process group of its own; its stderr is read here
  Part   // in the group of this process, so Ctrl-C reaches it too; it shares stderr
};

/// No call but the destructor waits for longer than it is told.
class ChildProcess {
 public:
  /// Starts it on all CPUs that this process may use. Throws std::runtime_error saying why it
  /// cannot be started.
  explicit ChildProcess(const PeerCommand& command, ChildKind kind = ChildKind::Peer);
  /// Kills what is left of it, a peer with its group; no zombie stays.
  ~ChildProcess();

  /// Returns when it has said something, when it can be written to (if `to_write`) or when
  /// `timeout` is over; a negative timeout never ends.
  void wait(bool to_write, std::chrono::milliseconds timeout);
  /// Writes what its stdin has room for and takes that off `text`; all of it when nobody reads.
  void write(std::string& text);
  /// Ends its input.
  void close_input() { in_.close(); }
  /// Appends what it wrote meanwhile: stdout to `output`, until that is longer than `most` bytes,
  /// and all of stderr to `errors`.
  void read(std::string& output, std::size_t most, std::string& errors);

  /// True when nothing more can come from its stdout.
  bool is_silent() const { return !out_.is_open(); }
  /// The folder that lists its threads.
  std::filesystem::path tasks() const;
  /// True when one of its threads runs, or would with a CPU.
  bool is_busy() const;
  /// "exit code 1", "signal 9 (Killed)", or nothing while it runs.
  std::optional<std::string> ended() const;

 private:
  pid_t pid_ = -1;
  Descriptor in_, out_, errors_;
};

/// Kills all children of this process with their groups, and waits for them.
void end_all_children();

}  // namespace normbench
