#include "document/journal_lines.h"

#include <fmt/format.h>

#include <utility>

#include "core/issue.h"
#include "core/reader.h"

namespace normbench {
namespace {

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

}  // namespace

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

}  // namespace normbench
