#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <streambuf>

#include "core/system_error.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

/// The buffer of a stream that writes to a WholeFile.
class Buffer final : public std::streambuf {
 public:
  explicit Buffer(WholeFile& file) : file_(file) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

 protected:
  int sync() override {
    file_.add({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return 0;
  }

  int_type overflow(int_type c) override {
    sync();
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                           : sputc(traits_type::to_char_type(c));
  }

 private:
  WholeFile& file_;
  std::array<char, 1 << 16> buffer_;
};

/// Syncs the folder of `path`, so that a rename to `path` survives a power failure.
void sync_folder_of(const fs::path& path) {
  sync_folder(path.has_parent_path() ? path.parent_path().string() : ".");
}

constexpr std::string_view temporary_end = ".tmp";

/// If the longest existing prefix of `path` is not a folder, returns this prefix: it prevents the
/// creation of a folder at `path`. Otherwise returns "".
std::string obstacle_of_folder(const fs::path& path) {
  std::error_code error;
  for (fs::path part = path; !part.empty(); part = part.parent_path()) {
    const fs::file_status status = fs::status(part, error);
    if (fs::exists(status)) return fs::is_directory(status) ? "" : part.string();
    if (part == part.parent_path()) break;
  }
  return "";
}

}  // namespace

std::string obstacle_at(const std::string& path) {
  std::error_code unknown;
  const auto status = fs::symlink_status(path, unknown);
  if (fs::is_symlink(status)) return "it is a link (name the file itself)";
  return fs::exists(status) && !fs::is_regular_file(status) ? "it exists and is not a regular file"
                                                            : "";
}

// With O_EXCL, open() fails if the temporary name exists, so it never follows a link. The name may
// exist because a process was killed, or because somebody has put a link there to redirect the
// output. In both cases the next name is tried.
WholeFile::WholeFile(const std::string& path) : path_(path) {
  constexpr int most_names = 1000;
  if (const std::string why = obstacle_at(path); !why.empty())
    throw CannotWrite(fmt::format("cannot write {}: {}", path, why));
  for (int i = 0; !file_.is_open() && i < most_names; ++i) {
    name_ = fmt::format("{}.{}{}", path, getpid() + i, temporary_end);
    file_ = Descriptor(open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_.is_open() && errno != EEXIST) break;
  }
  if (!file_.is_open()) fail();
}

WholeFile::~WholeFile() {
  if (!kept_) unlink(name_.c_str());
}

void WholeFile::add(std::string_view bytes) {
  if (write_bytes(file_.number(), bytes) < bytes.size()) fail();
}

void WholeFile::replace(std::int64_t offset, std::string_view bytes) {
  if (write_bytes_at(file_.number(), offset, bytes) < bytes.size()) fail();
}

void WholeFile::keep() {
  if (fsync(file_.number()) != 0 || !file_.close()) fail();
  if (std::rename(name_.c_str(), path_.c_str()) != 0) fail();
  kept_ = true;
}

std::string_view WholeFile::named_beside(std::string_view name) {
  if (!name.ends_with(temporary_end)) return "";
  name.remove_suffix(temporary_end.size());
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || name.find_first_not_of("0123456789", dot + 1) != name.npos) return "";
  return name.substr(0, dot);
}

void WholeFile::fail() const {
  throw CannotWrite(fmt::format("cannot write {}: {}", path_, system_error_text(errno)));
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& writer) {
  WholeFile file(path);
  Buffer buffer(file);
  std::ostream out(&buffer);
  out.exceptions(std::ios::badbit);
  writer(out);
  out.flush();
  file.keep();
  sync_folder_of(path);
}

void write_file(const std::string& path, std::string_view content) {
  write_file(path, [content](std::ostream& out) {
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
  });
}

void sync_folder(const std::string& folder) {
  const Descriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.is_open()) fsync(file.number());
}

void create_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (const std::string file = obstacle_of_folder(folder); !file.empty())
    throw CannotWrite(fmt::format("cannot create {}: {} is not a folder", folder, file));
  if (error)
    throw CannotWrite(fmt::format("cannot create {}: {}", folder, system_error_text(error)));
}

void remove_folder(const std::string& folder) {
  std::error_code ignored;
  if (rmdir(folder.c_str()) != 0) fs::remove_all(folder, ignored);
}

std::string create_own_folder(const std::string& name) {
  if (const fs::path above = fs::path(name).parent_path(); !above.empty()) create_folder(above);
  std::string folder = name;
  for (int i = 2; mkdir(folder.c_str(), 0777) != 0; ++i) {
    if (errno != EEXIST)
      throw CannotWrite(fmt::format("cannot create {}: {}", folder, system_error_text(errno)));
    folder = fmt::format("{}-{}", name, i);
  }
  return folder;
}

}  // namespace normbench
