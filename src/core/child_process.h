/// A program that is started.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"

namespace normbench {

/// Where a standard stream of a child leads: to this process, where that of this process leads, or
/// nowhere.
enum class ChildStream { Piped, Shared, Discarded };

struct ChildProgram {
  std::vector<std::string> argv;  // found as a shell finds it
  std::string directory = {};     // the one it starts in; "": this process's
  ChildStream input = ChildStream::Piped, output = ChildStream::Piped;
  ChildStream errors = ChildStream::Shared;
  bool has_own_group = false;  // Ctrl-C does not reach it, and its own children end with it
};

/// How a child ended: well, if nothing else is said.
struct ChildEnd {
  enum class How { Exit, Signal };

  How how = How::Exit;
  int number = 0;  // the exit code, or the signal
  bool operator==(const ChildEnd&) const = default;
};

/// "exit code 1", "signal 9 (Killed)".
std::string to_text(const ChildEnd& end);

/// No call but the destructor and wait_for_end() waits for longer than it is told. It starts with
/// the CPUs of the calling thread, with no signal blocked and no signal ignored but those that this
/// process was started to ignore.
class ChildProcess {
 public:
  /// Throws std::runtime_error saying why it cannot be started.
  explicit ChildProcess(const ChildProgram& program);
  /// Kills what is left of it, with its group if that is its own; no zombie stays.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Returns when it has said something, when it can be written to (if `to_write`) or when
  /// `timeout` is over; a negative timeout never ends.
  void wait(bool to_write, std::chrono::milliseconds timeout);
  /// Returns when it has ended, or when a signal has been handled that `mask` lets through.
  void wait_for_end(const sigset_t& mask) const;
  /// Writes what its stdin has room for and takes that off `text`; all of it when nobody reads.
  void write(std::string& text);
  /// Ends its input.
  void close_input() { in_.close(); }
  /// Appends what it wrote meanwhile: stdout to `output`, until that is longer than `most` bytes,
  /// and all of stderr to `errors`.
  void read(std::string& output, std::size_t most, std::string& errors);

  /// Sends it a signal; false where it has ended.
  bool send(int signal) const;
  /// True when nothing more can come from its stdout.
  bool is_silent() const { return !out_.is_open(); }
  /// The folder that lists its threads.
  std::filesystem::path tasks() const;
  /// True when one of its threads runs, or would with a CPU.
  bool is_busy() const;
  /// Nothing while it runs.
  std::optional<ChildEnd> ended() const;

 private:
  pid_t pid_ = -1;
  Descriptor in_, out_, errors_;
};

/// Kills all children of this process with their groups, and waits for them.
void end_all_children();

}  // namespace normbench
