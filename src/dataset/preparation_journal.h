/// prepare.jsonl in the dataset's folder: what is done of a preparation that is not finished.
/// Lines:
///   {"preparation": 1, "form": {…}, "sources": [{"path", "bytes", "mtime_ns"}, …]}   first
///   {"file": {…}, "sources": […], "left_out": […], "seconds": 1.5}   is whole; time spent so far
///   {"broken": 3}                                      source 3, from 0, could not be read
///   {"source": 3, "bytes": 1024, "mtime_ns": 17}       it was repaired since
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/line_file.h"
#include "dataset/preparation.h"

namespace normbench {

/// What tells whether a source has changed, without reading it.
struct SourceState {
  std::int64_t bytes = 0, mtime_ns = 0;
  bool operator==(const SourceState&) const = default;
};

/// Of a source that is not there: {}.
SourceState state_of_source(const std::string& path);

/// A file of the dataset and what it was made of.
struct FinishedFile {
  DatasetFile file;
  std::vector<SourceFile> sources;
  std::vector<LeftOut> left_out;
};

class PreparationJournal {
 public:
  static std::string path_in(const std::string& folder);
  /// Starts one. Throws CannotWrite.
  static PreparationJournal create(const Preparation& preparation);
  /// Opens that of this preparation to go on. Throws BadInput with all that differs when it is of
  /// another one, Invalid when it is damaged or in use.
  static PreparationJournal resume(const Preparation& preparation);

  /// Throw CannotWrite. `seconds`: spent so far, of all parts. A file whose line a power failure
  /// takes is made again: that costs less than to sync the journal for every image.
  void add_file(const FinishedFile& file, double seconds);
  void add_broken(std::size_t source);
  void set_state(std::size_t source, const SourceState& state);
  /// Removes it: the manifest has taken its place.
  void remove();
  /// Of a file that must be made again.
  void forget(const std::string& file) { files_.erase(file); }

  const std::map<std::string, FinishedFile>& files() const { return files_; }  // by name
  const std::vector<SourceState>& states() const { return states_; }           // of each source
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
