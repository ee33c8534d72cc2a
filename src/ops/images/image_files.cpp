#include "ops/images/image_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "core/issue.h"
#include "core/system_error.h"
#include "core/units.h"
#include "machine/environment.h"
#include "ops/images/manifest.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view wildcards = "*?[";
constexpr std::size_t most_names = 3, most_reasons = 8;  // the most in one message

/// Returns true for regular files and broken links. A broken link counts as a file, so that the
/// user gets a message when the file cannot be read.
bool is_file(const fs::path& path) {
  std::error_code ignored;  // if this check fails, the file cannot be read either
  return fs::is_regular_file(path, ignored) ||
         (fs::is_symlink(path, ignored) && !fs::exists(path, ignored));
}

/// Returns true for the folder of a prepared dataset, even if the preparation is not finished.
bool is_dataset(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(manifest_path(folder.string()), ignored) ||
         fs::exists(unfinished_path(folder.string()), ignored);
}

std::string ending_of(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

/// Searches a folder and the folders below it for files.
class Search {
 public:
  Search(fs::path root, std::span<const std::string_view> endings)
      : root_(std::move(root)), endings_(endings) {
    std::error_code unknown;
    above_.push_back(fs::canonical(root_, unknown));
  }

  /// Collects the files directly in `folder`, which is relative to the root ("" for the root
  /// itself). Returns its subfolders without hidden ones, sorted by name. Throws Invalid if
  /// `folder` cannot be listed.
  std::vector<std::string> look_into(const std::string& folder) {
    std::vector<std::string> folders;
    std::error_code error, unknown;
    for (fs::directory_iterator entry(root_ / folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string own = entry->path().filename(), name = fs::path(folder) / own;
      if (!entry->is_directory(unknown))
        take(name);
      else if (!own.starts_with('.'))
        folders.push_back(name);
    }
    if (error)
      throw Invalid(fmt::format("the folder {}cannot be listed: {}",
                                folder.empty() ? "" : folder + " ", system_error_text(error)));
    std::ranges::sort(folders);
    return folders;
  }

  /// Collects the files in a folder and in all folders below it. A class is a folder directly in
  /// the root. Throws Invalid in three cases:
  /// - A folder cannot be listed.
  /// - A link leads back to a folder that contains the link. The search would not end.
  /// - Two paths in the same class lead to the same folder.
  void go_into(const std::string& folder) {
    std::error_code unknown;
    const fs::path place = fs::canonical(root_ / folder, unknown);
    if (std::ranges::any_of(above_, [&](const fs::path& one) { return lies_in(one, place); }))
      throw Invalid(fmt::format("{} leads back to a folder that it is in (remove it)", folder));
    const std::string its_class = folder.substr(0, folder.find('/'));
    const auto [other, fresh] = been_.try_emplace({its_class, place}, folder);
    if (!fresh)
      throw Invalid(
          fmt::format("{} and {} are one folder (remove one of them)", other->second, folder));
    above_.push_back(place);
    for (const std::string& inner : look_into(folder)) go_into(inner);
    above_.pop_back();
  }

  const std::vector<std::string>& names() const { return names_; }

  /// Returns how many pictures were found of each kind that normbench does not read, like GIF. The
  /// most frequent kind comes first.
  std::vector<OtherPictures> others() const {
    std::vector<OtherPictures> list;
    for (const auto& [kind, count] : others_) list.push_back({kind, count});
    std::ranges::stable_sort(list, std::greater(), &OtherPictures::count);
    return list;
  }

 private:
  void take(const std::string& name) {
    const std::string ending = ending_of(name);
    const std::optional<PictureKind> kind = kind_of_ending(ending);
    const bool wanted = std::ranges::find(endings_, ending) != endings_.end();
    if (!wanted && (!kind || is_read(*kind))) return;
    if (!is_file(root_ / name)) return;
    if (wanted)
      names_.push_back(name);
    else
      ++others_[*kind];
  }

  fs::path root_;
  std::span<const std::string_view> endings_;
  std::vector<fs::path> above_;  // the folders above the current one, links resolved
  // (class, folder with links resolved) -> the path in the root by which the folder was reached.
  std::map<std::pair<std::string, fs::path>, std::string> been_;
  std::vector<std::string> names_;
  std::map<PictureKind, std::int64_t> others_;
};

/// Returns how many files with these endings are directly in these folders. Their subfolders are
/// not searched, because they may contain a whole disk. Folders of prepared datasets are left out.
/// A folder that cannot be listed is no error.
std::int64_t count_in(const fs::path& root, const std::vector<std::string>& folders,
                      std::span<const std::string_view> endings) {
  Search inside(root, endings);
  for (const std::string& folder : folders) {
    if (is_dataset(root / folder)) continue;
    try {
      inside.look_into(folder);
    } catch (const Invalid&) {  // the files that were found before the error still count
    }
  }
  return std::ssize(inside.names());
}

bool is_before(const std::string& a, const std::string& b) {
  const auto parts = [](std::string_view name) {
    const std::size_t slash = name.rfind('/');
    const auto folder = slash == name.npos ? std::string_view() : name.substr(0, slash);
    return std::tuple(class_of(name), folder, name);
  };
  return parts(a) < parts(b);
}

std::string none_text(const std::string& said, std::span<const std::string_view> endings,
                      const std::vector<std::string>& folders, const Search& search) {
  const std::vector<OtherPictures> others = search.others();
  return fmt::format(
      "no {} file in {}{}{}", fmt::join(endings, ", "), said,
      folders.empty() ? "" : " or the folders in it",
      others.empty() ? ""
                     : fmt::format("; {} there: {}", counted_others(others), kinds_text(others)));
}

/// Returns the files that find_files() takes from a folder. In the result, `files` has the names of
/// the files, without `root`. `said` is the path as the user wrote it, for messages. Throws Invalid
/// if there are no files.
FoundFiles files_in(const fs::path& folder, const std::string& said,
                    std::span<const std::string_view> endings) {
  Search search(folder, endings);
  FoundFiles found{.root = (folder / "").string(), .files = {}, .beside = {}};
  const std::vector<std::string> folders = search.look_into("");
  if (!search.names().empty())
    found.beside.in_folders = count_in(folder, folders, endings);
  else
    for (const std::string& each : folders) search.go_into(each);
  if (search.names().empty()) throw Invalid(none_text(said, endings, folders, search));
  found.files = search.names();
  found.beside.others = search.others();
  return found;
}

/// Finds the first path component that contains a wildcard. Returns the index of its first
/// character; the size of the pattern if it has no wildcard.
std::size_t first_wild_part(const std::string& pattern) {
  std::size_t part = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '/') part = i + 1;
    if (wildcards.find(pattern[i]) != wildcards.npos) return part;
    if (pattern[i] == '\\') ++i;
  }
  return pattern.size();
}

