/// Text to the person. Nothing here stops a run that is under way.
#pragma once

#include <fmt/format.h>

#include <string>

namespace normbench {

/// Puts the null device in the place of standard streams that are closed, so that no file of a run
/// gets their number. What is said to them fails as before. Call this first in a process.
void take_closed_streams();

void write_result(const std::string& text);
void write_notice(const std::string& text);

/// Results, to stdout. Throws CannotWrite, but not for a reader that has gone (`| head -1`).
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  write_result(fmt::format(format, std::forward<Args>(args)...));
}

/// Progress, warnings and errors, to stderr, where that is possible.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  write_notice(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace normbench
