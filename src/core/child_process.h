/// Starts other programs and communicates with them.
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

/// Where a standard stream of a child leads. Piped: to this process. Shared: to the same file as
/// this process's stream. Discarded: to /dev/null.
enum class ChildStream { Piped, Shared, Discarded };

struct ChildProgram {
  std::vector<std::string> argv;  // the program is searched for in $PATH
  std::string directory = {};     // working directory; "": this process's
  ChildStream input = ChildStream::Piped, output = ChildStream::Piped;
  ChildStream errors = ChildStream::Shared;
  bool has_own_group = false;  // Ctrl-C does not reach it, and its own children end with it
};

/// How a child ended. The default is exit code 0.
struct ChildEnd {
  enum class How { Exit, Signal };

  How how = How::Exit;
  int number = 0;  // exit code or signal number
  bool operator==(const ChildEnd&) const = default;
};

/// Returns a text such as "exit code 1" or "signal 9 (Killed)".
std::string to_text(const ChildEnd& end);

/// A running child process. No call waits longer than its argument allows, except the destructor
/// and wait_for_end(). The child runs on the CPUs of the calling thread. It starts with no signal
/// blocked. It ignores only signals that this process was started to ignore.
class ChildProcess {
 public:
  /// Starts the program. Throws std::runtime_error with the reason if that fails.
  explicit ChildProcess(const ChildProgram& program);
  /// Kills the child, and its group if it has its own. Waits at most 5 s for the child, so that no
  /// zombie is left.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits until the child has written something, until it can be written to (if `to_write`), or
  /// until `timeout` is over. A negative timeout never ends.
  void wait(bool to_write, std::chrono::milliseconds timeout);
  /// Waits until the child has ended, or until a signal that is not in `mask` was handled.
  void wait_for_end(const sigset_t& mask) const;
  /// Writes as much of `text` to the child's stdin as fits, and removes that from `text`. If nobody
  /// reads, removes all of it.
  void write(std::string& text);
  /// Closes the child's stdin.
  void close_input() { in_.close(); }
  /// Appends what the child has written since the last call: stdout to `output` until `output` is
  /// longer than `most` bytes, and stderr to `errors`.
  void read(std::string& output, std::size_t most, std::string& errors);

  /// Sends a signal. Returns false if the child has ended.
  bool send(int signal) const;
  /// Returns true if nothing more can come from the child's stdout.
  bool is_silent() const { return !out_.is_open(); }
  /// Returns the folder in /proc that lists the child's threads.
  std::filesystem::path tasks() const;
  /// Returns true if one of the child's threads runs, or waits only for a CPU.
  bool is_busy() const;
  /// Returns how the child ended; nothing while it runs.
  std::optional<ChildEnd> ended() const;

 private:
  pid_t pid_ = -1;
  Descriptor in_, out_, errors_;
};

/// Kills all children of this process with their groups, and waits at most 5 s for each child.
void end_all_children();

}  // namespace normbench
