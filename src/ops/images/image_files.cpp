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

bool is_file(const fs::path& path) {
  std::error_code ignored;  // what cannot be looked at is no file to read
  return fs::is_regular_file(path, ignored);
}

bool has_image_name(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

std::vector<std::string> images_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (has_image_name(entry->path()) && is_file(entry->path())) files.push_back(entry->path());
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

std::string decode_reason(const std::string& file) try {
  std::vector<std::uint8_t> bytes;
  Image image;
  read_file(file, bytes);
  decode_image(bytes, image);
  return "";
} catch (const std::exception& error) {
  return error.what();
}

}  // namespace

std::vector<std::string> find_images(const std::string& folder, const std::string& said) {
  std::error_code ignored;
  const fs::path path = fs::path(folder) / said;
  std::vector<std::string> files;
  if (fs::is_directory(path, ignored)) {
    files = images_in(path);
    if (files.empty()) throw Invalid(fmt::format("no .jpg or .png file in {}", said));
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

std::string Probe::why_broken(const std::string& file) {
  const std::lock_guard lock(mutex_);
  const auto [entry, fresh] = reasons_.try_emplace(file);
  if (fresh) entry->second = decode_reason(file);
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
