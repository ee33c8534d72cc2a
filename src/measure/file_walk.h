/// Decides which files the cases of a group load in each round.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "ops/load.h"

namespace normbench {

/// The walk of a group's loaders (cases that load files) through their files. An item is a batch,
/// and each iteration loads one item. In a round, the turns of all loaders start at the same item.
/// The next round starts at the item after the last one of this round. If files must be cold, the
/// walk starts again at item 0 before a turn would read an image twice.
class FileWalk {
 public:
  /// Adds a loader whose turns have `iterations` iterations. No turn may reach beyond the first
  /// `most` items of the walk.
  void add(const Load& load, std::int64_t iterations,
           std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// Makes all turns start at item 0. Call it if a contender cannot start at another item.
  void stay() { stays_ = true; }
  bool goes_on() const { return !stays_ && iterations_ > 0; }

  /// Goes to the round with this number, counted from 0. Reads the files of that round into the
  /// page cache, except files that must be cold.
  void begin(std::size_t round = 0);
  /// Moves on to the next round. Reads its files into the page cache, except files that must be
  /// cold.
  void go_on();

  /// Returns the number of the first item of each turn in the present round.
  std::int64_t first() const { return first_; }
  /// Returns the number of items that a loader has loaded in all rounds up to and including the
  /// present one.
  std::int64_t items() const { return items_; }

 private:
  void step();
  void read_files_ahead() const;

  struct Loader {
    ImageWalk walk;
    std::int64_t bytes;  // bytes of one image; used for files with several images
  };
  std::vector<Loader> warm_;  // loaders of warm (cached) files, without duplicates
  std::int64_t iterations_ = 0, most_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t first_ = 0, items_ = 0;
  bool stays_ = false;
};

}  // namespace normbench
