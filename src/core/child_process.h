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

/// Where a standard stream of a child leads. Piped: to this process. Shared: to the file that the
/// same stream of this process leads to. Discarded: to /dev/null.
enum class ChildStream { Piped, Shared, Discarded };

struct ChildProgram {
  std::vector<std::string> argv;  // the program is searched for in $PATH
  std::string directory = {};     // working directory; "": this process's
  ChildStream input = ChildStream::Piped, output = ChildStream::Piped;
  ChildStream errors = ChildStream::Shared;
  // true: the child is in a new process group, which Ctrl-C in the terminal does not reach.
  // ~ChildProcess() kills the whole group. If this process ends without that destructor, the kernel
  // kills the group. For this the child inherits one more descriptor, number 3.
  bool has_own_group = false;
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

/// A running child process. Only wait(), wait_for_end() and the destructor block. The child
/// inherits the CPU affinity of the calling thread. It starts with no signal blocked and with the
/// default handling of SIGPIPE and SIGXFSZ.
class ChildProcess {
 public:
  /// Starts the program. Throws std::runtime_error with the reason if that fails.
  explicit ChildProcess(const ChildProgram& program);
  /// Kills the child, and its group if `has_own_group`. Waits at most 5 s for the child to end, so
  /// that no zombie is left.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits until the child has written something or `timeout` is over. If `to_write`, also returns
  /// when bytes can be written to the child's stdin. A negative `timeout` means no limit.
  void wait(bool to_write, std::chrono::milliseconds timeout);
  /// Waits until the child has ended, or until a signal that is not in `mask` was handled.
  void wait_for_end(const sigset_t& mask) const;
  /// Writes as much of `text` to the child's stdin as fits, and removes that part from `text`. If
  /// the child has closed its stdin, removes all of `text`.
  void write(std::string& text);
  /// Closes the child's stdin.
  void close_input() { in_.close(); }
  /// Appends new bytes of the child's stdout to `output`, until `output` has more than `most`
  /// bytes. Appends new bytes of its stderr to `errors`.
  void read(std::string& output, std::size_t most, std::string& errors);

  /// Sends a signal. Returns false if the child has ended.
  bool send(int signal) const;
  /// Returns true if the child's stdout has ended or is not piped.
  bool is_silent() const { return !out_.is_open(); }
  /// Returns the folder in /proc that lists the child's threads.
  std::filesystem::path tasks() const;
  /// Returns true if one of the child's threads is running or waits only for a CPU.
  bool is_busy() const;
  /// Returns how the child ended; std::nullopt while it runs.
  std::optional<ChildEnd> ended() const;

 private:
  pid_t pid_ = -1;
  Descriptor in_, out_, errors_;
  Descriptor alive_;  // write end of a pipe; closing it kills the child's group
};

/// Kills all children of this process and their groups. Waits at most 5 s for each child to end.
void end_all_children();

}  // namespace normbench
