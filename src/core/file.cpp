#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <streambuf>
#include <utility>

namespace normbench {
namespace {

/// The file beside `path` while it is written; removed unless it is kept.
class Temporary final : public std::streambuf {
 public:
  explicit Temporary(const std::string& path)
      : path_(path), name_(fmt::format("{}.{}.tmp", path, getpid())) {
    file_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail();
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() override {
    if (file_ >= 0) close(file_);
    if (!kept_) unlink(name_.c_str());
  }

  /// Puts the file in the place of `path`.
  void keep() {
    if (sync() != 0 || fsync(file_) != 0) fail();
    if (close(std::exchange(file_, -1)) != 0) fail();
    if (std::rename(name_.c_str(), path_.c_str()) != 0) fail();
    kept_ = true;
  }

  [[noreturn]] void fail() const {
    throw CannotWrite(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  }

 protected:
  int sync() override {
    const char* from = pbase();
    while (from < pptr()) {
      const ssize_t written = write(file_, from, static_cast<std::size_t>(pptr() - from));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      from += written;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return 0;
  }

  int_type overflow(int_type c) override {
    sync();
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                           : sputc(traits_type::to_char_type(c));
  }

 private:
  std::string path_, name_;
  std::array<char, 1 << 16> buffer_;
  int file_ = -1;
  bool kept_ = false;
};

/// Makes the rename itself durable; some file systems cannot, and the file is whole either way.
void sync_folder(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

void write_file(const std::string& path, const std::function<void(std::ostream&)>& writer) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw CannotWrite(fmt::format("cannot write {}: it is there and is not a file", path));
  Temporary temporary(path);
  std::ostream out(&temporary);
  out.exceptions(std::ios::badbit);  // an error of the buffer comes through as it was thrown
  writer(out);
  temporary.keep();
  sync_folder(path);
}

void write_file(const std::string& path, std::string_view content) {
  write_file(path, [content](std::ostream& out) {
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
  });
}

}  // namespace normbench
