#include "ops/images/image_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <iterator>
#include <set>
#include <stdexcept>

#include "core/issue.h"
#include "ops/images/image.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

/// A link that leads nowhere counts: whoever reads it says so.
bool is_file(const fs::path& path) {
  std::error_code ignored;  // what cannot be looked at is no file to read
  return fs::is_regular_file(path, ignored) ||
         (fs::is_symlink(path, ignored) && !fs::exists(path, ignored));
}

bool ends_in_one_of(const fs::path& path, std::span<const std::string_view> endings) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(endings, extension) != endings.end();
}

std::vector<std::string> files_in(const fs::path& folder,
                                  std::span<const std::string_view> endings) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (ends_in_one_of(entry->path(), endings) && is_file(entry->path()))
      files.push_back(entry->path());
  if (error) throw Invalid("the folder cannot be listed: " + error.message());
  return files;
}

std::vector<std::string> files_matching(const fs::path& folder, const std::string& pattern) {
  std::string escaped;  // the folder is meant as it is, whatever its name holds
  for (const char c : folder.string()) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  std::vector<std::string> files;
  glob_t found{};
  if (glob((fs::path(escaped) / pattern).c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    std::copy_if(found.gl_pathv, found.gl_pathv + found.gl_pathc, std::back_inserter(files),
                 is_file);
  globfree(&found);
  return files;
}

bool has_folders(const fs::path& folder) {
  std::error_code ignored;
  return std::ranges::any_of(fs::directory_iterator(folder, ignored), [](const auto& entry) {
    std::error_code unknown;
    return entry.is_directory(unknown);
  });
}

}  // namespace

std::vector<std::string> find_files(const std::string& folder, const std::string& said,
                                    std::span<const std::string_view> endings) {
  std::error_code ignored;
  const fs::path path = fs::path(folder) / said;
  std::vector<std::string> files;
  if (fs::is_directory(path, ignored)) {
    files = files_in(path, endings);
    if (files.empty())
      throw Invalid(fmt::format(
          "no {} file in {}{}", fmt::join(endings, ", "), said,
          has_folders(path) ? " (folders in it are not searched: give a glob, '*/*.jpg')" : ""));
  } else if (is_file(path)) {
    files = {path};
  } else {
    files = files_matching(folder, said);
    const bool pattern = said.find_first_of("*?[") != std::string::npos;
    if (files.empty())
      throw Invalid(
          fmt::format("{}: {}", pattern ? "no file matches" : "no such folder or file", said));
  }
  std::ranges::sort(files);
  return files;
}

FileContents try_image(const std::string& file) try {
  std::vector<std::uint8_t> bytes;
  Image image;
  read_file(file, bytes);
  decode_image(bytes, image);
  return {};
} catch (const std::exception& error) {
  return {.why_broken = error.what()};
}

FileContents Probe::contents(const std::string& file,
                             const std::function<FileContents(const std::string&)>& look) {
  const std::lock_guard lock(mutex_);
  const auto [entry, fresh] = contents_.try_emplace(file);
  if (fresh) entry->second = look(file);
  return entry->second;
}

std::vector<std::string> listed(const std::vector<std::string>& files,
                                const std::vector<std::string>& reasons) {
  std::vector<std::string> list;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!reasons[i].empty() && seen.insert(files[i]).second)
      list.push_back(fmt::format("{} ({})", fs::path(files[i]).filename().string(), reasons[i]));
  return list;
}

void throw_if_broken(const std::vector<std::string>& files, const std::vector<std::string>& reasons,
                     std::string_view hint) {
  const auto broken = listed(files, reasons);
  if (broken.empty()) return;
  const auto tried = std::set(files.begin(), files.end()).size();
  throw std::runtime_error(fmt::format("{} of {} files cannot be read{}: {}", broken.size(), tried,
                                       hint, fmt::join(broken, ", ")));
}

}  // namespace normbench
