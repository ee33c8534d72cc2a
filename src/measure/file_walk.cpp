#include "measure/file_walk.h"

#include <algorithm>
#include <stdexcept>

#include "machine/page_cache.h"

namespace normbench {

void FileWalk::add(const Load& load, std::int64_t iterations, std::int64_t most) {
  iterations_ = std::max(iterations_, iterations);
  most_ = std::min(most_, most);
  if (load.page_cache != PageCache::Warm) return;
  ImageWalk walk = load.walk();
  const bool is_known = std::ranges::any_of(warm_, [&](const Loader& other) {
    return other.walk.files() == walk.files() && other.walk.numbers_of(1) == walk.numbers_of(1);
  });
  if (!is_known) warm_.push_back({.walk = std::move(walk), .bytes = load.image().bytes()});
}

void FileWalk::begin(std::size_t round) {
  items_ = iterations_;
  if (!goes_on()) return;
  for (std::size_t i = 0; i < round; ++i) step();
  read_files_ahead();
}

void FileWalk::go_on() {
  if (!goes_on()) return;
  step();
  read_files_ahead();
}

void FileWalk::step() {
  items_ += iterations_;
  first_ += iterations_;
  if (first_ > most_ - iterations_) first_ = 0;
}

void FileWalk::read_files_ahead() const {
  for (const auto& [walk, bytes] : warm_)
    for (std::int64_t item = first_; item < first_ + iterations_; ++item)
      for (const ImagePlace& place : walk.places_of(item)) {
        try {
          read_ahead(walk.files()[place.file], place.offset, place.alone ? 0 : bytes);
        } catch (const std::runtime_error&) {
          // A file that cannot be read ahead is no error here. The turn that loads it reports the
          // error.
        }
      }
}

}  // namespace normbench
