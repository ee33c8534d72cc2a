/// Finds the files that a path names, and keeps what is known about the content of each file.
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

/// Pictures that a search for files found but did not take.
struct Beside {
  std::vector<OtherPictures> others = {};  // the most frequent kind first
  // The number of files with a wanted ending directly in the subfolders of the searched folder. It
  // is 0 if no such file is in the folder itself: then the search takes the files of the
  // subfolders.
  std::int64_t in_folders = 0;
  bool operator==(const Beside&) const = default;
};

/// The files that a path names. find_files() returns their paths. Each path begins with `root`, and
/// the rest of it is the name of the file: "a.jpg", or "cat/a.jpg" if folders are classes.
struct FoundFiles {
  std::string root;
  std::vector<std::string> files;
  Beside beside;
};

/// Returns the files that `said` names in `folder` ("" for the working directory; ignored if `said`
/// is absolute):
/// - If `said` is a folder: the files in it whose names end in one of `endings` (".jpg", in any
///   case). If there are none: all such files in its subfolders, which are classes, and below them.
///   Hidden folders are not searched.
/// - If `said` is a file: that file.
/// - If `said` is a glob: all files that match. `root` ends before the first component of the glob
///   that has a wildcard.
///
/// Takes only plain files and links to them. Takes a broken link as a file that cannot be read.
/// Follows links to folders. The order is that of torchvision's ImageFolder: by class, then by
/// folder, then by name. Throws Invalid if there are no files, if a folder cannot be listed, or if
/// a link leads back to a folder that contains it. Also throws Invalid if links lead to one folder
/// twice within a class, because torchvision would take its files twice.
FoundFiles find_files(const std::string& folder, const std::string& said,
                      std::span<const std::string_view> endings);

/// Returns true if `path` is `folder` or lies below it. Compares paths as they are written.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Returns the class of a file, which is the first folder in its name: "cat" for "cat/a.jpg".
/// Returns "" if the name has no folder.
std::string_view class_of(std::string_view name);

/// What is known about the content of a file that holds one or several images.
struct FileContents {
  std::string why_broken = {};  // why the file cannot be read; "" if it can
  std::int64_t images = 1;
  std::int64_t offset = 0;  // of the first image, in bytes; others follow without gaps
  std::vector<Remark> remarks = {};
  std::int64_t jpeg_height = 0, jpeg_width = 0;  // of a JPEG image, turned upright; 0: no JPEG
  PixelFormat format = PixelFormat::Rgb;         // of an encoded image; Rgb: not in YCbCr planes
};

/// Tries to decode a file as one image. If that fails, `why_broken` has the reason.
FileContents try_image(const std::string& file);

/// Keeps what is known about the contents of files, so that each file is examined only once.
/// Threads may share a Probe.
class Probe {
 public:
  using Look = std::function<FileContents(const std::string&)>;

  /// Calls `look` for each file that is not known yet, on at most as many threads as this process
  /// has CPUs.
  void look_into(std::span<const std::string> files, const Look& look);
  /// Returns what is known about a file. If it is not known yet, calls `look` for it first.
  FileContents contents(const std::string& file, const Look& look);

 private:
  std::mutex mutex_;
  std::map<std::string, FileContents> contents_;
};

/// Returns a text like "a, b, c and 3 more" for `count` names. `names` must contain at least the
/// first three of these names, or all if there are fewer.
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

/// broken_of() groups the broken files by the reason, the most frequent reason first. `reasons` has
/// an element for each name; "" means that the file is not broken. A file that is named several
/// times counts once. remarked_of() groups files by their remarks, the most frequent remark first.
std::vector<BrokenFiles> broken_of(const std::vector<std::string>& names,
                                   const std::vector<std::string>& reasons);
std::vector<RemarkedFiles> remarked_of(const std::vector<std::string>& names,
                                       const std::vector<std::vector<Remark>>& remarks);

/// Returns the number of files in all groups.
std::int64_t count_of(std::span<const BrokenFiles> broken);

/// Returns a text like "a.jpg, b.jpg, c.jpg and 397 more (a GIF picture)" for each reason. If there
/// are more than 8 reasons, there are 8 texts, and the last one is like "60 more for 41 other
/// reasons".
std::vector<std::string> broken_texts(std::span<const BrokenFiles> broken);

/// Throws std::runtime_error ("2 of 5 files cannot be read: a.jpg (empty file); b.png (...)") if
/// one of `reasons` is not "". A file that is named several times counts once. `hint` follows the
/// word "read" in the message.
void throw_if_broken(const std::vector<std::string>& names, const std::vector<std::string>& reasons,
                     std::string_view hint = {});

}  // namespace normbench
