/// Files that are either written whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/descriptor.h"

namespace normbench {

/// An output could not be written: "cannot write out/results.json: No space left on device".
struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Why nothing may be written to `path`, which is no file: "it is a link (…)", "it is there and is
/// not a file"; "" where a file is there, or nothing. Links are never written through.
std::string obstacle_at(const std::string& path);

/// A file that is written beside `path` until keep() puts it in its place. Without keep() it is
/// removed, so a crash leaves the old file or the new one. All calls throw CannotWrite.
class WholeFile {
 public:
  explicit WholeFile(const std::string& path);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  void add(std::string_view bytes);
  /// Overwrites bytes that were added before.
  void replace(std::int64_t offset, std::string_view bytes);
  /// Syncs the file and renames it to `path`. After a power failure the rename may be undone, until
  /// the folder is synced: by write_file() into it, say.
  void keep();

  /// The "x" that a file called `name` is written beside, in any process; "" for other names.
  static std::string_view named_beside(std::string_view name);

 private:
  [[noreturn]] void fail() const;

  std::string path_, name_;
  Descriptor file_;
  bool kept_ = false;
};

/// Replaces `path` by `content`: written beside it, synced and renamed, so that a crash leaves the
/// old file or the new one. Throws CannotWrite; nothing but the old file is left then.
void write_file(const std::string& path, std::string_view content);

/// Replaces `path` by what `writer` puts on the stream, without holding all of it in memory.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& writer);

/// Makes the names in a folder durable, where the file system can.
void sync_folder(const std::string& folder);

/// Creates a folder and those above it, unless they are there. Throws CannotWrite.
void create_folder(const std::string& folder);

/// Creates a folder that was not there: `name`, or "NAME-2", "NAME-3", … where others have taken
/// it. Each of several processes gets its own. Throws CannotWrite.
std::string create_own_folder(const std::string& name);

}  // namespace normbench
