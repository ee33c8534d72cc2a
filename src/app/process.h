/// What the caller of this process sees: exit codes, messages, and how signals end the process.
#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <atomic>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/issue.h"
#include "core/units.h"

namespace normbench {

/// Exit codes of the tool.
enum class Exit {
  Fine = 0,
  // A case failed, a regression was found, or, with --strict, a claim was contradicted.
  Failed = 1,
  BadInput = 2,
  Incomparable = 3,
  Inconclusive = 4,  // with --strict: a case or a claim could not be decided
  NotWritten = 5,
  Interrupted = 130
};

/// Thrown if a run cannot be continued. The text lists the differences, one on each line, without
/// control characters. The exit code is Exit::Incomparable.
struct Differs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown for mistakes in several files. The exit code is Exit::BadInput.
struct BadFiles : std::runtime_error {
  explicit BadFiles(std::vector<BadInput> all)
      : std::runtime_error("bad input"), files(std::move(all)) {}

  std::vector<BadInput> files;
};

/// Calls `read` with each file. Collects each BadInput that it throws, and throws all of them
/// together as BadFiles.
template <class Read>
void each_file(std::span<const std::string> files, Read read) {
  std::vector<BadInput> bad;
  for (const std::string& file : files) {
    try {
      read(file);
    } catch (const BadInput& mistakes) {
      bad.push_back(mistakes);
    }
  }
  if (!bad.empty()) throw BadFiles(std::move(bad));
}

/// Opens the null device for closed standard streams, so that no other file gets their descriptors.
/// Writing to these streams still fails. Must be called before the process opens any file.
void take_closed_streams();

/// Makes the system send `signal` to this process when its parent, the process `asker`, ends.
/// Returns false if `asker` has ended already.
bool end_with(pid_t asker, int signal);

/// Handles Ctrl-C, SIGTERM and a closed terminal:
/// - The first signal sets the returned flag. A run then ends after the current turn (the
///   iterations of a case that are timed in one go), and `prepare` after the current image.
/// - A second Ctrl-C or SIGTERM ends the process at once, with Exit::Interrupted. A signal within
///   0.2 s of the first one is ignored, because timeout(1) sends its signal twice.
/// - Signals that the process was started to ignore (nohup) stay ignored.
///
/// At a terminal the first signal prints a note that the run ends after the current turn or image.
/// Pass false for `says_when_it_ends` if a child process gets the same signal and prints the note.
const std::atomic<bool>& watch_for_interrupts(bool says_when_it_ends = true);

/// While an object of this class lives, a second signal that ends the process prints `line` first.
/// If `line` is "", prints nothing. Only one LastWords may exist at a time.
class LastWords {
 public:
  explicit LastWords(const std::string& line);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  std::string text_;
};

/// Returns a message's argument as text on one line, so that control characters in names and paths
/// do not reach the terminal. Returns a number as it is.
template <class T>
auto in_message(const T& value) {
  if constexpr (std::is_arithmetic_v<T>)
    return value;
  else
    return on_one_line(fmt::vformat("{}", fmt::make_format_args(value)));
}

/// Formats a message, with each argument on one line.
template <class... Args>
std::string message(fmt::format_string<Args...> format, Args&&... args) {
  const auto filled = [format](const auto&... shown) {
    return fmt::vformat(fmt::string_view(format), fmt::make_format_args(shown...));
  };
  return filled(in_message(args)...);
}

/// Writes a document for programs to stdout. If stdout is a terminal, control characters are
/// removed. Throws CannotWrite, but not if the reader of the pipe has closed it (`| head -1`).
void write_result(const std::string& text);

/// Writes a text for people to stdout. Control characters are removed, except line breaks and the
/// screen's own colours. A terminal whose locale has no UTF-8 gets ASCII. Throws as write_result()
/// does.
void show(const std::string& text);

/// Formats a message and writes it with show().
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  show(message(format, std::forward<Args>(args)...));
}

/// Writes lines to stderr, without control characters except line breaks. A failure to write is
/// ignored.
void write_notice(const std::string& lines);

/// Writes the mistakes in input files to stderr, one per line. If the environment variable
/// NORMBENCH_MISTAKES names a file, also writes them to that file, as a JSON list of objects with
/// `file`, `pointer` and `text`, for the program that called this one. If that fails, says so on
/// stderr.
void write_mistakes(std::span<const BadInput> files);

/// Replaces the last line on stderr by `line`. "" clears that line.
void write_over(const std::string& line);

/// Suggests a next command on stderr, if stdout and stderr are terminals and `quiet` is false.
void suggest(bool quiet, const std::string& command);

/// Writes a message to stderr: progress, a warning or an error.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  write_notice(message(format, std::forward<Args>(args)...));
}

/// Prints `text` with `print` if `file` is "". Otherwise writes it to `file`, without control
/// characters if `print` is show(). Throws CannotWrite.
void deliver(const std::string& text, const std::string& file,
             void (*print)(const std::string&) = write_result);

}  // namespace normbench
