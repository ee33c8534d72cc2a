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
#include "ops/images/image_files.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

std::string in_folder(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// The files and folders that belong to a preparation (the making of a dataset). The names are
/// relative to the dataset's folder.
struct Own {
  std::set<std::string, std::less<>> files;
  std::set<std::string> folders;
};

Own own_of(std::span<const Output> outputs) {
  Own own{.files = {PreparationJournal::path_in("")}, .folders = {}};
  if (!outputs.empty()) own.files.insert(manifest_path(""));
  for (const Output& output : outputs) {
    own.files.insert(output.name);
    for (std::size_t end = output.name.find('/'); end != output.name.npos;
         end = output.name.find('/', end + 1))
      own.folders.insert(output.name.substr(0, end));
  }
  return own;
}

/// Adds the names in `folder` that do not belong to the preparation. Descends into the subfolders
/// that belong to it. `folder` is relative to the dataset's folder ("": that folder itself).
void add_foreign(const std::string& dataset, const fs::path& folder, const Own& own,
                 std::vector<std::string>& foreign) {
  std::error_code unknown;
  for (const std::string& entry : names_in(fs::path(dataset) / folder)) {
    const std::string name = folder / entry;
    if (own.folders.contains(name) &&
        fs::is_directory(fs::symlink_status(in_folder(dataset, name), unknown)))
      add_foreign(dataset, name, own, foreign);
    else if (!own.files.contains(name) && !own.files.contains(WholeFile::named_beside(name)))
      foreign.push_back(name);
  }
}

/// Returns the names in the dataset's folder that do not belong to the preparation. The journal
/// always belongs to the preparation. If `outputs` is not empty, the manifest, the outputs and
/// unfinished outputs belong to it, too.
std::vector<std::string> foreign_names(const Preparation& preparation,
                                       std::span<const Output> outputs) {
  std::vector<std::string> foreign;
  add_foreign(preparation.folder, "", own_of(outputs), foreign);
  return foreign;
}

std::string foreign_text(const std::string& folder, const std::vector<std::string>& names) {
  return fmt::format("{} holds other files: {} (give a new or an empty folder)", folder,
                     listed_few(names));
}

void remove_unfinished(const Preparation& preparation) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (fs::recursive_directory_iterator entry(preparation.folder, ignored), end;
       !ignored && entry != end; entry.increment(ignored))
    if (!WholeFile::named_beside(entry->path().filename().string()).empty())
      left.push_back(entry->path());
  for (const fs::path& file : left) fs::remove(file, ignored);
}

/// Returns true if there is a manifest, even a damaged one.
bool has_manifest(const std::string& folder) try {
  return read_manifest(folder).has_value();
} catch (const Invalid&) {
  return true;
}

/// Checks that the source images have not changed since the preparation began: compares their sizes
/// and times of change with those in the journal. A source that could not be read before may have
/// changed, because people repair such files. The new state of such a source is then written to the
/// journal. Throws std::runtime_error if any other source has changed.
void check_sources(const Preparation& preparation, PreparationJournal& journal) {
  std::set<std::string> used;
  for (const auto& [name, finished] : journal.files())
    for (const SourceFile& source : finished.sources) used.insert(source.name);
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < preparation.sources.size(); ++i) {
    const bool is_used = used.contains(preparation.name_of(preparation.sources[i]));
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
  throw std::runtime_error(
      fmt::format("changed since the preparation of {} began: {} (finished files are kept; remove "
                  "the folder to "
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
    are.push_back(preparation.name_of(path));
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
    const std::string path = in_folder(preparation.folder, file.name);
    if (fs::file_size(path, error) != static_cast<std::uintmax_t>(file.bytes) || error)
      throw std::runtime_error(
          fmt::format("{}: is {} (remove {} to make all again)", path,
                      fs::exists(path, error) ? "changed since it was written" : "missing",
                      preparation.folder));
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
  const auto sum = checksum_of(in_folder(preparation.folder, finished.file.name));
  return sum && sum->bytes == finished.file.bytes && sum->crc32 == finished.file.crc32;
}

}  // namespace normbench
