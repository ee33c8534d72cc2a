#include "measure/cold_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "core/units.h"
#include "machine/page_cache.h"
#include "measure/contender_errors.h"

namespace normbench {

ColdFiles::ColdFiles(const Case& planned) : most_items_(std::numeric_limits<std::int64_t>::max()) {
  const Load* const load = planned.loader();
  if (load == nullptr || load->page_cache == PageCache::Warm) return;
  const ImageWalk walk = load->walk();
  files_ = walk.files();
  most_items_ = std::ssize(walk.places()) / load->batch;
  if (most_items_ == 0)
    throw CannotRunHere(
        fmt::format("{} images are too few for a cold batch of {}: it would read "
                    "some of them twice",
                    walk.places().size(), load->batch));
  if (planned.pipeline && planned.pipeline->items > most_items_)
    throw CannotRunHere(
        fmt::format("{} images are too few for {} cold items of {}: some would be "
                    "read twice",
                    walk.places().size(), planned.pipeline->items, load->batch));
}

namespace {

/// How much of a list of files is still in the page cache.
struct Kept {
  Residency all;
  std::string most_of;  // the file with the most bytes in the page cache
};

/// Asks the system to drop the files from the page cache, and returns how much of them is still
/// there.
Kept kept_of(const std::vector<std::string>& files) {
  for (const std::string& file : files) drop_pages(file);
  Kept kept;
  std::int64_t most = 0;
  for (const std::string& file : files) {
    const Residency one = residency(file);
    kept.all.resident_bytes += one.resident_bytes;
    kept.all.bytes += one.bytes;
    if (one.resident_bytes <= most) continue;
    most = one.resident_bytes;
    kept.most_of = file;
  }
  return kept;
}

}  // namespace

void ColdFiles::drop() const {
  constexpr int attempts = 20;
  if (files_.empty()) return;
  Kept kept = kept_of(files_);
  // At most a hundredth of all bytes may stay in memory. In the worst case, all pages that stay in
  // memory belong to the files of one item. So these pages must also be at most a tenth of the
  // bytes of an item.
  const std::int64_t allowed = std::min(kept.all.bytes / 100, kept.all.bytes / most_items_ / 10);
  // Pages that are being read ahead, or that another CPU has just read, cannot be dropped yet. So
  // the drop is repeated.
  for (int attempt = 1; kept.all.resident_bytes > allowed && attempt < attempts; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kept = kept_of(files_);
  }
  if (kept.all.resident_bytes > allowed)
    throw CannotRunHere(fmt::format(
        "the system keeps {} of the files' {} in memory although it was asked to drop them, most "
        "of {} "
        "(it cannot on tmpfs, nor where others have them mapped; and it tells only those who may "
        "write to the files)",
        format_bytes(static_cast<double>(kept.all.resident_bytes)),
        format_bytes(static_cast<double>(kept.all.bytes)), kept.most_of));
}

}  // namespace normbench
