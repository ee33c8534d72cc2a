/// This process as its caller sees it: exit codes, what it says, the signals that end it.
#pragma once

#include <fmt/format.h>

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

/// A run cannot be continued: says what differs in lines, each without control characters.
/// Exit::Incomparable.
struct Differs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Mistakes of several files. Exit::BadInput.
struct BadFiles : std::runtime_error {
  explicit BadFiles(std::vector<BadInput> all)
      : std::runtime_error("bad input"), files(std::move(all)) {}

  std::vector<BadInput> files;
};

/// Calls `read` with each file; what is BadInput of any is thrown together, as BadFiles.
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

/// Opens the null device for standard streams that are closed, so that no file of a run gets their
/// number; writing to them still fails. Call this first in a process.
void take_closed_streams();

/// Becomes true with the first signal (Ctrl-C, SIGTERM, a terminal that is closed), which ends a
/// run after the turn, or the image, in hand. A second Ctrl-C or SIGTERM ends the process at once,
/// with Exit::Interrupted; what follows within 0.2 s is one signal sent twice, as by timeout(1).
/// Signals that the process was started to ignore (nohup) stay ignored.
const std::atomic<bool>& watch_for_interrupts();

/// What a message is made of, on one line: names and paths do nothing to the terminal that shows
/// it, and add no line to it. Numbers stay numbers.
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

/// A document for programs, to stdout, as it is; on a terminal without control characters. Throws
/// CannotWrite, but not for a reader that has gone (`| head -1`).
void write_result(const std::string& text);

/// A text for people, to stdout, with no control characters but line breaks and the screen's own
/// colours; in ASCII on a terminal whose locale has no UTF-8. Throws as write_result() does.
void show(const std::string& text);

/// A message as show() shows it.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  show(message(format, std::forward<Args>(args)...));
}

/// Lines on stderr without other control characters; failing to write them stops nothing.
void write_notice(const std::string& lines);

/// Writes `line` over the last line on stderr; "" clears it.
void write_over(const std::string& line);

/// Says what one would do next, where stdout and stderr are a terminal; `quiet`: nowhere.
void suggest(bool quiet, const std::string& command);

/// A message on stderr: progress, warnings and errors.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  write_notice(message(format, std::forward<Args>(args)...));
}

/// Prints `text`, or writes it to `file` where that is not "": what show() would print without its
/// control characters, too. Throws CannotWrite.
void deliver(const std::string& text, const std::string& file,
             void (*print)(const std::string&) = write_result);

}  // namespace normbench
