#include "measure/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/file.h"
#include "core/issue.h"
#include "core/reader.h"

namespace normbench {
namespace {

[[noreturn]] void cannot_write(const std::string& path) {
  throw CannotWrite(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

/// Takes one line into the content. Throws Invalid.
void read_line(std::string_view text, bool first, JournalContent& content) {
  std::vector<Issue> issues;
  const Json line = parse_json(text, issues);
  Reader reader(line, "", issues);
  constexpr std::int64_t most = 1'000'000'000;
  if (first) {
    if (reader.integer("journal", 0) != 1) throw Invalid("/journal: expected 1");
    content.header = reader.member("header");
    if (!content.header.is_object()) throw Invalid("/header: expected an object");
  } else if (reader.has("group")) {
    const auto index = static_cast<std::size_t>(reader.integer("group", 0, 0, most));
    content.groups.insert_or_assign(index, read_group(reader.member("result")));
  } else if (reader.has("hung")) {
    Reader hung = reader.object("hung");
    const auto index = static_cast<std::size_t>(hung.integer("group", 0, 0, most));
    content.hung[index][hung.text("contender", "")] = hung.text("why", "");
  } else {
    throw Invalid("expected \"group\" or \"hung\"");
  }
  reader.finish();
  if (!issues.empty()) throw Invalid(fmt::format("{}: {}", issues[0].pointer, issues[0].text));
}

/// Reads the whole lines of a journal; returns how many bytes they take.
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

Journal::Journal(std::string path, int file, JournalContent content)
    : path_(std::move(path)), file_(file), content_(std::move(content)) {}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      content_(std::move(other.content_)) {}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

Journal Journal::create(const std::string& path, const Json& header) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) cannot_write(path);
  Journal journal(path, file, {});
  journal.content_.header = header;
  journal.append({{"journal", 1}, {"header", header}});
  return journal;
}

Journal Journal::resume(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) throw Invalid(fmt::format("{}: cannot be read (nothing to resume there)", path));
  JournalContent content;
  std::size_t whole = 0;
  try {
    whole = read_lines(text, content);
  } catch (const Invalid& error) {
    throw Invalid(fmt::format("{}: {}", path, error.what()));
  }
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) cannot_write(path);
  Journal journal(path, file, std::move(content));
  if (ftruncate(file, static_cast<off_t>(whole)) != 0) cannot_write(path);
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

void Journal::append(const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  const off_t end = lseek(file_, 0, SEEK_END);
  const ssize_t written = write(file_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size()) && fdatasync(file_) == 0) return;
  const int error = written < 0 || written == static_cast<ssize_t>(text.size()) ? errno : ENOSPC;
  // What got there would run into the next line. Where even this fails, `resume` says so.
  if (end < 0 || ftruncate(file_, end) != 0) close(std::exchange(file_, -1));
  errno = error;
  cannot_write(path_);
}

}  // namespace normbench
