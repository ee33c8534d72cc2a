#include "core/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/file.h"
#include "core/issue.h"
#include "core/system_error.h"

namespace normbench {
namespace {

[[noreturn]] void cannot_write(const std::string& path, std::string_view why) {
  throw CannotWrite(fmt::format("cannot write {}: {}", path, why));
}
[[noreturn]] void cannot_write(const std::string& path, int error) {
  cannot_write(path, system_error_text(error));
}

[[noreturn]] void cannot_resume(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR)
    throw Invalid(fmt::format("{}: cannot be read (nothing to resume there)", path));
  if (error == EISDIR) throw Invalid(fmt::format("{}: is a directory, no journal", path));
  cannot_write(path, error);
}

/// Opens a file without following a link or waiting for the other end of a pipe. If that fails, the
/// result is not open, and errno has the reason.
Descriptor open_file(const std::string& path, int how) {
  return Descriptor(open(path.c_str(), how | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
}

bool is_regular(const Descriptor& file) {
  struct stat status {};
  return fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode);
}

constexpr std::size_t kBuffer = 1 << 16;

/// Appends at most kBuffer bytes of the file, from `at` on, to `text`. Returns false at the end of
/// the file. Throws Invalid.
bool read_on(const Descriptor& file, const std::string& path, std::int64_t at, std::string& text) {
  std::array<char, kBuffer> buffer;
  ssize_t got = -1;
  do {
    got = pread(file.number(), buffer.data(), buffer.size(), at);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw Invalid(fmt::format("{}: cannot be read: {}", path, system_error_text(errno)));
  text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

std::string content_of(const Descriptor& file, const std::string& path) {
  std::string text;
  while (read_on(file, path, std::ssize(text), text)) continue;
  return text;
}

/// The beginning of the first line (at most kBuffer bytes), and whether the line is whole, that is,
/// has a line end.
struct FirstLine {
  std::string begin;
  bool is_whole = false;
};

/// Reads the first line. If its first kBuffer bytes have no line end, reads on only if `is_ours`
/// accepts these bytes. Throws Invalid.
FirstLine first_line_of(const Descriptor& file, const std::string& path,
                        const std::function<bool(std::string_view begin)>& is_ours) {
  FirstLine line;
  std::string part;
  for (std::int64_t at = 0; read_on(file, path, at, part); at += std::ssize(part), part.clear()) {
    const std::size_t end = part.find('\n');
    line.is_whole = end != part.npos;
    if (at == 0) line.begin = part.substr(0, end);
    if (line.is_whole || !is_ours(line.begin)) break;
  }
  return line;
}

/// Compares `text` with the key of the line `first`: the part of the line before its first colon.
/// Returns true if one of the two is a prefix of the other.
bool begins_as(std::string_view text, std::string_view first) {
  const std::string_view begin = first.substr(0, first.find(':')).substr(0, text.size());
  return text.starts_with(begin);
}

}  // namespace

LineFile::LineFile(std::string path, Descriptor file)
    : path_(std::move(path)), file_(std::move(file)) {}

/// Locks the file. Returns false if another process holds the lock. If the file system does not
/// support locks, returns true without a lock.
bool LineFile::lock() const {
  return flock(file_.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

std::optional<std::string> LineFile::first_line(const std::string& path) {
  const LineFile lines(path, open_file(path, O_RDONLY));
  if (!is_regular(lines.file_)) return std::nullopt;
  FirstLine line = first_line_of(lines.file_, path, [](std::string_view) { return true; });
  if (!line.is_whole) return std::nullopt;
  return std::move(line.begin);
}

LineFile LineFile::create(const std::string& path, std::string_view first) {
  if (const std::string why = obstacle_at(path); !why.empty()) cannot_write(path, why);
  LineFile lines(path, open_file(path, O_RDWR | O_CREAT | O_APPEND));
  if (!lines.file_.is_open()) cannot_write(path, errno);
  if (!is_regular(lines.file_)) cannot_write(path, "it exists and is not a regular file");
  if (!lines.lock()) cannot_write(path, "another normbench is writing to it");
  const auto is_ours = [first](std::string_view begin) { return begins_as(begin, first); };
  const FirstLine there = first_line_of(lines.file_, path, is_ours);
  if (there.is_whole) cannot_write(path, EEXIST);
  if (!is_ours(there.begin)) cannot_write(path, "it has other content");
  try {
    lines.append(first);
  } catch (const CannotWrite&) {
    unlink(path.c_str());
    throw;
  }
  return lines;
}

LineFile LineFile::resume(const std::string& path) {
  LineFile lines(path, open_file(path, O_RDWR | O_APPEND));
  if (!lines.file_.is_open() && errno != ELOOP) cannot_resume(path, errno);
  if (const std::string why = obstacle_at(path); !why.empty() || !is_regular(lines.file_))
    throw Invalid(fmt::format("{}: is no journal: {}", path, why));
  if (!lines.lock())
    throw Invalid(fmt::format("{}: another normbench is writing to it (wait for its end)", path));
  return lines;
}

void LineFile::read(const std::function<void(std::string_view line, int number)>& take) {
  const std::string text = content_of(file_, path_);
  std::size_t begin = 0;
  for (int number = 1;; ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      if (number == 1)
        throw Invalid(fmt::format(
            "{}: it has no complete line: the run had not begun (start a new run)", path_));
      break;
    }
    try {
      take(std::string_view(text).substr(begin, end - begin), number);
    } catch (const Invalid& error) {
      constexpr auto advice =
          " (to go on from the entries before it, delete this line and all lines after it)";
      throw Invalid(
          fmt::format("{}: entry {}: {}{}", path_, number, error.what(), number > 1 ? advice : ""));
    }
    begin = end + 1;
  }
  end_ = static_cast<std::int64_t>(begin);
}

/// Returns why nothing may be appended: the path no longer names the open file, or the file has
/// become shorter. Returns std::nullopt if lines may be appended.
std::optional<std::string> LineFile::lost() const {
  struct stat named {
  }, opened{};
  if (lstat(path_.c_str(), &named) != 0 || fstat(file_.number(), &opened) != 0)
    return system_error_text(errno);
  if (named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
    return "another file has taken its place";
  if (opened.st_size < end_) return "something else has shortened it";
  return std::nullopt;
}

void LineFile::append(std::string_view line, OnDisk when) {
  const std::string text = std::string(line) + '\n';
  if (const auto why = lost()) throw CannotWrite(fmt::format("cannot write {}: {}", path_, *why));
  // ftruncate() removes bytes that a kill or a failed append() left after the last whole line.
  const int file = file_.number();
  if (ftruncate(file, end_) == 0 && write_bytes(file, text) == text.size() &&
      (when == OnDisk::Later || fdatasync(file) == 0)) {
    end_ += static_cast<std::int64_t>(text.size());
    return;
  }
  const int error = errno;
  [[maybe_unused]] const int cut = ftruncate(file, end_);  // if this fails, the next append() cuts
  cannot_write(path_, error);
}

}  // namespace normbench
