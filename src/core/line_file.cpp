#include "core/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "core/file.h"
#include "core/issue.h"

namespace normbench {
namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw CannotWrite(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

[[noreturn]] void cannot_resume(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR)
    throw Invalid(fmt::format("{}: cannot be read (nothing to resume there)", path));
  if (error == EISDIR) throw Invalid(fmt::format("{}: is a directory, no journal", path));
  cannot_write(path, error);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

LineFile::LineFile(std::string path, int file) : path_(std::move(path)), file_(file) {}

LineFile::LineFile(LineFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), end_(other.end_) {}

LineFile::~LineFile() {
  if (file_ >= 0) close(file_);
}

/// False when another process holds it; where files cannot be locked, nobody does.
bool LineFile::lock() const { return flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

std::string LineFile::content() const {
  std::string text;
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t got = pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Invalid(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

bool LineFile::begun(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  return std::getline(in, line) && !in.eof();
}

LineFile LineFile::create(const std::string& path, std::string_view first) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) cannot_write(path, errno);
  LineFile lines(path, file);
  if (!lines.lock()) cannot_write(path, EBUSY);
  if (begun(path)) cannot_write(path, EEXIST);
  try {
    lines.append(first);
  } catch (const CannotWrite&) {
    unlink(path.c_str());
    throw;
  }
  return lines;
}

LineFile LineFile::resume(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (file < 0) cannot_resume(path, errno);
  LineFile lines(path, file);
  if (!lines.lock())
    throw Invalid(fmt::format("{}: another normbench is writing to it (wait for its end)", path));
  return lines;
}

void LineFile::read(const std::function<void(std::string_view line, int number)>& take) {
  const std::string text = content();
  std::size_t begin = 0;
  for (int number = 1;; ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      if (number == 1)
        throw Invalid(
            fmt::format("{}: no whole line in it: the run had not begun (start it anew)", path_));
      break;
    }
    try {
      take(std::string_view(text).substr(begin, end - begin), number);
    } catch (const Invalid& error) {
      throw Invalid(fmt::format("{}: entry {}: {}", path_, number, error.what()));
    }
    begin = end + 1;
  }
  end_ = static_cast<std::int64_t>(begin);
}

/// Why what is written would be lost or out of place, or nothing.
std::optional<std::string> LineFile::lost() const {
  struct stat named {
  }, opened{};
  if (stat(path_.c_str(), &named) != 0 || fstat(file_, &opened) != 0) return std::strerror(errno);
  if (named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
    return "another file has taken its place";
  if (opened.st_size < end_) return "something else has shortened it";
  return std::nullopt;
}

void LineFile::append(std::string_view line, OnDisk when) {
  const std::string text = std::string(line) + '\n';
  if (const auto why = lost()) throw CannotWrite(fmt::format("cannot write {}: {}", path_, *why));
  // A line that was cut off, by a kill or here below, would run into this one.
  if (ftruncate(file_, end_) == 0 && write_all(file_, text) &&
      (when == OnDisk::Later || fdatasync(file_) == 0)) {
    end_ += static_cast<std::int64_t>(text.size());
    return;
  }
  const int error = errno;
  [[maybe_unused]] const int cut = ftruncate(file_, end_);  // if not now, then before the next line
  cannot_write(path_, error);
}

}  // namespace normbench