/// Returns the last `parts` components of a path.
std::string last_parts(const std::string& path, std::ptrdiff_t parts) {
  std::size_t slash = path.size();
  while (parts-- > 0 && slash != path.npos)
    slash = slash == 0 ? path.npos : path.rfind('/', slash - 1);
  return slash == path.npos ? path : path.substr(slash + 1);
}

/// The error callback of glob(). Returns 0, which continues the search, if a folder is missing or a
/// link leads to itself. Returns 1, which ends the search, for any other error.
int ends_glob(const char*, int error) { return error != ENOENT && error != ELOOP; }

/// Returns the paths that match a glob. `said` is the pattern as the user wrote it, for the
/// message. Throws Invalid if a folder cannot be listed.
std::vector<std::string> matches_of(const fs::path& pattern, const std::string& said) {
  glob_t all{};
  std::vector<std::string> paths;
  const int code = glob(pattern.c_str(), GLOB_NOSORT, ends_glob, &all);
  if (code == 0) paths.assign(all.gl_pathv, all.gl_pathv + all.gl_pathc);
  globfree(&all);
  if (code == GLOB_ABORTED) throw Invalid("a folder of this pattern cannot be listed: " + said);
  return paths;
}

/// Returns the files that match the glob `said`, which is relative to `folder`. In the result,
/// `files` has the names of the files, without `root`. Throws Invalid if there are no files.
FoundFiles files_matching(const fs::path& folder, const std::string& said) {
  std::string escaped;  // the folder's name, with backslashes before its wildcards
  for (const char c : folder.string()) {
    if (wildcards.find(c) != wildcards.npos || c == '\\') escaped += '\\';
    escaped += c;
  }
  const std::size_t wild_part = first_wild_part(said);
  const fs::path wild = said.substr(wild_part);
  if (std::ranges::find(wild, "..") != wild.end())
    throw Invalid(fmt::format("\"..\" follows a wildcard: {}", said));
  const fs::path names = wild.lexically_normal();
  const fs::path pattern = fs::path(escaped) / (said.substr(0, wild_part) + names.string());
  std::vector<std::string> paths = matches_of(pattern, said);
  const auto folders = std::erase_if(paths, [](const std::string& path) { return !is_file(path); });
  if (paths.empty() && wild.empty()) throw Invalid("no such folder or file: " + said);
  if (paths.empty())
    throw Invalid(fmt::format(
        "no file matches: {}{}", said,
        folders > 0 ? fmt::format(" (it matches folders; files in them: {})", said + "/*.jpg")
                    : ""));
  FoundFiles found;
  const std::ptrdiff_t parts = std::max<std::ptrdiff_t>(1, std::ranges::distance(names));
  for (const std::string& path : paths) {
    found.files.push_back(last_parts(path, parts));
    found.root = path.substr(0, path.size() - found.files.back().size());
  }
  return found;
}

/// Groups files by one of their properties: the reason why they cannot be read, or a remark.
/// `Files` is the type of a group, BrokenFiles or RemarkedFiles. `kind` is its member with the
/// property.
template <class Files, class Kind>
class Kinds {
 public:
  explicit Kinds(Kind Files::*kind) : kind_(kind) {}

