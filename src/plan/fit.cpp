#include "plan/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/units.h"
#include "plan/memory.h"

namespace normbench {
namespace {

/// One side of the link, and how it is called.
struct Side {
  std::string_view name;
  std::int64_t Sides::*bytes;
  std::string SideNotes::*note;
};
constexpr std::array sides{Side{"host", &Sides::host, &SideNotes::host},
                           Side{"device", &Sides::device, &SideNotes::device}};

/// What cases need against what there is.
class Room {
 public:
  Room(Cache cache, const PlanOptions& options) : cache_(cache), options_(options) {}

  Sides need(std::span<const Case* const> cases) const { return need(cases, cache_); }

  /// The first side on which so much does not fit, or null. Nothing is known to be too much where
  /// it is not known what is free.
  const Side* lacking(const Sides& need) const {
    for (const Side& side : sides) {
      const std::int64_t free = options_.free_bytes.*side.bytes;
      if (free > 0 && need.*side.bytes > free) return &side;
    }
    return nullptr;
  }

  /// "12.4 GB of host memory, 8.1 GB are free (the container allows 8.6 GB)".
  std::string text(const Side& side, const Sides& need) const {
    const std::string& note = options_.free_notes.*side.note;
    return fmt::format("{} of {} memory, {} are free{}", format_bytes(need.*side.bytes), side.name,
                       format_bytes(options_.free_bytes.*side.bytes),
                       note.empty() ? "" : fmt::format(" ({})", note));
  }

  /// What buffers that exceed the cache add, or "".
  std::string cold_text(const Side& side, std::span<const Case* const> cases) const {
    if (cache_ == Cache::Hot) return "";
    const std::int64_t hot = need(cases, Cache::Hot).*side.bytes;
    const std::int64_t more = need(cases).*side.bytes - hot;
    // Where one set of buffers exceeds the cache, rotation adds little.
    if (more <= hot / 10) return "";
    return fmt::format("; {} of it are copies that exceed the cache (--set cache=hot needs {})",
                       format_bytes(more), format_bytes(hot));
  }

 private:
  Sides need(std::span<const Case* const> cases, Cache cache) const {
    return memory_need(cases, cache, options_.cache_bytes).total();
  }

  Cache cache_;
  const PlanOptions& options_;
};

void skip_each_too_large(std::vector<Case>& list, const Room& room) {
  for (Case& work : list) {
    if (work.skip) continue;
    const std::array alone{&std::as_const(work)};
    const Sides need = room.need(alone);
    if (const Side* side = room.lacking(need))
      work.skip = fmt::format("needs {}{}", room.text(*side, need), room.cold_text(*side, alone));
  }
}

/// The one of the list that by itself needs most on this side; of equals the last, since the
/// baseline is mostly the first.
Case& largest(std::vector<Case>& list, const Room& room, const Side& side) {
  Case* found = nullptr;
  std::int64_t most = -1;
  for (Case& work : list) {
    if (work.skip) continue;
    const std::int64_t bytes = room.need(std::array{&std::as_const(work)}).*side.bytes;
    if (bytes < most) continue;
    found = &work;
    most = bytes;
  }
  return *found;
}

bool has_runnable(const std::vector<Case>& list) {
  return std::ranges::any_of(list, [](const Case& work) { return !work.skip; });
}

/// Skips cases or limits of the group until all of it fits.
void skip_largest(Group& group, std::vector<Case>& list, const Room& room) {
  while (has_runnable(list)) {
    const std::vector<const Case*> all = runnable(group);
    const Sides need = room.need(all);
    const Side* side = room.lacking(need);
    if (side == nullptr) return;
    Case& work = largest(list, room, *side);
    work.skip = fmt::format("all that is measured with it needs {}{}; of that, this needs most",
                            room.text(*side, need), room.cold_text(*side, all));
  }
}

}  // namespace

void skip_too_large_cases(Group& group, Cache cache, const PlanOptions& options) {
  const Room room(cache, options);
  skip_each_too_large(group.cases, room);
  skip_largest(group, group.cases, room);
}

void skip_too_large_limits(Group& group, Cache cache, const PlanOptions& options) {
  const Room room(cache, options);
  skip_each_too_large(group.limits, room);
  skip_largest(group, group.limits, room);
}

}  // namespace normbench
