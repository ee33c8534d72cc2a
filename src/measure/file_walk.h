/// Decides which files the turns of a group read.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "ops/load.h"

namespace normbench {

/// The walk of a group's loaders through their files. In a round, the turns of all loaders start at
/// the same item, and the next round goes on where this one ended. With cold files the walk starts
/// over before a turn could read an image twice.
class FileWalk {
 public:
  /// Adds a loader whose turns have this many iterations, of at most `most` in all.
  void add(const Load& load, std::int64_t iterations,
           std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// Lets all turns start at item 0, because a contender can do nothing else.
  void stay() { stays_ = true; }
  bool goes_on() const { return !stays_ && iterations_ > 0; }

  /// Goes to the round with this number, counted from 0, and reads its files ahead.
  void begin(std::size_t round = 0);
  /// Moves on to the next round, and reads its files ahead. Files that are to be cold are not read.
  void go_on();

  /// The number of the first item of the round's turns.
  std::int64_t first() const { return first_; }
  /// The number of items of the rounds so far, the present one included.
  std::int64_t items() const { return items_; }

 private:
  void step();
  void read_files_ahead() const;

  struct Loader {
    ImageWalk walk;
    std::int64_t bytes;  // of an image in a file with several; 0: the file has one image
  };
  std::vector<Loader> warm_;  // without loaders that read the same files as an earlier one
  std::int64_t iterations_ = 0, most_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t first_ = 0, items_ = 0;
  bool stays_ = false;
};

}  // namespace normbench
