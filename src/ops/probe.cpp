#include "ops/probe.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "ops/image.h"

namespace normbench {
namespace {

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
      list.push_back(
          fmt::format("{} ({})", std::filesystem::path(files[i]).filename().string(), reasons[i]));
  return list;
}

void throw_if_broken(const std::vector<std::string>& files,
                     const std::vector<std::string>& reasons) {
  const auto broken = listed(files, reasons);
  if (broken.empty()) return;
  const auto tried = std::set(files.begin(), files.end()).size();
  throw std::runtime_error(fmt::format("{} of {} files cannot be read: {}", broken.size(), tried,
                                       fmt::join(broken, ", ")));
}

}  // namespace normbench
