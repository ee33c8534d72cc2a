/// Which files are meant, and what is known of each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// The files that `said` means under `folder` ("": the working directory; unused if `said` is
/// absolute), in name order: a folder's own files whose names end in one of `endings` (".jpg", in
/// any case); a file itself; all that a glob matches. Plain files and links only; a
/// link that leads nowhere is one that cannot be read. Throws Invalid when there are none.
std::vector<std::string> find_files(const std::string& folder, const std::string& said,
                                    std::span<const std::string_view> endings);

/// What is in a file of images.
struct FileContents {
  std::string why_broken = {};  // why it cannot be read, or ""
  std::int64_t images = 1;
  std::int64_t offset = 0;  // of the first one's bytes; the others follow without gaps
};

/// Why an image file cannot be read and decoded, or "": one whole image.
FileContents try_image(const std::string& file);

/// Looks into each file once, however often it is asked for.
class Probe {
 public:
  FileContents contents(const std::string& file,
                        const std::function<FileContents(const std::string&)>& look);

 private:
  std::mutex mutex_;
  std::map<std::string, FileContents> contents_;
};

/// "NAME (why)" of every file whose reason is not "", each file once.
std::vector<std::string> listed(const std::vector<std::string>& files,
                                const std::vector<std::string>& reasons);

/// Throws std::runtime_error ("2 of 5 files cannot be read: a.jpg (empty file), b.png (…)") when a
/// reason is not ""; a repeated file counts once. `hint` follows "read".
void throw_if_broken(const std::vector<std::string>& files, const std::vector<std::string>& reasons,
                     std::string_view hint = {});

}  // namespace normbench
