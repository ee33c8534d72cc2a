/// Text to the person: a closed stdout or stderr does not stop a run, so failures are ignored.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace normbench {

inline void write_text(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

/// Results, to stdout.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  write_text(stdout, fmt::format(format, std::forward<Args>(args)...));
}

/// Progress, warnings and errors, to stderr.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  write_text(stderr, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace normbench
