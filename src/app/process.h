/// What this process's caller sees: exit codes, messages, and how signals end it.
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
  Failed = 1,  // a case failed, or a regression was found
  BadInput = 2,
  Incomparable = 3,
  Inconclusive = 4,  // with --strict
  NotWritten = 5,
  Interrupted = 130
};

/// A run cannot be continued: the text lists the differences, a line each, without control
/// characters. The exit code is Exit::Incomparable.
struct Differs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Mistakes in several files. The exit code is Exit::BadInput.
struct BadFiles : std::runtime_error {
  explicit BadFiles(std::vector<BadInput> all)
      : std::runtime_error("bad input"), files(std::move(all)) {}

  std::vector<BadInput> files;
};

/// Calls `read` with each file. All BadInput that it throws is thrown together, as BadFiles.
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

/// Opens the null device for closed standard streams, so that no file of a run gets their number;
/// writing to them still fails. Call it first in a process.
void take_closed_streams();

/// Lets the system send this process a signal when the process `asker`, which started it, ends;
/// false when that has ended already.
bool end_with(pid_t asker, int signal);

/// Becomes true at the first signal (Ctrl-C, SIGTERM, a closed terminal), which ends a run after
/// the turn, or the image, in work. A second Ctrl-C or SIGTERM ends the process at once, with
/// Exit::Interrupted. A second signal within 0.2 s counts as the same one sent twice, as by
/// timeout(1). Signals that the process was started to ignore (nohup) stay ignored.
///
/// At a terminal the first signal prints when the run ends. `says_when_it_ends` is false where a
/// child process gets the same signal and prints that.
const std::atomic<bool>& watch_for_interrupts(bool says_when_it_ends = true);

/// Keeps a line that is printed when a second signal ends the process at once. Call it once, before
/// other threads are started.
void set_last_words(const std::string& line);

/// An argument of a message, on one line: names and paths do nothing to the terminal that shows
/// them, and add no line. Numbers stay numbers.
template <class T>
auto in_message(const T& value) {
  if constexpr (std::is_arithmetic_v<T>)
    return value;
  else
    return on_one_line(fmt::vformat("{}", fmt::make_format_args(value)));
}

/// `format` with its arguments, each on one line.
template <class... Args>
std::string message(fmt::format_string<Args...> format, Args&&... args) {
  const auto filled = [format](const auto&... shown) {
    return fmt::vformat(fmt::string_view(format), fmt::make_format_args(shown...));
  };
  return filled(in_message(args)...);
}

/// Writes a document for programs to stdout, unchanged; to a terminal without control characters.
/// Throws CannotWrite, but not for a reader that has gone (`| head -1`).
void write_result(const std::string& text);

/// Writes a text for people to stdout, without control characters but line breaks and the screen's
/// own colours; in ASCII to a terminal whose locale has no UTF-8. Throws as write_result() does.
void show(const std::string& text);

/// Shows a message by show().
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  show(message(format, std::forward<Args>(args)...));
}

/// Writes lines to stderr without other control characters. A failure to write them stops nothing.
void write_notice(const std::string& lines);

/// Writes `line` over the last line on stderr; "" clears it.
void write_over(const std::string& line);

/// Suggests a next command, if stdout and stderr are a terminal and not `quiet`.
void suggest(bool quiet, const std::string& command);

/// Writes a message to stderr: progress, a warning or an error.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  write_notice(message(format, std::forward<Args>(args)...));
}

/// Prints `text`, or writes it to `file` unless that is "". A text for show() has no control
/// characters in the file either. Throws CannotWrite.
void deliver(const std::string& text, const std::string& file,
             void (*print)(const std::string&) = write_result);

}  // namespace normbench
