#include "dataset/preparation_journal.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/issue.h"

namespace normbench {
namespace {

constexpr std::int64_t journal_version = 1;

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::vector<std::string> absolute_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) all.push_back(absolute_path(path));
  return all;
}

/// The content of a journal's first line.
struct Begun {
  DatasetForm form;
  std::vector<std::string> paths;
  std::vector<SourceState> states;
};

SourceState read_state(Reader& reader) {
  return {.bytes = reader.integer("bytes", 0), .mtime_ns = reader.integer("mtime_ns", 0)};
}

Json begun_json(const Begun& begun) {
  Json sources = Json::array();
  for (std::size_t i = 0; i < begun.paths.size(); ++i)
    sources.push_back({{"path", begun.paths[i]},
                       {"bytes", begun.states[i].bytes},
                       {"mtime_ns", begun.states[i].mtime_ns}});
  return {{"preparation", journal_version}, {"form", to_json(begun.form)}, {"sources", sources}};
}

Begun read_begun(Reader& reader) {
  const std::int64_t version = reader.integer("preparation", 0);
  if (version != journal_version)
    throw Invalid(fmt::format("/preparation: expected {}, got {}", journal_version, version));
  Begun begun;
  Reader form = reader.object("form");
  begun.form = read_form(form);
  form.finish();
  const Json& sources = reader.member("sources");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Reader source(sources[i], fmt::format("/sources/{}", i), reader.issues());
    begun.paths.push_back(source.text("path", ""));
    begun.states.push_back(read_state(source));
    source.finish();
  }
  return begun;
}

/// Calls `read` with a reader of the line. Throws Invalid with the first mistake.
template <class Read>
void read_object(std::string_view text, Read read) {
  std::vector<Issue> issues;
  const Json line = parse_json(text, issues);
  Reader reader(line, "", issues);
  read(reader);
  reader.finish();
  if (!issues.empty()) throw Invalid(fmt::format("{}: {}", issues[0].pointer, issues[0].text));
}

/// Throws BadInput if the journal belongs to another preparation.
void check_same(const Begun& begun, const Preparation& preparation) {
  std::vector<Issue> issues;
  for (const std::string& text :
       differences(begun.form, preparation.form, begun.paths, absolute_paths(preparation.sources)))
    issues.push_back({"", "holds another preparation: " + text});
  if (!issues.empty()) throw BadInput(preparation.folder, issues);
}

}  // namespace

SourceState state_of_source(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {.bytes = status.st_size,
          .mtime_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

PreparationJournal::PreparationJournal(std::string path, LineFile lines)
    : path_(std::move(path)), lines_(std::move(lines)) {}

std::string PreparationJournal::path_in(const std::string& folder) {
  return unfinished_path(folder);
}

PreparationJournal PreparationJournal::create(const Preparation& preparation) {
  Begun begun{.form = preparation.form, .paths = absolute_paths(preparation.sources), .states = {}};
  for (const std::string& source : preparation.sources)
    begun.states.push_back(state_of_source(source));
  const std::string path = path_in(preparation.folder);
  PreparationJournal journal(path, LineFile::create(path, begun_json(begun).dump()));
  journal.states_ = std::move(begun.states);
  return journal;
}

PreparationJournal PreparationJournal::resume(const Preparation& preparation) {
  const std::string path = path_in(preparation.folder);
  PreparationJournal journal(path, LineFile::resume(path));
  journal.lines_.read([&](std::string_view line, int number) {
    if (number > 1) return journal.read_line(line);
    Begun begun;
    read_object(line, [&](Reader& reader) { begun = read_begun(reader); });
    check_same(begun, preparation);
    journal.states_ = std::move(begun.states);
  });
  return journal;
}

void PreparationJournal::read_line(std::string_view text) {
  const auto last = static_cast<std::int64_t>(states_.size()) - 1;
  read_object(text, [&](Reader& reader) {
    if (reader.has("file")) {
      Reader file = reader.object("file");
      FinishedFile finished{.file = read_dataset_file(file),
                            .sources = read_sources(reader, "sources"),
                            .left_out = read_left_out(reader, "left_out")};
      file.finish();
      seconds_ = reader.number("seconds", 0, 0);
      files_.insert_or_assign(finished.file.name, std::move(finished));
    } else if (reader.has("broken")) {
      broken_.insert(static_cast<std::size_t>(reader.integer("broken", 0, 0, last)));
    } else {
      const auto source = static_cast<std::size_t>(reader.integer("source", 0, 0, last));
      states_[source] = read_state(reader);
    }
  });
}

void PreparationJournal::add_file(const FinishedFile& file, double seconds) {
  const Json line = {{"file", to_json(file.file)},
                     {"sources", to_json(file.sources)},
                     {"left_out", to_json(file.left_out)},
                     {"seconds", seconds}};
  lines_.append(line.dump(), LineFile::OnDisk::Later);
  files_.insert_or_assign(file.file.name, file);
  seconds_ = seconds;
}

void PreparationJournal::add_broken(std::size_t source) {
  if (broken_.contains(source)) return;
  lines_.append(Json::object({{"broken", source}}).dump());
  broken_.insert(source);
}

void PreparationJournal::set_state(std::size_t source, const SourceState& state) {
  lines_.append(
      Json{{"source", source}, {"bytes", state.bytes}, {"mtime_ns", state.mtime_ns}}.dump());
  states_[source] = state;
}

void PreparationJournal::remove() { unlink(path_.c_str()); }

}  // namespace normbench
