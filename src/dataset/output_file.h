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
  std::string broken = {};  // why it cannot be read; "": it was read
};

/// A file to which several threads add images. The images are stored in the order of their places.
class OutputFile {
 public:
  /// With `skip`, a shard leaves out broken images. Without it, and in a file of one image, a
  /// broken image spoils the file, which is then not made.
  OutputFile(const Output& output, const Preparation& preparation, bool skip);

  /// Adds the source at `place` (from 0). Waits until other threads have added the sources before
  /// it. The call that adds the last source returns the file, which is then whole and in the
  /// folder; it returns nothing if the file was spoiled or stopped. Every other call returns
  /// nothing. Throws CannotWrite.
  std::optional<FinishedFile> add(std::size_t place, const Piece& piece);
  /// Gives the file up: it will not be made. All waiting and later calls of add() return nothing.
  void stop();

 private:
  void append(const Piece& piece);
  FinishedFile finish();
  /// Returns the bytes before the images: the header of an npy shard, else nothing.
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
  std::uint32_t crc32_ = 0;  // checksum of all bytes after start()
  std::int64_t bytes_ = 0;
};

}  // namespace normbench
