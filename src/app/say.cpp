#include "app/say.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/file.h"

namespace normbench {
namespace {

/// An errno, or 0.
int written(std::FILE* stream, const std::string& text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  return whole && std::fflush(stream) == 0 ? 0 : errno;
}

}  // namespace

void take_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)  // open() takes the lowest free number: this
      open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void write_result(const std::string& text) {
  const int error = written(stdout, text);
  if (error == 0 || error == EPIPE) return;
  throw CannotWrite(fmt::format("cannot write to stdout: {}",
                                error == EBADF ? "it is closed" : std::strerror(error)));
}

void write_notice(const std::string& text) { written(stderr, text); }

}  // namespace normbench
