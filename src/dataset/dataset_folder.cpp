#include "dataset/dataset_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "core/file.h"
#include "core/issue.h"
#include "dataset/checksum.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

std::string in_folder(const Preparation& preparation, const std::string& name) {
  return (fs::path(preparation.folder) / name).string();
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// Names in the folder that are no part of this preparation; before it has begun, all but an empty
/// journal.
std::vector<std::string> foreign_names(const Preparation& preparation,
                                       std::span<const Output> outputs) {
  std::set<std::string, std::less<>> own{
      fs::path(PreparationJournal::path_in(preparation.folder)).filename().string()};
  if (!outputs.empty()) own.insert(fs::path(manifest_path("")).filename().string());
  for (const Output& output : outputs) own.insert(output.name);
  std::vector<std::string> foreign;
  for (const std::string& name : names_in(preparation.folder))
    if (!own.contains(name) && !own.contains(WholeFile::named_beside(name)))
      foreign.push_back(name);
  return foreign;
}

std::string foreign_text(const std::string& folder, const std::vector<std::string>& names) {
  return fmt::format("{} holds other files: {} (give a new or an empty folder)", folder,
                     listed_few(names));
}

void remove_unfinished(const Preparation& preparation) {
  std::error_code ignored;
  for (const std::string& name : names_in(preparation.folder))
    if (!WholeFile::named_beside(name).empty()) fs::remove(in_folder(preparation, name), ignored);
}

/// Also a damaged one.
bool has_manifest(const std::string& folder) try {
  return read_manifest(folder).has_value();
} catch (const Invalid&) {
  return true;
}

/// Sources may only change where they could not be read: they were repaired.
void check_sources(const Preparation& preparation, PreparationJournal& journal) {
  std::set<std::string> used;
  for (const auto& [name, finished] : journal.files())
    for (const SourceFile& source : finished.sources) used.insert(source.name);
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < preparation.sources.size(); ++i) {
    const bool is_used = used.contains(name_of_source(preparation.sources[i]));
    const SourceState state = state_of_source(preparation.sources[i]);
    if (state == journal.states()[i]) continue;
    if (journal.broken().contains(i) && !is_used)
      journal.set_state(i, state);
    else
      changed.push_back(preparation.sources[i]);
  }
  if (!changed.empty()) throw_changed(changed, preparation.folder);
}

}  // namespace

bool is_begun(const Preparation& preparation) {
  return LineFile::first_line(PreparationJournal::path_in(preparation.folder)).has_value();
}

std::vector<std::string> mistakes_before(const Preparation& preparation) {
  std::vector<std::string> mistakes = mistakes_of(preparation);
  if (!is_begun(preparation) && !has_manifest(preparation.folder))
    if (const auto foreign = foreign_names(preparation, {}); !foreign.empty())
      mistakes.push_back(foreign_text(preparation.folder, foreign));
  return mistakes;
}

void throw_changed(const std::vector<std::string>& paths, const std::string& folder) {
  throw std::runtime_error(fmt::format(
      "changed since the preparation of {} began: {} (what is finished stays; remove the folder to "
      "start again)",
      folder, listed_few(paths)));
}

void check_finished(const Preparation& preparation, const Manifest& manifest) {
  std::vector<std::string> were, are, changed;
  std::map<std::string, std::int64_t> bytes;
  for (const SourceFile& source : manifest.sources) bytes[source.name] = source.bytes;
  for (const LeftOut& image : manifest.left_out) bytes[image.name] = image.bytes;
  for (const auto& [name, size] : bytes) were.push_back(name);
  for (const std::string& path : preparation.sources) {
    are.push_back(name_of_source(path));
    const auto known = bytes.find(are.back());
    if (known != bytes.end() && known->second != state_of_source(path).bytes)
      changed.push_back(path);
  }
  std::vector<Issue> issues;
  for (const std::string& text : differences(manifest.form, preparation.form, were, are))
    issues.push_back({"", "holds another dataset: " + text});
  if (!issues.empty()) throw BadInput(preparation.folder, issues);
  if (!changed.empty()) throw_changed(changed, preparation.folder);
  std::error_code error;
  for (const DatasetFile& file : manifest.files) {
    const std::string path = in_folder(preparation, file.name);
    if (fs::file_size(path, error) != static_cast<std::uintmax_t>(file.bytes) || error)
      throw std::runtime_error(fmt::format(
          "{}: is {} (remove {} to make all again)", path,
          fs::exists(path, error) ? "not as it was written" : "missing", preparation.folder));
  }
}

PreparationJournal open_journal(const Preparation& preparation, std::span<const Output> outputs) {
  if (!is_begun(preparation)) return PreparationJournal::create(preparation);
  PreparationJournal journal = PreparationJournal::resume(preparation);
  if (const auto foreign = foreign_names(preparation, outputs); !foreign.empty())
    throw BadInput("normbench", {{"", foreign_text(preparation.folder, foreign)}});
  check_sources(preparation, journal);
  remove_unfinished(preparation);
  return journal;
}

bool is_whole(const Preparation& preparation, const FinishedFile& finished) {
  const auto sum = checksum_of(in_folder(preparation, finished.file.name));
  return sum && sum->bytes == finished.file.bytes && sum->crc32 == finished.file.crc32;
}

}  // namespace normbench
