/// This process as its caller sees it: exit codes, what it says, the signals that end it.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/issue.h"

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

/// A run cannot be continued: says what differs, a line each. Exit::Incomparable.
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

void write_result(const std::string& text);
void write_notice(const std::string& text);

/// Results, to stdout. Throws CannotWrite, but not for a reader that has gone (`| head -1`).
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  write_result(fmt::format(format, std::forward<Args>(args)...));
}

/// A text for people, to stdout: in ASCII on a terminal whose locale has no UTF-8.
void show(const std::string& text);

/// Says what one would do next, where stdout and stderr are a terminal; `quiet`: nowhere.
void suggest(bool quiet, const std::string& command);

/// Progress, warnings and errors, to stderr; failing to write them stops nothing.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  write_notice(fmt::format(format, std::forward<Args>(args)...));
}

/// Writes `text` to `file`, or prints it when that is "". Throws CannotWrite.
void deliver(const std::string& text, const std::string& file,
             void (*print)(const std::string&) = write_result);

}  // namespace normbench
