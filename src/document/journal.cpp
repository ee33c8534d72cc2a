#include "document/journal.h"

#include <fmt/format.h>

#include <algorithm>
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

/// Reads a line about a group. A line with "seconds" has all rounds so far of the group, a line
/// with "part" has the part that one process measured, and any other line has the finished group.
/// Throws Invalid.
void read_group_line(Reader& reader, JournalContent& content) {
  const std::size_t index = group_index(reader);
  if (reader.has("seconds")) {
    content.begun.insert_or_assign(index, BegunGroup{.result = read_group(reader.member("result")),
                                                     .seconds = reader.number("seconds", 0)});
    return;
  }
  if (!reader.has("part")) {
    content.groups.insert_or_assign(index, read_group(reader.member("result")));
    content.begun.erase(index);
    return;
  }
  std::vector<GroupResult>& parts = content.parts[index];
  const auto next = std::ssize(parts);
  if (reader.integer("part", -1) != next)
    throw Invalid(fmt::format("/part: expected {}, the next one of group {}", next, index));
  parts.push_back(read_group(reader.member("result")));
}

/// Reads one line into the content. Throws Invalid.
void read_line(std::string_view text, bool first, JournalContent& content) {
  std::vector<Issue> issues;
  const Json line = parse_json(text, issues);
  Reader reader(line, "", issues);
  if (first) {
    read_first(reader, content);
  } else if (reader.has("group")) {
    read_group_line(reader, content);
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

std::string text_of(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Journal::Journal(LineFile lines) : lines_(std::move(lines)) {}

bool Journal::begun(const std::string& path) {
  const std::optional<std::string> line = LineFile::first_line(path);
  return line && line->starts_with(R"({"journal":)");
}

Journal Journal::create(const std::string& path, const Json& header) {
  Journal journal(LineFile::create(path, text_of({{"journal", 1}, {"header", header}})));
  journal.content_.header = header;
  return journal;
}

Journal Journal::resume(const std::string& path) {
  Journal journal(LineFile::resume(path));
  journal.lines_.read(
      [&](std::string_view line, int number) { read_line(line, number == 1, journal.content_); });
  return journal;
}

void Journal::add_group(std::size_t index, const GroupResult& group) {
  content_.groups.insert_or_assign(index, group);
  content_.begun.erase(index);
  append({{"group", index}, {"result", to_json(group)}});
}

void Journal::add_begun(std::size_t index, const BegunGroup& group) {
  content_.begun.insert_or_assign(index, group);
  append({{"group", index}, {"seconds", group.seconds}, {"result", to_json(group.result)}});
}

void Journal::add_part(std::size_t index, const GroupResult& part) {
  std::vector<GroupResult>& parts = content_.parts[index];
  parts.push_back(part);
  append({{"group", index}, {"part", parts.size() - 1}, {"result", to_json(part)}});
}

void Journal::add_hung(std::size_t index, const std::string& contender, const std::string& why) {
  content_.hung[index][contender] = why;
  append({{"hung", {{"group", index}, {"contender", contender}, {"why", why}}}});
}

void Journal::add_despite(const std::vector<std::string>& differences) {
  std::vector<std::string> fresh;
  std::ranges::copy_if(differences, std::back_inserter(fresh), [&](const std::string& text) {
    return std::ranges::find(content_.despite, text) == content_.despite.end();
  });
  if (fresh.empty()) return;
  std::ranges::copy(fresh, std::back_inserter(content_.despite));
  append({{"despite", fresh}});
}

void Journal::copy_to(const std::string& path) const {
  Journal copy = create(path, content_.header);
  copy.add_despite(content_.despite);
  for (const auto& [index, contenders] : content_.hung)
    for (const auto& [contender, why] : contenders) copy.add_hung(index, contender, why);
  for (const auto& [index, parts] : content_.parts)
    for (const GroupResult& part : parts) copy.add_part(index, part);
  for (const auto& [index, group] : content_.begun) copy.add_begun(index, group);
  for (const auto& [index, group] : content_.groups) copy.add_group(index, group);
}

void Journal::append(const Json& line) { lines_.append(text_of(line)); }

}  // namespace normbench