  void add(const std::string& name, const Kind& kind) {
    const auto [place, fresh] = places_.try_emplace(kind, all_.size());
    if (fresh) all_.emplace_back().*kind_ = kind;
    Files& files = all_[place->second];
    if (files.names.size() < most_names) files.names.push_back(name);
    ++files.count;
  }

  /// Returns all groups, the largest first.
  std::vector<Files> all() && {
    std::ranges::stable_sort(all_, std::greater(), &Files::count);
    return std::move(all_);
  }

 private:
  Kind Files::*kind_;
  std::map<Kind, std::size_t> places_;
  std::vector<Files> all_;
};

}  // namespace

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

FoundFiles find_files(const std::string& folder, const std::string& said,
                      std::span<const std::string_view> endings) {
  std::error_code ignored;
  const fs::path path = fs::path(folder) / said;
  FoundFiles found;
  if (fs::is_directory(path, ignored)) {
    found = files_in(path, said, endings);
  } else if (is_file(path)) {
    found.files = {path.filename()};
    found.root = path.string().substr(0, path.string().size() - found.files[0].size());
  } else {
    found = files_matching(folder, said);
  }
  std::ranges::sort(found.files, is_before);
  for (std::string& file : found.files) file = found.root + file;
  return found;
}

std::string_view class_of(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash == name.npos ? std::string_view() : name.substr(0, slash);
}

FileContents try_image(const std::string& file) try {
  std::vector<std::uint8_t> bytes;
  Image image;
  read_file(file, bytes);
  decode_image(bytes, image);
  FileContents found{.remarks = image.remarks};
  if (is_jpeg(bytes)) {
    found.jpeg_height = image.height;
    found.jpeg_width = image.width;
    found.format = jpeg_pixel_format(bytes);
  }
  return found;
} catch (const std::exception& error) {
  return {.why_broken = error.what()};
}

void Probe::look_into(std::span<const std::string> files, const Look& look) {
  constexpr std::ptrdiff_t few = 16;  // the fewest files for each thread
  std::vector<std::string> fresh;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& file : files)
      if (!contents_.contains(file)) fresh.push_back(file);
  }
  std::vector<FileContents> found(fresh.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < fresh.size(); i = next++) found[i] = look(fresh[i]);
  };
  {
    std::vector<std::jthread> helpers;
    const auto threads = std::min<std::ptrdiff_t>(available_threads(), std::ssize(fresh) / few);
    for (std::ptrdiff_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < fresh.size(); ++i) contents_.emplace(fresh[i], std::move(found[i]));
}

FileContents Probe::contents(const std::string& file, const Look& look) {
  const std::lock_guard lock(mutex_);
  const auto [entry, fresh] = contents_.try_emplace(file);
  if (fresh) entry->second = look(file);
  return entry->second;
}

std::string listed_few(std::span<const std::string> names, std::int64_t count) {
  const auto shown = names.first(std::min(names.size(), most_names));
  const std::int64_t more = count - std::ssize(shown);
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     more > 0 ? fmt::format(" and {} more", format_count(more)) : "");
}

std::string listed_few(std::span<const std::string> names) {
  return listed_few(names, std::ssize(names));
}

std::vector<BrokenFiles> broken_of(const std::vector<std::string>& names,
                                   const std::vector<std::string>& reasons) {
  Kinds kinds(&BrokenFiles::why);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!reasons[i].empty() && seen.insert(names[i]).second) kinds.add(names[i], reasons[i]);
  return std::move(kinds).all();
}

std::vector<RemarkedFiles> remarked_of(const std::vector<std::string>& names,
                                       const std::vector<std::vector<Remark>>& remarks) {
  Kinds kinds(&RemarkedFiles::remark);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const Remark remark : remarks[i]) kinds.add(names[i], remark);
  return std::move(kinds).all();
}

std::int64_t count_of(std::span<const BrokenFiles> broken) {
  std::int64_t count = 0;
  for (const BrokenFiles& files : broken) count += files.count;
  return count;
}

std::vector<std::string> broken_texts(std::span<const BrokenFiles> broken) {
  const auto told = broken.first(broken.size() > most_reasons ? most_reasons - 1 : broken.size());
  std::vector<std::string> texts;
  for (const auto& [why, count, names] : told)
    texts.push_back(fmt::format("{} ({})", listed_few(names, count), why));
  if (told.size() < broken.size())
    texts.push_back(fmt::format("{} more for {} other reasons",
                                format_count(count_of(broken) - count_of(told)),
                                format_count(std::ssize(broken) - std::ssize(told))));
  return texts;
}

void throw_if_broken(const std::vector<std::string>& names, const std::vector<std::string>& reasons,
                     std::string_view hint) {
  const std::vector<BrokenFiles> broken = broken_of(names, reasons);
  if (broken.empty()) return;
  const auto tried = std::set<std::string_view>(names.begin(), names.end()).size();
  throw std::runtime_error(fmt::format("{} of {} files cannot be read{}: {}",
                                       format_count(count_of(broken)), format_count(tried), hint,
                                       fmt::join(broken_texts(broken), "; ")));
}

}  // namespace normbench
