/// A file of a dataset while it is made.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "core/file.h"
#include "dataset/preparation_journal.h"

namespace normbench {

/// A source's part of the dataset: its stored content, or why it cannot be read.
struct Piece {
  SourceFile source;
  FileContent content = {};
  std::string broken = {};  // "": it could be read
};

/// A file that threads bring images to as they finish them, and that takes the images in order.
class OutputFile {
 public:
  /// Makes a file. With `skip` a shard leaves out broken images; otherwise one stops the file.
  OutputFile(const Output& output, const Preparation& preparation, bool skip);

  /// Adds the source at `place` (from 0). Waits for the sources before it, which other threads have
  /// begun. The last call returns the file, if it is whole and in the folder. A file for one image
  /// is not made of a broken one. Throws CannotWrite.
  std::optional<FinishedFile> add(std::size_t place, const Piece& piece);
  /// Ends all waiting, for the file will not be made.
  void stop();

 private:
  void append(const Piece& piece);
  FinishedFile finish();
  /// What stands before the images of a shard: a header, or nothing.
  std::string start(std::int64_t images) const;

  const Output output_;
  const DatasetForm form_;
  const std::string path_;
  const bool skip_;
  std::mutex mutex_;
  std::condition_variable turn_;
  bool stopped_ = false, spoiled_ = false;
  std::size_t next_ = 0;
  std::optional<WholeFile> file_;
  FinishedFile finished_;
  std::uint32_t crc32_ = 0;  // of all bytes after the start
  std::int64_t bytes_ = 0;
};

}  // namespace normbench
