/// prepare.jsonl in the dataset's folder: the finished work of a preparation that is not complete.
/// Its lines:
/// - {"preparation": 1, "form": {…}, "sources": [{"path", "bytes", "mtime_ns"}, …]}: the first
///   line.
/// - {"file": {…}, "sources": […], "left_out": […], "seconds": 1.5}: a finished file. "seconds" is
///   the time that the preparation had taken when the file was finished.
/// - {"broken": 3}: source 3 (from 0) could not be read.
/// - {"source": 3, "bytes": 1024, "mtime_ns": 17}: the new state of source 3, which was repaired.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/line_file.h"
#include "dataset/preparation.h"

namespace normbench {

/// The size of a source and the time of its last change. They show whether the source has changed,
/// without the need to read it.
struct SourceState {
  std::int64_t bytes = 0, mtime_ns = 0;
  bool operator==(const SourceState&) const = default;
};

/// Returns the present state of a source; {} if it does not exist.
SourceState state_of_source(const std::string& path);

/// A finished file of the dataset, and the sources that it was made of.
struct FinishedFile {
  DatasetFile file;
  std::vector<SourceFile> sources;
  std::vector<LeftOut> left_out;
};

class PreparationJournal {
 public:
  static std::string path_in(const std::string& folder);
  /// Starts a journal. Throws CannotWrite.
  static PreparationJournal create(const Preparation& preparation);
  /// Opens the journal of this preparation to resume it. Throws BadInput with all differences if it
  /// belongs to another preparation. Throws Invalid if it is damaged or in use.
  static PreparationJournal resume(const Preparation& preparation);

  /// Adds a finished file. `seconds` is the time that all calls of prepare() for this dataset have
  /// spent so far. The line is not synced: if a power failure loses it, the file is made again.
  /// add_file(), add_broken() and set_state() throw CannotWrite.
  void add_file(const FinishedFile& file, double seconds);
  void add_broken(std::size_t source);
  void set_state(std::size_t source, const SourceState& state);
  /// Deletes the journal. Call it after the manifest was written.
  void remove();
  /// Forgets a file that must be made again.
  void forget(const std::string& file) { files_.erase(file); }

  /// Returns the finished files by name.
  const std::map<std::string, FinishedFile>& files() const { return files_; }
  /// Returns one state for each source.
  const std::vector<SourceState>& states() const { return states_; }
  const std::set<std::size_t>& broken() const { return broken_; }
  double seconds() const { return seconds_; }

 private:
  PreparationJournal(std::string path, LineFile lines);
  void read_line(std::string_view text);

  std::string path_;
  LineFile lines_;
  std::map<std::string, FinishedFile> files_;
  std::vector<SourceState> states_;
  std::set<std::size_t> broken_;
  double seconds_ = 0;
};

}  // namespace normbench
