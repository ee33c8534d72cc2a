/// Files that are written either whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/descriptor.h"

namespace normbench {

/// Thrown if an output cannot be written. The text names the file and the reason, as in "cannot
/// write out/results.json: No space left on device".
struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns why `path` must not be written: "it is a link (…)" or "it exists and is not a regular
/// file". Returns "" if `path` is a regular file or does not exist. Normbench never writes through
/// a link.
std::string obstacle_at(const std::string& path);

/// A file that is written under a temporary name in the folder of `path`. keep() renames it to
/// `path`. Without keep(), the destructor removes the temporary file. So after a crash, `path` is
/// the complete old file or the complete new one. All calls throw CannotWrite on failure.
class WholeFile {
 public:
  explicit WholeFile(const std::string& path);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  void add(std::string_view bytes);
  /// Overwrites bytes that were added before.
  void replace(std::int64_t offset, std::string_view bytes);
  /// Syncs the file and renames it to `path`. A power failure may undo the rename until the folder
  /// is synced (sync_folder).
  void keep();

  /// If `name` is a temporary name of a WholeFile of any process, returns the file name without the
  /// temporary part: "a.json" for "a.json.4711.tmp". Returns "" for any other name.
  static std::string_view named_beside(std::string_view name);

 private:
  [[noreturn]] void fail() const;

  std::string path_, name_;
  Descriptor file_;
  bool kept_ = false;
};

/// Replaces `path` by `content`, through a WholeFile that is synced. If that fails, throws
/// CannotWrite and leaves `path` unchanged.
void write_file(const std::string& path, std::string_view content);

/// Replaces `path` by what `writer` writes to the stream, without holding it all in memory. Throws
/// CannotWrite.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& writer);

/// Syncs a folder, so that new and renamed files in it survive a power failure. Ignores all errors.
void sync_folder(const std::string& folder);

/// Creates a folder and its parents if they do not exist. Throws CannotWrite.
void create_folder(const std::string& folder);

/// Removes a folder and everything in it, as far as possible. An empty folder is removed without
/// opening it, so this works even if the process cannot open any more files. Ignores all errors.
void remove_folder(const std::string& folder);

/// Creates a new folder and returns its path: `name`, or the first free one of "NAME-2", "NAME-3",
/// … Concurrent processes get different folders. Throws CannotWrite.
std::string create_own_folder(const std::string& name);

}  // namespace normbench
