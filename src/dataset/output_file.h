/// A file of a dataset while it is being written.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "core/file.h"
#include "dataset/preparation_journal.h"

namespace normbench {

/// What a source adds to the dataset: its stored content, or the reason why it cannot be read.
struct Piece {
  SourceFile source;
  FileContent content = {};
  std::string broken = {};  // why the source cannot be read; "": it was read
};

/// A file of the dataset to which several threads add source images. Each source has a place (an
/// index from 0). The images are stored in the order of these places.
class OutputFile {
 public:
  /// A shard is a file for several images. If `skip` is true, a shard leaves out broken images. If
  /// `skip` is false, a broken image spoils the shard. A broken image always spoils a file of one
  /// image. A spoiled file is not made.
  OutputFile(const Output& output, const Preparation& preparation, bool skip);

  /// Adds the source at `place`. Waits until other threads have added the sources before it. The
  /// call that adds the last source completes the file in the folder and returns it. If the file
  /// was spoiled or stopped, that call returns std::nullopt. All other calls return std::nullopt.
  /// Throws CannotWrite.
  std::optional<FinishedFile> add(std::size_t place, const Piece& piece);
  /// Abandons the file: it will not be made. All waiting and later calls of add() return
  /// std::nullopt.
  void stop();

 private:
  void append(const Piece& piece);
  FinishedFile finish();
  /// Returns the bytes before the images: the header of an npy shard, or "" for any other file.
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
  std::uint32_t crc32_ = 0;  // checksum of the images: of all bytes after those of start()
  std::int64_t bytes_ = 0;
};

}  // namespace normbench
