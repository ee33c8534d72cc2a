/// Finds the files that a path names, and remembers what is known about each.
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

/// Pictures that a search found but did not take.
struct Beside {
  std::vector<OtherPictures> others = {};  // the most frequent kind first
  // The number of files with a wanted ending in subfolders; 0 if files are taken from subfolders.
  std::int64_t in_folders = 0;
  bool operator==(const Beside&) const = default;
};

/// The files that a path names. The path of a file is `root` plus its name, which is like "a.jpg",
/// or like "cat/a.jpg" if folders are classes.
struct FoundFiles {
  std::string root;
  std::vector<std::string> files;
  Beside beside;
};

/// Returns the files that `said` names in `folder` ("" for the working directory; ignored if `said`
/// is absolute):
/// - For a folder: its own files whose names end in one of `endings` (".jpg", in any case). If it
///   has none: all such files in its subfolders, which are classes, and below them.
/// - For a file: that file.
/// - For a glob: all files that match. Names begin at the first part of the glob with a wildcard.
/// Takes plain files and links only. A broken link is a file that cannot be read. Follows links to
/// folders, and does not search hidden folders. The order is that of torchvision's ImageFolder: by
/// class, then by folder, then by name. Throws Invalid if there are no files, or if links give a
/// class the same folder twice, whose files torchvision would take twice.
FoundFiles find_files(const std::string& folder, const std::string& said,
                      std::span<const std::string_view> endings);

/// Returns true if `path` is `folder` or lies below it. Compares paths as they are written.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Returns the class in a file's name: "cat" in "cat/a.jpg", "" if there is none.
std::string_view class_of(std::string_view name);

/// What is known about the content of a file of images.
struct FileContents {
  std::string why_broken = {};  // why it cannot be read; "" if it can
  std::int64_t images = 1;
  std::int64_t offset = 0;  // of the first image, in bytes; others follow without gaps
  std::vector<Remark> remarks = {};
};

/// Tries to decode a file as one image. If that fails, `why_broken` has the reason.
FileContents try_image(const std::string& file);

/// Looks into each file once, however often its contents are asked for. Threads may share a Probe.
class Probe {
 public:
  using Look = std::function<FileContents(const std::string&)>;

  /// Looks into all of these files that are new, on as many threads as this process has CPUs.
  void look_into(std::span<const std::string> files, const Look& look);
  FileContents contents(const std::string& file, const Look& look);

 private:
  std::mutex mutex_;
  std::map<std::string, FileContents> contents_;
};

/// Returns a text like "a, b, c and 3 more" for `count` names. `names` has the first of them.
std::string listed_few(std::span<const std::string> names, std::int64_t count);
std::string listed_few(std::span<const std::string> names);

/// Files that cannot be read for the same reason: their number, and the names of the first three.
struct BrokenFiles {
  std::string why;
  std::int64_t count = 0;
  std::vector<std::string> names = {};
  bool operator==(const BrokenFiles&) const = default;
};
/// Files with the same remark: their number, and the names of the first three.
struct RemarkedFiles {
  Remark remark = {};
  std::int64_t count = 0;
  std::vector<std::string> names = {};
  bool operator==(const RemarkedFiles&) const = default;
};

/// Groups the broken files by their reason, the most frequent reason first. A file with reason ""
/// is not broken. A file that is named several times counts once.
std::vector<BrokenFiles> broken_of(const std::vector<std::string>& names,
                                   const std::vector<std::string>& reasons);
std::vector<RemarkedFiles> remarked_of(const std::vector<std::string>& names,
                                       const std::vector<std::vector<Remark>>& remarks);

/// Returns the number of files in all groups.
std::int64_t count_of(std::span<const BrokenFiles> broken);

/// Returns a text like "a.jpg, b.jpg, c.jpg and 397 more (a GIF picture)" for each reason. With
/// more than 8 reasons the eighth text, which is the last, is like "60 more for 41 other reasons".
std::vector<std::string> broken_texts(std::span<const BrokenFiles> broken);

/// Throws std::runtime_error ("2 of 5 files cannot be read: a.jpg (empty file); b.png (…)") if one
/// of `reasons` is not "". A file that is named several times counts once. `hint` follows the word
/// "read" in the message.
void throw_if_broken(const std::vector<std::string>& names, const std::vector<std::string>& reasons,
                     std::string_view hint = {});

}  // namespace normbench
