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

/// Shows whether a source has changed, without reading it.
struct SourceState {
  std::int64_t bytes = 0, mtime_ns = 0;
  bool operator==(const SourceState&) const = default;
};

/// The state of a source now; {} where it is not there.
SourceState state_of_source(const std::string& path);

/// A file of the dataset, and the sources it was made of.
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
  /// Opens the journal of this preparation to go on. Throws BadInput with all differences when it
  /// is another preparation's, Invalid when it is damaged or in use.
  static PreparationJournal resume(const Preparation& preparation);

  /// They throw CannotWrite. `seconds`: time spent so far, in all parts. A file whose line a power
  /// failure takes is made again: that costs less than to sync the journal for every image.
  void add_file(const FinishedFile& file, double seconds);
  void add_broken(std::size_t source);
  void set_state(std::size_t source, const SourceState& state);
  /// Removes the journal: the manifest has taken its place.
  void remove();
  /// Forgets a file, which must be made again.
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
