/// Which files a path means, and what is known of each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/images/image.h"
#include "ops/images/picture_kinds.h"

namespace normbench {

/// What lies beside the files that are taken and is not taken.
struct Beside {
  std::vector<OtherPictures> others = {};  // most first
  std::int64_t in_folders = 0;             // files of the same kind in folders beside those taken
  bool operator==(const Beside&) const = default;
};

/// The files that a path means. What follows `root` in a file's path is its name: "a.jpg", and
/// where folders are classes "cat/a.jpg".
struct FoundFiles {
  std::string root;
  std::vector<std::string> files;
  Beside beside;
};

/// The files that `said` means under `folder` ("": the working directory; unused if `said` is
/// absolute):
/// - a folder's own files whose names end in one of `endings` (".jpg", in any case); where it has
///   none, all such files in the folders in it, which are classes, and below those;
/// - a file itself;
/// - all that a glob matches; names begin at its first part with a wildcard.
/// Plain files and links only; a link that leads nowhere is one that cannot be read. Links to
/// folders are followed; hidden folders are not searched. In the order of torchvision's
/// ImageFolder: by class, then by folder, then by name. Throws Invalid when there are none, or
/// where links give a class the same folder twice, which torchvision takes twice.
FoundFiles find_files(const std::string& folder, const std::string& said,
                      std::span<const std::string_view> endings);

/// True if `path` is `folder` or lies below it. Paths are compared as they are written.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The class in a file's name: "cat" in "cat/a.jpg"; "" where there is none.
std::string_view class_of(std::string_view name);

/// The content of a file of images.
struct FileContents {
  std::string why_broken = {};  // why it cannot be read, or ""
  std::int64_t images = 1;
  std::int64_t offset = 0;  // the first image's; the others follow without gaps
  std::vector<Remark> remarks = {};
};

/// Tries to read a file as one image: why it cannot be decoded is in `why_broken`.
FileContents try_image(const std::string& file);

/// Looks into each file once, however often its contents are asked for.
class Probe {
 public:
  FileContents contents(const std::string& file,
                        const std::function<FileContents(const std::string&)>& look);

 private:
  std::mutex mutex_;
  std::map<std::string, FileContents> contents_;
};

/// "a, b, c and 3 more": `count` names, of which the first are in `names`.
std::string listed_few(std::span<const std::string> names, std::int64_t count);
std::string listed_few(std::span<const std::string> names);

/// Files that cannot be read for the same reason, and the names of the first three.
struct BrokenFiles {
  std::string why;
  std::int64_t count = 0;
  std::vector<std::string> names = {};
  bool operator==(const BrokenFiles&) const = default;
};
/// Files with the same remark, and the names of the first three.
struct RemarkedFiles {
  Remark remark = {};
  std::int64_t count = 0;
  std::vector<std::string> names = {};
  bool operator==(const RemarkedFiles&) const = default;
};

/// The files whose reason is not "", each once, grouped by reason; the commonest reason first.
std::vector<BrokenFiles> broken_of(const std::vector<std::string>& names,
                                   const std::vector<std::string>& reasons);
std::vector<RemarkedFiles> remarked_of(const std::vector<std::string>& names,
                                       const std::vector<std::vector<Remark>>& remarks);

/// The number of all files in the groups.
std::int64_t count_of(std::span<const BrokenFiles> broken);

/// "a.jpg, b.jpg, c.jpg and 397 more (a GIF picture)" for each reason; at most 8 texts, of which
/// the last may be "60 more for 41 other reasons".
std::vector<std::string> broken_texts(std::span<const BrokenFiles> broken);

/// Throws std::runtime_error ("2 of 5 files cannot be read: a.jpg (empty file); b.png (…)") when a
/// reason is not "". A repeated file counts once. `hint` follows the word "read".
void throw_if_broken(const std::vector<std::string>& names, const std::vector<std::string>& reasons,
                     std::string_view hint = {});

}  // namespace normbench
