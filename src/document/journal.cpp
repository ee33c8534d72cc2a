#include "document/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "core/file.h"
#include "core/issue.h"
#include "core/reader.h"

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

constexpr std::int64_t kVersion = 1;

void read_first(Reader& reader, JournalContent& content) {
  const std::int64_t version = reader.integer("journal", 0);
  if (version > kVersion)
    throw Invalid(fmt::format("/journal: {} is newer than this version of normbench reads ({})",
                              version, kVersion));
  if (version != kVersion) throw Invalid(fmt::format("/journal: expected {}", kVersion));
  content.header = reader.member("header");
  if (!content.header.is_object()) throw Invalid("/header: expected an object");
}

std::size_t group_index(Reader& reader) {
  constexpr std::int64_t most = 1'000'000'000;
  return static_cast<std::size_t>(reader.integer("group", 0, 0, most));
}

/// Takes one line into the content. Throws Invalid.
void read_line(std::string_view text, bool first, JournalContent& content) {
  std::vector<Issue> issues;
  const Json line = parse_json(text, issues);
  Reader reader(line, "", issues);
  if (first) {
    read_first(reader, content);
  } else if (reader.has("group")) {
    const std::size_t index = group_index(reader);
    content.groups.insert_or_assign(index, read_group(reader.member("result")));
  } else if (reader.has("hung")) {
    Reader hung = reader.object("hung");
    const std::size_t index = group_index(hung);
    content.hung[index][hung.text("contender", "")] = hung.text("why", "");
  } else if (reader.has("despite")) {
    for (std::string& text : reader.texts("despite", {}))
      content.despite.push_back(std::move(text));
  } else {
    throw Invalid("expected \"group\", \"hung\" or \"despite\"");
  }
  reader.finish();
  if (!issues.empty()) throw Invalid(fmt::format("{}: {}", issues[0].pointer, issues[0].text));
}

/// Reads all whole lines; returns how many bytes they have.
std::size_t read_lines(std::string_view text, JournalContent& content) {
  std::size_t begin = 0;
  for (int number = 1;; ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) {
      if (number == 1) throw Invalid("no whole line in it: the run had not begun (start it anew)");
      return begin;
    }
    try {
      read_line(text.substr(begin, end - begin), number == 1, content);
    } catch (const Invalid& error) {
      throw Invalid(fmt::format("entry {}: {}", number, error.what()));
    }
    begin = end + 1;
  }
}

}  // namespace

Journal::Journal(std::string path, int file) : path_(std::move(path)), file_(file) {}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      end_(other.end_),
      content_(std::move(other.content_)) {}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

/// False when another process holds it; where files cannot be locked, nobody does.
bool Journal::lock() const { return flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

std::string Journal::read() const {
  std::string text;
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t got = pread(file_, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Invalid(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

bool Journal::begun(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  return std::getline(in, line) && !in.eof();
}

Journal Journal::create(const std::string& path, const Json& header) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) cannot_write(path, errno);
  Journal journal(path, file);
  if (!journal.lock()) cannot_write(path, EBUSY);
  if (begun(path)) cannot_write(path, EEXIST);
  journal.content_.header = header;
  try {
    journal.append({{"journal", 1}, {"header", header}});
  } catch (const CannotWrite&) {
    unlink(path.c_str());
    throw;
  }
  return journal;
}

Journal Journal::resume(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (file < 0) cannot_resume(path, errno);
  Journal journal(path, file);
  try {
    if (!journal.lock()) throw Invalid("another normbench is writing to it (wait for its end)");
    journal.end_ = static_cast<std::int64_t>(read_lines(journal.read(), journal.content_));
  } catch (const Invalid& error) {
    throw Invalid(fmt::format("{}: {}", path, error.what()));
  }
  return journal;
}

void Journal::add_group(std::size_t index, const GroupResult& group) {
  append({{"group", index}, {"result", to_json(group)}});
  content_.groups.insert_or_assign(index, group);
}

void Journal::add_hung(std::size_t index, const std::string& contender, const std::string& why) {
  append({{"hung", {{"group", index}, {"contender", contender}, {"why", why}}}});
  content_.hung[index][contender] = why;
}

void Journal::add_despite(const std::vector<std::string>& differences) {
  std::vector<std::string> fresh;
  std::ranges::copy_if(differences, std::back_inserter(fresh), [&](const std::string& text) {
    return std::ranges::find(content_.despite, text) == content_.despite.end();
  });
  if (fresh.empty()) return;
  append({{"despite", fresh}});
  std::ranges::copy(fresh, std::back_inserter(content_.despite));
}

void Journal::copy_to(const std::string& path) const {
  Journal copy = create(path, content_.header);
  copy.add_despite(content_.despite);
  for (const auto& [index, contenders] : content_.hung)
    for (const auto& [contender, why] : contenders) copy.add_hung(index, contender, why);
  for (const auto& [index, group] : content_.groups) copy.add_group(index, group);
}

/// Why what is written would be lost or out of place, or nothing.
std::optional<std::string> Journal::lost() const {
  struct stat named {
  }, opened{};
  if (stat(path_.c_str(), &named) != 0 || fstat(file_, &opened) != 0) return std::strerror(errno);
  if (named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
    return "another file has taken its place";
  if (opened.st_size < end_) return "something else has shortened it";
  return std::nullopt;
}

void Journal::append(const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  if (const auto why = lost()) throw CannotWrite(fmt::format("cannot write {}: {}", path_, *why));
  // A line that was cut off, by a kill or here below, would run into this one.
  if (ftruncate(file_, end_) == 0 && write_all(file_, text) && fdatasync(file_) == 0) {
    end_ += static_cast<std::int64_t>(text.size());
    return;
  }
  const int error = errno;
  [[maybe_unused]] const int cut = ftruncate(file_, end_);  // if not now, then before the next line
  cannot_write(path_, error);
}

}  // namespace normbench
